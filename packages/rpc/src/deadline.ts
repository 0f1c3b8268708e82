/**
 * Runs a work until the time limit or until one of the signals aborts, whichever comes first. Nothing of it is left behind:
 * `AbortSignal.timeout` would keep its timer to the end and then tell everyone, and `AbortSignal.any` is as dear.
 *
 * @param work - ends early only as far as it listens to its signal
 */
export async function withDeadline<T>(
  ms: number,
  signals: readonly (AbortSignal | undefined)[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const expire = () => controller.abort(new DOMException('the time is up', 'TimeoutError'))
  const given = signals.filter((signal) => signal !== undefined)
  const follow = () => controller.abort(given.find(({ aborted }) => aborted)?.reason)
  const timer = setTimeout(expire, ms)
  for (const signal of given) signal.addEventListener('abort', follow)
  if (given.some(({ aborted }) => aborted)) follow()
  try {
    return await work(controller.signal)
  } finally {
    clearTimeout(timer)
    for (const signal of given) signal.removeEventListener('abort', follow)
  }
}
