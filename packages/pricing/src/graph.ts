import { type Address, type Chain, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import { type PoolView, viewPool } from './pool-view.ts'

/** Pools as edges between numbered tokens, in flat arrays: a pass over 100,000 pools stays below a second. */
export type TokenGraph = {
  readonly tokens: readonly Address[]
  readonly idOf: ReadonlyMap<Address, number>
  /** One edge per pair of tokens of a pool: between `a[e]` and `b[e]`. */
  readonly a: Int32Array
  readonly b: Int32Array
  /** Base units of b per base unit of a. */
  readonly mid: Float64Array
  /** What stands behind `mid`: base units of the token named, never more than the pool really holds of it. */
  readonly backingA: Float64Array
  readonly backingB: Float64Array
  /** Edges of token t: `edges[first[t]]` up to before `edges[first[t + 1]]`. */
  readonly first: Int32Array
  readonly edges: Int32Array
  readonly holdings: readonly Holding[]
}

/** A pool's tokens by number, and what it holds of each in base units. */
export type Holding = { readonly pool: Pool; readonly tokens: readonly number[]; readonly reserves: readonly number[] }

/** Pools hold the native asset as the zero address; it is worth exactly its wrapper, so both are one token here. */
export function canonical(token: Address, chain: Chain): Address {
  if (token !== NATIVE && token !== ZERO_ADDRESS) return token
  return chain.wrappedNative?.address ?? ZERO_ADDRESS
}

export function buildGraph(pools: Iterable<Pool>, chain: Chain): TokenGraph {
  const idOf = new Map<Address, number>()
  const tokens: Address[] = []
  const idFor = (address: Address) => {
    const token = canonical(address, chain)
    let id = idOf.get(token)
    if (id === undefined) {
      id = tokens.length
      idOf.set(token, id)
      tokens.push(token)
    }
    return id
  }

  const holdings: Holding[] = []
  const views: PoolView[] = []
  let pairs = 0
  for (const pool of pools) {
    const view = viewPool(pool)
    // The native token and its wrapper are one here.
    if (view === null || pool.family === 'wrapped-native') continue
    holdings.push({ pool, tokens: pool.tokens.map(idFor), reserves: view.reserves })
    views.push(view)
    pairs += view.pairs.length
  }

  const a = new Int32Array(pairs)
  const b = new Int32Array(pairs)
  const mid = new Float64Array(pairs)
  const backingA = new Float64Array(pairs)
  const backingB = new Float64Array(pairs)
  const first = new Int32Array(tokens.length + 1)
  let edge = 0
  for (let p = 0; p < holdings.length; p++) {
    const { tokens: ids, reserves } = holdings[p]!
    for (const pair of views[p]!.pairs) {
      a[edge] = ids[pair.i]!
      b[edge] = ids[pair.j]!
      mid[edge] = pair.mid
      backingA[edge] = Math.min(reserves[pair.i]!, pair.resistance / pair.mid)
      backingB[edge] = Math.min(reserves[pair.j]!, pair.resistance)
      first[a[edge]! + 1]!++
      first[b[edge]! + 1]!++
      edge++
    }
  }
  for (let t = 0; t < tokens.length; t++) first[t + 1]! += first[t]!
  const next = first.slice()
  const edges = new Int32Array(2 * pairs)
  for (let e = 0; e < pairs; e++) {
    edges[next[a[e]!]!++] = e
    edges[next[b[e]!]!++] = e
  }
  return { tokens, idOf, a, b, mid, backingA, backingB, first, edges, holdings }
}
