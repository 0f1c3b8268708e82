/** Computes the latest deadline that this package accepts if the service chose it. */

/** Default deadline of the service, in seconds from now. */
const DEFAULT_DEADLINE_SECONDS = 1_200
/** Maximum difference in seconds between the clocks of the caller and the chain. */
const CLOCK_SKEW_SECONDS = 300

/** Returns the latest deadline in Unix seconds that is accepted if the caller requested none. */
export function latestDefaultDeadline(): number {
  return Math.floor(Date.now() / 1000) + DEFAULT_DEADLINE_SECONDS + CLOCK_SKEW_SECONDS
}
