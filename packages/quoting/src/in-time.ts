/** Waiting with a limit. */

/** Returns true if the work ends within `ms` milliseconds, without an error and not with false. The work continues in any case. */
export async function endsInTime(work: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise: timeout, resolve } = Promise.withResolvers<false>()
  const timer = setTimeout(resolve, ms, false)
  const completion = work.then(
    (result) => result !== false,
    // The next request tries again.
    () => false,
  )
  return Promise.race([completion, timeout]).finally(() => clearTimeout(timer))
}
