import { LinkedList } from './linked-list.ts'

export type Signal = Abort | AbortSignal

/**
 * Signal and controller in one, for within: every call to a node needs some of them, and an `AbortController` with its listeners
 * costs many times as much. Nobody is told twice.
 */
export class Abort {
  aborted = false
  reason: unknown
  private readonly actions = new LinkedList<() => void>()

  /** The answer takes it back. */
  tell(action: () => void): () => void {
    const link = this.actions.add(action)
    return () => this.actions.remove(link)
  }

  abort(): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = new DOMException('This operation was aborted', 'AbortError')
    // One that is taken back by another meanwhile is not called.
    for (let link = this.actions.first; link; link = this.actions.first) {
      this.actions.remove(link)
      link.value()
    }
  }
}

/** Calls `action` once when the signal aborts, at once where it has; the answer takes that back. */
export function onAbort(signal: Signal | undefined, action: () => void): () => void {
  if (!signal) return () => {}
  if (signal.aborted) {
    action()
    return () => {}
  }
  if (signal instanceof Abort) return signal.tell(action)
  signal.addEventListener('abort', action, { once: true })
  return () => signal.removeEventListener('abort', action)
}

/** The promise, unless the caller gives up first; the work itself goes on for those who still want it. */
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
