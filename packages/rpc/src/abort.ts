/** Abort signals, and functions that listen to them. */
import { LinkedList } from './linked-list.ts'

export type Signal = Abort | AbortSignal

/**
 * Signal and controller in one, for internal use. Each call to a node needs several signals, and an `AbortController`
 * with listeners takes many times as much time. Runs each registered action at most once.
 */
export class Abort {
  aborted = false
  reason: unknown
  private readonly actions = new LinkedList<() => void>()

  /**
   * Registers an action to run on abort.
   *
   * @returns function that removes the action
   */
  subscribe(action: () => void): () => void {
    const link = this.actions.add(action)
    return () => this.actions.remove(link)
  }

  abort(): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = new DOMException('This operation was aborted', 'AbortError')
    // An action may remove other actions, which must then not run.
    for (let link = this.actions.first; link; link = this.actions.first) {
      this.actions.remove(link)
      link.value()
    }
  }
}

/**
 * Runs `action` when the signal aborts, or immediately if the signal is already aborted.
 *
 * @returns function that removes the action
 */
export function onAbort(signal: Signal | undefined, action: () => void): () => void {
  if (!signal) return () => {}
  if (signal.aborted) {
    action()
    return () => {}
  }
  if (signal instanceof Abort) return signal.subscribe(action)
  signal.addEventListener('abort', action, { once: true })
  return () => signal.removeEventListener('abort', action)
}

/**
 * Settles like `promise`, but rejects when the signal aborts. The abort does not stop the work behind `promise`,
 * because other callers may wait for it.
 */
export function abortable<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const detach = onAbort(signal, () => reject(signal.reason))
    promise.then(
      (result) => {
        detach()
        resolve(result)
      },
      (error: unknown) => {
        detach()
        reject(error)
      },
    )
  })
}
