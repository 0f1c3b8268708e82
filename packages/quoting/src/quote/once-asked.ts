import { setImmediate } from 'node:timers/promises'

/**
 * Does something while the node is waited for: in the turn of the event loop after the one in which it is asked. A kept connection is
 * written to at the end of that turn, once it is known that the other side has not closed it.
 */
export async function onceAsked(work: (() => void) | undefined, signal: AbortSignal): Promise<void> {
  if (!work) return
  await setImmediate()
  await setImmediate()
  if (!signal.aborted) work()
}
