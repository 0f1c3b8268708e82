/** Waits for work with a timeout. */

/**
 * Returns true if the work ends within `ms` milliseconds, without an error, and with a result other than false. The
 * work continues after the timeout.
 */
export async function endsInTime(work: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise: timeout, resolve } = Promise.withResolvers<false>()
  const timer = setTimeout(resolve, ms, false)
  const completion = work.then(
    (result) => result !== false,
    // Errors are ignored, because the next request runs the work again.
    () => false,
  )
  return Promise.race([completion, timeout]).finally(() => clearTimeout(timer))
}
