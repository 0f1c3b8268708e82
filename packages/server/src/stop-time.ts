/** Maximum duration of a shutdown, from `SHUTDOWN_GRACE_MS`. */

/** Default of `SHUTDOWN_GRACE_MS`: milliseconds after a signal during which the service answers requests in flight. */
export const DEFAULT_GRACE_MS = 1_000
/** Milliseconds that the service takes after the grace period to save known pools and exit. */
const SAVE_MS = 800

/** Returns the maximum milliseconds from a signal to the exit, even if requests are still in flight. */
export function maxStopMs({ SHUTDOWN_GRACE_MS: grace }: Readonly<Record<string, string | undefined>>): number {
  // The service refuses to start with a value that does not match.
  return (grace && /^\d{1,6}$/.test(grace) ? Number(grace) : DEFAULT_GRACE_MS) + SAVE_MS
}
