/** Counts round trips to the node. */

/** An RPC client with the count of its round trips. Requests that overlap in time count as one round trip. */
export type RoundTripCounter<T> = { readonly rpc: T; roundTrips(): number }

/**
 * Counts the round trips of an RPC client.
 *
 * @param rpc - object whose methods are requests
 */
export function countRoundTrips<T extends object>(rpc: T): RoundTripCounter<T> {
  let trips = 0
  let openRequests = 0
  const countingRpc = new Proxy(rpc, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return async (...args: unknown[]) => {
        if (openRequests++ === 0) trips++
        try {
          return await (value as (...args: unknown[]) => Promise<unknown>).apply(target, args)
        } finally {
          openRequests--
        }
      }
    },
  })
  return { rpc: countingRpc, roundTrips: () => trips }
}
