/**
 * Order in which tokens price each other, updated incrementally.
 *
 * Each token has a level: the evidence behind it on a logarithmic scale with eight steps per doubling. The best path
 * from an anchor determines the level. It is the evidence of the path's weakest pool, minus one step per pool (widest
 * paths, M. Pollack, 1960; D. Knuth, "A generalization of Dijkstra's algorithm", 1977). A pool is weighed by the
 * reference price of its other token: the median over that token's pools, rounded to the same scale. Steps are coarse,
 * so levels rarely change when prices move, and an update stops where no level changes.
 *
 * Tokens price only tokens of lower levels, so exactly one assignment of levels is consistent, for any order of
 * changes. Inconsistent tokens are corrected from the highest level down, each at most twice (G. Ramalingam and T.
 * Reps, "An incremental algorithm for a generalization of the shortest-path problem", 1996).
 */
import type { Steps } from '@sluice/rpc'
import { weightedMedian } from './median.ts'
import { EDGE_FIELDS, type PricedPool, type PricedToken, type PriceEdge, stableRate, type TokenPrice } from './token.ts'

/** Steps per doubling. */
const STEPS_PER_DOUBLING = 8
/** USD at level 1. Below the floor of prices, because reference prices are rounded. */
const LOWEST_USD = 150
/** Level of anchors, above any evidence in USD. */
const TOP_LEVEL = 400

const LOWEST_STEP = Math.floor(Math.log2(LOWEST_USD) * STEPS_PER_DOUBLING)

/** Returns the level of a USD amount; 0 if it is too small. */
function levelOf(usd: number): number {
  if (!(usd >= LOWEST_USD)) return 0
  return Math.min(TOP_LEVEL - 1, Math.floor(Math.log2(usd) * STEPS_PER_DOUBLING) - LOWEST_STEP + 1)
}

/** Returns the USD amount of a level. */
const usdOf = (level: number) => 2 ** ((level - 1 + LOWEST_STEP) / STEPS_PER_DOUBLING)

/** USD amount of each level. */
const LEVEL_USD = Float64Array.from({ length: TOP_LEVEL + 1 }, (_, level) => usdOf(level))
/** USD amount certainly below the next level, for each level. */
const STEP_USD = Float64Array.from({ length: TOP_LEVEL + 1 }, (_, level) => usdOf(level + 1) * (1 - 1e-9))

/** Rounds a price to the scale. */
const roundToScale = (price: number) => 2 ** (Math.round(Math.log2(price) * STEPS_PER_DOUBLING) / STEPS_PER_DOUBLING)

/** Tokens with a fixed level and reference price, such as anchors. All are listed in the chain's file. */
export type Sources = ReadonlyMap<PricedToken, { readonly level: number; readonly reference: number }>

/** Converts the prices of hubs and stables to sources. */
export function sourcesOf(prices: ReadonlyMap<PricedToken, TokenPrice>): Sources {
  return new Map(
    [...prices].map(([token, { price, evidence }]) => [
      token,
      { level: evidence === Number.POSITIVE_INFINITY ? TOP_LEVEL : levelOf(evidence), reference: roundToScale(price) },
    ]),
  )
}

/** Level and reference price of every token. */
export class TokenLevels {
  private sources: Sources = new Map()
  /**
   * Queued tokens by the highest level that they may have had or may get. Entries in other buckets than
   * `token.queueKey` are stale.
   */
  private readonly queue: PricedToken[][] = Array.from({ length: TOP_LEVEL + 1 }, () => [])
  private highest = 0
  /** Tokens whose level or reference changed; may contain duplicates. */
  private readonly changedTokens: PricedToken[] = []

  setSources(sources: Sources): void {
    const before = this.sources
    this.sources = sources
    for (const [token] of before) if (!sources.has(token)) this.enqueue(token, token.level)
    for (const [token, { level }] of sources) this.enqueue(token, Math.max(token.level, level))
  }

  /** Queues the tokens of a pool that was added, changed, or removed. */
  touch({ tokens, edges }: PricedPool): void {
    for (const token of tokens) this.enqueue(token, token.level)
    for (const edge of edges) this.enqueue(edge.token, contribution(edge))
  }

  /**
   * Processes queued tokens until all levels are consistent. May be interrupted, also by further changes; `order` only
   * changes at the end.
   */
  *assign(): Steps<void> {
    for (; this.highest > 0; this.highest--) {
      const level = this.highest
      const bucket = this.queue[level]!
      for (let token = bucket.pop(); token; token = bucket.pop()) {
        if (token.queueKey !== level) continue
        token.queueKey = 0
        yield* this.reevaluate(token, level)
        // Tokens queued during a pause may be higher; process those first.
        if (this.highest > level) break
        yield
      }
      if (this.highest > level) this.highest++
    }
    for (const token of this.changedTokens) token.order = token.level
    this.changedTokens.length = 0
  }

  private enqueue(token: PricedToken, key: number): void {
    if (key <= token.queueKey) return
    token.queueKey = key
    this.queue[key]!.push(token)
    if (key > this.highest) this.highest = key
  }

  /** Recomputes one token. All levels above `key` are final, and this step changes nothing at or above `key`. */
  private *reevaluate(token: PricedToken, key: number): Steps<void> {
    const target = (token.isListed ? this.sources.get(token) : undefined) ?? evaluate(token)
    if (token.level === target.level && Object.is(token.reference, target.reference)) return
    if (target.level > key || (token.level < key && target.level < key))
      return this.enqueue(token, Math.max(token.level, target.level))
    const isLower = target.level < key
    token.level = isLower ? 0 : target.level
    token.reference = isLower ? Number.NaN : target.reference
    this.changedTokens.push(token)
    if (isLower) this.enqueue(token, target.level)
    const { edges, otherTokens, edgeData } = token
    for (let k = 0; k < otherTokens.length; k++) {
      const otherToken = otherTokens[k]!
      if (otherToken.level < key) {
        // The backing of the reverse edge is stored in the token's own edge data.
        const newLevel =
          otherToken.jumpedEdges === 0
            ? levelBy(edgeData[EDGE_FIELDS * k + 2]!, token)
            : contribution(edges[k]!.reverse)
        this.enqueue(otherToken, Math.max(otherToken.level, newLevel))
      }
      if (k % 1_000 === 999) yield
    }
  }
}

/**
 * Returns the level that a pool gives to a token. A pool whose price jumped gives at most the level of the previous
 * block, or level 1 if there was none. So it may price a token that no other pool prices, but it does not support
 * further tokens.
 */
function contribution(edge: PriceEdge): number {
  const { otherToken } = edge
  if (otherToken.level === 0) return 0
  const level = levelBy(stableRate(edge).backing, otherToken)
  if (level > 0 || edge.rateBeforeJump === undefined) return level
  return Math.min(1, levelBy(edge.backing, otherToken))
}

/** Returns the level supported by an amount of base units of a token. */
function levelBy(backing: number, { level, reference }: PricedToken): number {
  return level === 0 ? 0 : Math.min(levelOf(backing * reference), level - 1)
}

const values: number[] = []
const weights: number[] = []

/** Computes level and reference price of a token from its pools with tokens of higher levels. */
function evaluate(token: PricedToken): { readonly level: number; readonly reference: number } {
  const { edges, otherTokens, edgeData } = token
  const hasNoJumps = token.jumpedEdges === 0
  let level = 0
  for (let k = 0; k < otherTokens.length; k++) {
    const otherToken = otherTokens[k]!
    // Most edges do not raise the level; skip the logarithm for those.
    if (otherToken.level <= level) continue
    const backing = edgeData[EDGE_FIELDS * k + 1]!
    if (hasNoJumps || edges[k]!.rateBeforeJump === undefined) {
      if (backing * otherToken.reference >= STEP_USD[level]!) level = Math.max(level, levelBy(backing, otherToken))
    } else level = Math.max(level, contribution(edges[k]!))
  }
  if (level === 0) return { level: 0, reference: Number.NaN }
  values.length = 0
  weights.length = 0
  for (let k = 0; k < otherTokens.length; k++) {
    const otherToken = otherTokens[k]!
    if (otherToken.level <= level) continue
    const before = hasNoJumps ? undefined : edges[k]!.rateBeforeJump
    values.push(otherToken.reference * (before ? before.rate : edgeData[EDGE_FIELDS * k]!))
    weights.push(
      Math.min(
        (before ? before.backing : edgeData[EDGE_FIELDS * k + 1]!) * otherToken.reference,
        LEVEL_USD[otherToken.level]!,
      ),
    )
  }
  return { level, reference: roundToScale(weightedMedian(values, weights)) }
}
