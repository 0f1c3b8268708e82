/** Pauses between repeated requests for the outcome of a transaction or batch. */

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
