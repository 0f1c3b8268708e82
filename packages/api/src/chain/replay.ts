import type { Snapshot } from '@sluice/liquidity'
import type { RouteRequest } from '@sluice/routing'

/** What a log line needs to say of a search, so that it can be made again: the request, and the pools by their block. */
export function replayOf({ chainId, block, pools }: Snapshot, request: RouteRequest) {
  return { chainId, block: block.number, blockHash: block.hash, pools: pools.size, request: plain(request) }
}

/** As JSON can say it: amounts as text, sets and maps as lists. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Set) return [...value]
  if (value instanceof Map) return Array.from(value, ([key, held]) => [key, plain(held)])
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, plain(held)]))
}
