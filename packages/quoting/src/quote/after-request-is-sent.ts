/** Runs work while a request to the node is in flight. */
import { setImmediate } from 'node:timers/promises'

/**
 * Runs work after a request has been sent, while the caller waits for its response. Undici checks that a kept-alive
 * connection is open, and writes to it one turn of the event loop after the call. So this function waits for two turns.
 *
 * @param work - skipped if undefined, or if the signal was aborted meanwhile
 */
export async function afterRequestIsSent(work: (() => void) | undefined, signal: AbortSignal): Promise<void> {
  if (!work) return
  await setImmediate()
  await setImmediate()
  if (!signal.aborted) work()
}
