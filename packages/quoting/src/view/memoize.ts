/** Memoizes asynchronous work. */
import { BoundedMap } from '@sluice/simulation'

/**
 * Runs the work at most once and shares its result. A failure reaches current callers, and the next call runs the work
 * again.
 */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= work().catch((error: unknown) => {
      result = undefined
      throw error
    })
    return result
  }
}

/** Maximum keys, since callers choose them and results may have 48 kB. */
const MAX_KEYS = 500

/** Applies `once` to each key; results of the least recently used keys are dropped. */
export function memoizeByKey<K extends string, T>(work: (key: K) => Promise<T>): (key: K) => Promise<T> {
  const memoized = new BoundedMap<K, () => Promise<T>>(MAX_KEYS)
  return (key) => {
    let run = memoized.get(key)
    if (!run) {
      run = once(() => work(key))
      memoized.set(key, run)
    }
    return run()
  }
}
