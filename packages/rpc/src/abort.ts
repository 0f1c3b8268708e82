/** Part of an `AbortSignal` that is used here. */
export type Signal = {
  readonly aborted: boolean
  readonly reason: unknown
  readonly addEventListener: (type: 'abort', action: () => void, options: { readonly once: true }) => void
  readonly removeEventListener: (type: 'abort', action: () => void) => void
}

/**
 * Signal and controller in one, for within: every call to a node needs some of them, and an `AbortController` with its listeners
 * costs many times as much. Nobody is told twice.
 */
export class Abort implements Signal {
  aborted = false
  reason: unknown
  private readonly actions = new Set<() => void>()

  addEventListener(_type: 'abort', action: () => void): void {
    if (!this.aborted) this.actions.add(action)
  }

  removeEventListener(_type: 'abort', action: () => void): void {
    this.actions.delete(action)
  }

  abort(): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = new DOMException('This operation was aborted', 'AbortError')
    // One that is taken back by another meanwhile is not called.
    for (const action of this.actions) action()
    this.actions.clear()
  }
}

/** Calls `action` once when the signal aborts, at once where it has; the answer takes that back. */
export function onAbort(signal: Signal | undefined, action: () => void): () => void {
  if (!signal) return () => {}
  if (signal.aborted) action()
  else signal.addEventListener('abort', action, { once: true })
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
