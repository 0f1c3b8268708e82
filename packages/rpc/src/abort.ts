/** Calls `action` once when the signal aborts, at once where it has; the answer takes that back. */
export function onAbort(signal: AbortSignal | undefined, action: () => void): () => void {
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
    promise.then(resolve, reject).finally(detach)
  })
}
