/** Orders work that blocks the event loop after requests to the node, so that the node answers them meanwhile. */
import { setImmediate } from 'node:timers/promises'

/** Waits until reads are sent to the node. Returns at once if they have ended. */
export async function untilSent(reads: readonly Promise<unknown>[]): Promise<void> {
  await Promise.race([Promise.allSettled(reads), waitForSending()])
}

/**
 * Runs work while the node simulates.
 *
 * @param work - runs once, after the first simulation is sent; skipped if undefined, or if the signal was aborted
 * @param simulate - calls `onSimulate` immediately before it sends each simulation
 */
export async function workAfterSending<T>(
  work: (() => void) | undefined,
  signal: AbortSignal,
  simulate: (onSimulate: () => void) => Promise<T>,
): Promise<T> {
  if (!work) return simulate(() => {})
  let pendingWork: Promise<void> | undefined
  const start = () => {
    if (pendingWork) return
    pendingWork = runAfterSending(work, signal)
    // A failure surfaces where the work is awaited, unless the simulation fails first.
    pendingWork.catch(() => {})
  }
  const result = await simulate(start)
  start()
  await pendingWork
  return result
}

async function runAfterSending(work: () => void, signal: AbortSignal): Promise<void> {
  await waitForSending()
  if (!signal.aborted) work()
}

/**
 * Waits until the requests of this turn are sent. Undici checks that a kept-alive connection is open, and writes to it
 * one turn of the event loop after the call. So this waits for two turns.
 */
async function waitForSending(): Promise<void> {
  await setImmediate()
  await setImmediate()
}
