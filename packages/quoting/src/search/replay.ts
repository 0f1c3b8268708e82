import type { Address } from '@sluice/chains'
import type { Snapshot } from '@sluice/liquidity'
import type { ExactOutputRequest, RouteRequest, Taxes } from '@sluice/routing'

/** Facts of a search for a log line, so that it can be made again: the request, and the pools by their block. */
export function replayOf({ chainId, block, pools }: Snapshot, request: RouteRequest | ExactOutputRequest) {
  return { chainId, block: block.number, blockHash: block.hash, pools: pools.size, request: plain(request) }
}

/** As JSON can say it: amounts as text, sets and maps as lists. */
export function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Set) return [...value]
  if (Array.isArray(value)) return value.map(plain)
  if (value instanceof Map) return Array.from(value, ([key, held]) => [key, plain(held)])
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, plain(held)]))
}

/** Fields of a request, or of a part of it, that are a set. */
const SETS: ReadonlySet<string> = new Set([
  ...['excludePools', 'executable', 'include', 'exclude'],
  ...['tokens', 'accounts', 'pools'],
])
const AMOUNTS: ReadonlySet<string> = new Set(['amountIn', 'amountOut', 'gasPriceWei'])

/** The request of a log line, as it was searched. @param text - what stands in the line under `replay` and `request`, as JSON */
export function requestOfReplay(text: string): RouteRequest | ExactOutputRequest {
  return JSON.parse(text, (key, value: unknown) => {
    if (AMOUNTS.has(key)) return BigInt(value as string)
    if (SETS.has(key)) return new Set(value as readonly string[])
    if (key === 'inPool') return new Map(value as [string, never][])
    if (key === 'haircuts' || key === 'learnedGas') return new Map(value as [string, never][])
    if (key === 'taxes') return new Map(value as [Address, never][]) satisfies Taxes
    return value
  }) as RouteRequest | ExactOutputRequest
}
