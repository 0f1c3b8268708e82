/** Count of a caller's waits for the node: requests that are under way together count as one round trip. */
export type Counted<T> = { readonly rpc: T; roundTrips(): number }

/** @param rpc - whose methods are requests */
export function countRoundTrips<T extends object>(rpc: T): Counted<T> {
  let trips = 0
  let open = 0
  const counted = new Proxy(rpc, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return async (...args: unknown[]) => {
        if (open++ === 0) trips++
        try {
          return await (value as (...args: unknown[]) => Promise<unknown>).apply(target, args)
        } finally {
          open--
        }
      }
    },
  })
  return { rpc: counted, roundTrips: () => trips }
}
