/** Runs work while a request to the node is in flight. */
import { setImmediate } from 'node:timers/promises'

/**
 * Runs work after a request has been sent, while its response is awaited. Undici writes to a kept-alive connection one
 * turn of the event loop after the call, once it has checked that the connection is open. Hence two turns.
 *
 * @param work - skipped if undefined, or if the signal was aborted meanwhile
 */
export async function afterRequestIsSent(work: (() => void) | undefined, signal: AbortSignal): Promise<void> {
  if (!work) return
  await setImmediate()
  await setImmediate()
  if (!signal.aborted) work()
}
