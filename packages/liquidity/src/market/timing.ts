import { abortable } from '@sluice/rpc'

/** Time limit of a call in the background, which waits for its turn. */
export const BACKGROUND_TIMEOUT_MS = 60_000

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref())

/** Does something again and again until told to stop; `task` deals with its own failures. */
export async function repeat(task: () => Promise<void>, everyMs: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await abortable(sleep(everyMs), signal).catch(() => undefined)
    if (!signal.aborted) await task()
  }
}
