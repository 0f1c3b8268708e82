/** Pauses between repeated requests for the outcome of a transaction or batch, and bounds the time of a request. */

/** First pause in milliseconds. Some chains have a block every 100 ms. */
const FIRST_PAUSE_MS = 50
/** Maximum pause in milliseconds. */
const MAX_PAUSE_MS = 500

/** Returns a function that waits before the next request: each time twice as long, up to `MAX_PAUSE_MS`. */
export function growingPause(): () => Promise<void> {
  let ms = FIRST_PAUSE_MS
  return async () => {
    await new Promise((resolve) => setTimeout(resolve, ms))
    ms = Math.min(2 * ms, MAX_PAUSE_MS)
  }
}

/** Settles like the promise. @throws Error with the text if that takes longer than `ms` */
export async function withinTime<T>(promise: Promise<T>, ms: number, text: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(text)), ms)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}
