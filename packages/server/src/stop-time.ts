/** Times of a stop, by `SHUTDOWN_GRACE_MS`. */

/** Default of `SHUTDOWN_GRACE_MS`: milliseconds after a signal in which requests in flight are answered. */
export const DEFAULT_GRACE_MS = 1_000
/** Milliseconds after the grace period in which the service saves known pools and exits. */
const SAVE_MS = 800

/** Returns the maximum milliseconds from a signal to the exit, even if requests are still in flight. */
export function maxStopMs({ SHUTDOWN_GRACE_MS: grace }: Readonly<Record<string, string | undefined>>): number {
  // The service itself refuses any other value.
  return (grace && /^\d{1,6}$/.test(grace) ? Number(grace) : DEFAULT_GRACE_MS) + SAVE_MS
}
