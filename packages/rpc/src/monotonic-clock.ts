/** Clock for durations. */

/** Returns milliseconds since the process started. Unlike `Date.now`, never jumps when the system's clock is set. */
export function monotonicMs(): number {
  return performance.now()
}
