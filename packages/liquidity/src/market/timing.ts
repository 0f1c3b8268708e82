/** Of a call in the background, which waits for its turn. */
export const BACKGROUND_TIMEOUT_MS = 60_000

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref())

/** The promise, unless the caller gives up first; the work itself goes on for those who still want it. */
export function abortable<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const give = () => reject(signal.reason)
    if (signal.aborted) give()
    signal.addEventListener('abort', give, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', give))
  })
}

/** Does something again and again until told to stop; `task` deals with its own failures. */
export async function repeat(task: () => Promise<void>, everyMs: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await abortable(sleep(everyMs), signal).catch(() => undefined)
    if (!signal.aborted) await task()
  }
}
