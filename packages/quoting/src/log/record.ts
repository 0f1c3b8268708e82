/** A quote as the log has it: what was asked of the search, what it found, and the transaction that was made of it. */
import { createHash } from 'node:crypto'
import { type FoundRecord, families } from '@sluice/liquidity'
import { buildGraph, encodeSwap, findRoute, type Route } from '@sluice/routing'
import type { Made } from '../quote/made.ts'
import type { SwapTerms } from '../quote/try-route.ts'
import { plain, requestOfReplay } from '../search/replay.ts'

type Shared = 'trust' | 'taxes' | 'haircuts' | 'learnedGas'
/** Parts that many searches are told alike, by the hash of its text. */
export type Parts = { readonly [Name in Shared]?: string }

type Record = {
  /** When it was made, as ISO 8601 has it. */
  readonly at: string
  readonly from: string
  readonly request: object
  readonly parts: Parts
  /** Absent where the search's best route was taken. */
  readonly rival?: number
  readonly route: object
  readonly terms: object
  readonly amountOut: string
  readonly data: string
}

export type Replayed = {
  readonly at: string
  readonly block: number
  readonly amountIn: bigint
  /** Amount that the sender was told to receive. */
  readonly amountOut: bigint
  readonly minOutput: bigint
  readonly data: string
  /** As the search finds it now; null where it finds none. */
  readonly route: Route | null
  /** Values that are not what they were; none where route and transaction are the same, bit for bit. */
  readonly differences: readonly string[]
}

const texts = new WeakMap<object, { readonly hash: string; readonly text: string }>()

/** A part with the hash that it goes by; worked out once for each object. */
export function partOf(shared: object): { readonly hash: string; readonly text: string } {
  let known = texts.get(shared)
  if (!known) {
    const text = JSON.stringify(plain(shared))
    known = { text, hash: createHash('sha256').update(text).digest('base64url') }
    texts.set(shared, known)
  }
  return known
}

export function recordOf({ quote, from, sought, rival, terms }: Made, at: number): string {
  const { trust, taxes, haircuts, learnedGas, ...request } = sought
  const shared = Object.entries({ trust, taxes, haircuts, learnedGas })
  const record: Record = {
    at: new Date(at).toISOString(),
    from,
    request: plain(request) as object,
    parts: Object.fromEntries(shared.flatMap(([name, part]) => (part ? [[name, partOf(part).hash]] : []))),
    ...(rival > 0 && { rival }),
    route: plainRoute(quote.route),
    terms: plain(terms) as object,
    amountOut: String(quote.amountOut),
    data: quote.swap.data,
  }
  return JSON.stringify(record)
}

/** Makes a quote again out of its record and the pools of its block. */
export function replayRecord({ text, snapshot, partOf: part }: FoundRecord): Replayed {
  const record = JSON.parse(text) as Record
  // Kept as long as the youngest record that uses them.
  const shared = Object.entries(record.parts).map(([name, hash]) => [name, JSON.parse(part(hash)!)])
  const request = { ...record.request, ...Object.fromEntries(shared) }
  const result = findRoute(buildGraph(snapshot), requestOfReplay(JSON.stringify(request)))
  const route = result.ok ? ([result.route, ...(result.rivals ?? [])][record.rival ?? 0] ?? null) : null
  const terms = termsOf(record.terms)
  const swap =
    route && encodeSwap({ ...terms, route, families: new Map(families.map((family) => [family.id, family])) })
  const differences = route ? unlike(record.route, plainRoute(route)) : ['there is no route']
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

/** Pools by their ids: the block has them. */
function plainRoute(route: Route): object {
  return plain({ ...route, legs: route.legs.map((leg) => ({ ...leg, pool: leg.pool.id })) }) as object
}

function termsOf(plainTerms: object): SwapTerms {
  const terms = plainTerms as { readonly [name: string]: string }
  const amounts = ['minOutput', 'deadline', 'feePpm'].map((name) => [name, BigInt(terms[name]!)])
  return { ...terms, ...Object.fromEntries(amounts) } as SwapTerms
}

function unlike(before: object, after: object): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const textOf = (of: object, name: string) => JSON.stringify((of as { [name: string]: unknown })[name])
  // A bound that there was no time for is no difference.
  const isTold = (name: string) => name !== 'optimalityGapNetBps' || textOf(before, name) !== 'null'
  return [...names].filter((name) => isTold(name) && textOf(before, name) !== textOf(after, name))
}
