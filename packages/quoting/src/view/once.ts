import { Bounded } from '@sluice/simulation'

/** Runs a work at most once and shares its result; a failure is shared by those who wait, and then forgotten. */
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

/** Keys are a caller's choice, and results may be 48 kB each. */
const MAX_KEYS = 500

/** Runs a work once for each of the keys used last, as `once` does. */
export function memo<K extends string, T>(work: (key: K) => Promise<T>): (key: K) => Promise<T> {
  const works = new Bounded<K, () => Promise<T>>(MAX_KEYS)
  return (key) => {
    let run = works.get(key)
    if (!run) {
      run = once(() => work(key))
      works.set(key, run)
    }
    return run()
  }
}
