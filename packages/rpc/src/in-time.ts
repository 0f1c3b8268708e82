/** Waits for work with a timeout. */

/**
 * Returns the result of the work, or `lateResult` if it takes longer than `ms` milliseconds. The work continues after
 * the timeout, and a later error of it is ignored.
 */
export function resultInTime<T, L>(work: Promise<T>, ms: number, lateResult: L): Promise<T | L> {
  const { promise: timeout, resolve } = Promise.withResolvers<L>()
  const timer = setTimeout(resolve, ms, lateResult)
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer))
}

/**
 * Returns true if the work ends within `ms` milliseconds, without an error, and with a result other than false. The
 * work continues after the timeout.
 */
export function endsInTime(work: Promise<unknown>, ms: number): Promise<boolean> {
  const completion = work.then(
    (result) => result !== false,
    // Errors are ignored, because the next request runs the work again.
    () => false,
  )
  return resultInTime(completion, ms, false)
}
