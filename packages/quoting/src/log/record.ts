/**
 * Encodes a quote (search request, route, and transaction) as text for the quote log, and replays it. A snapshot holds
 * the pools at one block.
 */
import { createHash } from 'node:crypto'
import { type FoundRecord, families } from '@sluice/liquidity'
import { buildGraph, encodeSwap, findRoute, type RoutePlan } from '@sluice/routing'
import type { QuoteRecord } from '../quote/quote-record.ts'
import type { EncodeTerms } from '../quote/try-route.ts'
import { requestOfReplay, toPlainJson } from '../search/replay.ts'

type SharedField = 'trust' | 'taxes' | 'driftPenalties' | 'learnedGas'
/** Hashes of the values of those request fields that have the same value in many requests. Each value is stored once. */
export type SharedHashes = { readonly [Name in SharedField]?: string }

type StoredQuote = {
  /** Time of the quote in ISO 8601. */
  readonly at: string
  readonly from: string
  readonly request: object
  readonly parts: SharedHashes
  /** Index of the chosen route among the simulated routes; absent for 0, the route that the search ranked first. */
  readonly rival?: number
  readonly route: object
  readonly terms: object
  readonly amountOut: string
  readonly data: string
}

/** Result of replaying a logged quote. */
export type ReplayResult = {
  /** Time of the quote in ISO 8601. */
  readonly at: string
  readonly block: number
  readonly amountIn: bigint
  /** Output in base units that was promised to the sender. */
  readonly amountOut: bigint
  readonly minOutput: bigint
  /** Calldata of the logged transaction. */
  readonly data: string
  /** Route that the search finds now; null if it finds none. */
  readonly route: RoutePlan | null
  /** Names of values that differ from the record; empty if route and transaction are identical. */
  readonly differences: readonly string[]
}

const encodedParts = new WeakMap<object, { readonly hash: string; readonly text: string }>()

/** Returns the text of a shared value and the hash of the text; computed once per object. */
export function encodePart(sharedPart: object): { readonly hash: string; readonly text: string } {
  let entry = encodedParts.get(sharedPart)
  if (!entry) {
    const text = JSON.stringify(toPlainJson(sharedPart))
    entry = { text, hash: createHash('sha256').update(text).digest('base64url') }
    encodedParts.set(sharedPart, entry)
  }
  return entry
}

/** Encodes a quote for the log. */
export function encodeRecord(
  { quote, from, searchRequest, alternativeIndex, terms }: QuoteRecord,
  recordedAt: number,
): string {
  const { trust, taxes, driftPenalties, learnedGas, ...request } = searchRequest
  const sharedParts = Object.entries({ trust, taxes, driftPenalties, learnedGas })
  const record: StoredQuote = {
    at: new Date(recordedAt).toISOString(),
    from,
    request: toPlainJson(request) as object,
    parts: Object.fromEntries(sharedParts.flatMap(([name, part]) => (part ? [[name, encodePart(part).hash]] : []))),
    ...(alternativeIndex > 0 && { rival: alternativeIndex }),
    route: plainRoute(quote.route),
    terms: toPlainJson(terms) as object,
    amountOut: String(quote.amountOut),
    data: quote.swap.data,
  }
  return JSON.stringify(record)
}

/** Searches a logged quote's route again in the pools of its block. */
export function replayRecord({ text, snapshot, sharedTextOf }: FoundRecord): ReplayResult {
  const record = JSON.parse(text) as StoredQuote
  // The file keeps a shared text as long as a record refers to it.
  const sharedParts = Object.entries(record.parts).map(([name, hash]) => [name, JSON.parse(sharedTextOf(hash)!)])
  const request = { ...record.request, ...Object.fromEntries(sharedParts) }
  const result = findRoute(buildGraph(snapshot), requestOfReplay(JSON.stringify(request)))
  const route = result.ok ? ([result.route, ...(result.alternatives ?? [])][record.rival ?? 0] ?? null) : null
  const terms = parseTerms(record.terms)
  const swap =
    route && encodeSwap({ ...terms, route, families: new Map(families.map((family) => [family.id, family])) })
  const differences = route ? differencesBetween(record.route, plainRoute(route)) : ['there is no route']
  if (swap && swap.data !== record.data) differences.push('data')
  return {
    at: record.at,
    block: snapshot.block.number,
    amountIn: BigInt((record.route as { amountIn: string }).amountIn),
    amountOut: BigInt(record.amountOut),
    minOutput: terms.minOutput,
    data: record.data,
    route,
    differences,
  }
}

/** Replaces pools by their ids, because the snapshot holds the pools. */
function plainRoute(route: RoutePlan): object {
  return toPlainJson({ ...route, legs: route.legs.map((leg) => ({ ...leg, pool: leg.pool.id })) }) as object
}

function parseTerms(plainTerms: object): EncodeTerms {
  const terms = plainTerms as { readonly [name: string]: string }
  const amounts = ['minOutput', 'deadline', 'feePpm'].map((name) => [name, BigInt(terms[name]!)])
  return { ...terms, ...Object.fromEntries(amounts) } as EncodeTerms
}

function differencesBetween(before: object, after: object): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const textOf = (object: object, name: string) => JSON.stringify((object as { [name: string]: unknown })[name])
  // Accept a recorded null, because the original search may have had no time to compute `optimalityGapNetBps`.
  const isComparable = (name: string) => name !== 'optimalityGapNetBps' || textOf(before, name) !== 'null'
  return [...names].filter((name) => isComparable(name) && textOf(before, name) !== textOf(after, name))
}
