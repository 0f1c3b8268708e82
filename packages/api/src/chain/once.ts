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

/** Runs a work at most once for each key, as `once` does. */
export function memo<K, T>(work: (key: K) => Promise<T>): (key: K) => Promise<T> {
  const works = new Map<K, () => Promise<T>>()
  return (key) => {
    let run = works.get(key)
    if (!run) {
      run = once(() => work(key))
      works.set(key, run)
    }
    return run()
  }
}
