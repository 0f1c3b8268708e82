/** Converts search requests to JSON and back, for logs and replays. */
import type { Address } from '@sluice/chains'
import type { Snapshot } from '@sluice/liquidity'
import type { ExactOutputRequest, RouteRequest, Taxes } from '@sluice/routing'

/** Describes a search for the log so that it can be replayed: the request, and the block of the pools. */
export function replayOf({ chainId, block, pools }: Snapshot, request: RouteRequest | ExactOutputRequest) {
  return { chainId, block: block.number, blockHash: block.hash, pools: pools.size, request: toPlainJson(request) }
}

/** Converts a value to JSON types: amounts become strings, sets and maps become arrays. */
export function toPlainJson(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Set) return [...value]
  if (Array.isArray(value)) return value.map(toPlainJson)
  if (value instanceof Map) return Array.from(value, ([key, entry]) => [key, toPlainJson(entry)])
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, toPlainJson(entry)]))
}

/** Request fields, at any depth, that are sets. */
const SET_FIELDS: ReadonlySet<string> = new Set([
  ...['excludePools', 'executable', 'include', 'exclude'],
  ...['tokens', 'accounts', 'pools'],
])
/** Request fields that are amounts. */
const AMOUNT_FIELDS: ReadonlySet<string> = new Set(['amountIn', 'amountOut', 'gasPriceWei', 'maxInput'])

/** Parses a logged search request. @param text - JSON of the log's `replay.request` */
export function requestOfReplay(text: string): RouteRequest | ExactOutputRequest {
  return JSON.parse(text, (key, value: unknown) => {
    if (AMOUNT_FIELDS.has(key)) return BigInt(value as string)
    if (SET_FIELDS.has(key)) return new Set(value as readonly string[])
    if (key === 'inPool') return new Map(value as [string, never][])
    if (key === 'driftPenalties' || key === 'learnedGas') return new Map(value as [string, never][])
    if (key === 'taxes') return new Map(value as [Address, never][]) satisfies Taxes
    return value
  }) as RouteRequest | ExactOutputRequest
}
