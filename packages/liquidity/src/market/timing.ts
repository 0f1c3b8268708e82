/** Timers of the market. */
import { abortable } from '@sluice/rpc'

/** Time limit of a background call, which includes its wait in the queue. */
export const BACKGROUND_TIMEOUT_MS = 60_000

/** Resolves after a delay. The timer does not keep the process alive. */
export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref())

/** Runs `task` periodically until aborted; `task` must handle its own errors. */
export async function repeat(task: () => Promise<void>, everyMs: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await abortable(sleep(everyMs), signal).catch(() => undefined)
    if (!signal.aborted) await task()
  }
}
