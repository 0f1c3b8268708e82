/**
 * Assigns levels to tokens and updates them incrementally. Levels define which tokens price each other: a token prices
 * only tokens of lower levels. Anchors (stables that count as one dollar) have the highest level.
 *
 * Levels are USD amounts on a logarithmic scale with eight steps per doubling. The level of a token is the highest that
 * a path of pools from an anchor supports. Along a path, each token has the level of its pool's liquidity, but at least
 * one step less than the token before it (widest paths, M. Pollack, 1960; D. Knuth, "A generalization of Dijkstra's
 * algorithm", 1977). The liquidity of a pool is valued at the reference price of the token before it. A reference price
 * is the median price over the token's pools, rounded to the same scale. Steps are coarse, so levels rarely change when
 * prices move. An update ends at tokens whose level does not change.
 *
 * Because tokens price only tokens of lower levels, exactly one assignment of levels is consistent. So levels do not
 * depend on the order of changes. Inconsistent tokens are corrected from the highest level down, each at most twice (G.
 * Ramalingam and T. Reps, "An incremental algorithm for a generalization of the shortest-path problem", 1996).
 */
import type { Steps } from '@sluice/rpc'
import { weightedMedian } from './median.ts'
import {
  BACKING,
  EDGE_FIELDS,
  type PricedPool,
  type PricedToken,
  type PriceEdge,
  REVERSE_BACKING,
  rateWithoutJump,
  type TokenPrice,
} from './token.ts'

/** Number of levels per doubling of the USD amount. */
const STEPS_PER_DOUBLING = 8
/** USD amount of level 1. Lower than the minimum evidence of a price, because reference prices are rounded. */
const LOWEST_USD = 150
/** Level of anchors, above any evidence in USD. */
const TOP_LEVEL = 400

/** Number of steps from one dollar to level 1. */
const LOWEST_STEP = Math.floor(Math.log2(LOWEST_USD) * STEPS_PER_DOUBLING)

/** Returns the level of a USD amount; 0 if it is too small. */
function levelOf(usd: number): number {
  if (!(usd >= LOWEST_USD)) return 0
  return Math.min(TOP_LEVEL - 1, Math.floor(Math.log2(usd) * STEPS_PER_DOUBLING) - LOWEST_STEP + 1)
}

/** Returns the USD amount of a level. */
const usdOfLevel = (level: number) => 2 ** ((level - 1 + LOWEST_STEP) / STEPS_PER_DOUBLING)

/** USD amount of each level. */
const LEVEL_USD = Float64Array.from({ length: TOP_LEVEL + 1 }, (_, level) => usdOfLevel(level))
/** USD amount of the level above each level, less a rounding margin. */
const NEXT_LEVEL_USD = Float64Array.from({ length: TOP_LEVEL + 1 }, (_, level) => usdOfLevel(level + 1) * (1 - 1e-9))

/** Rounds a price to the logarithmic scale of the levels. */
const roundToScale = (price: number) => 2 ** (Math.round(Math.log2(price) * STEPS_PER_DOUBLING) / STEPS_PER_DOUBLING)

/** Tokens with a fixed level and reference price, such as anchors. All are listed in the chain's file. */
export type FixedLevels = ReadonlyMap<PricedToken, { readonly level: number; readonly referencePrice: number }>

/** Converts the prices of `HubPricer` to fixed levels. */
export function fixedLevelsOf(prices: ReadonlyMap<PricedToken, TokenPrice>): FixedLevels {
  return new Map(
    [...prices].map(([token, { price, evidence }]) => [
      token,
      {
        level: evidence === Number.POSITIVE_INFINITY ? TOP_LEVEL : levelOf(evidence),
        referencePrice: roundToScale(price),
      },
    ]),
  )
}

export class TokenLevels {
  private fixedLevels: FixedLevels = new Map()
  /**
   * Queued tokens by level. A token is queued at its old level or its possible new level, whichever is higher. An entry
   * at another level than `token.queuedLevel` is stale.
   */
  private readonly queue: PricedToken[][] = Array.from({ length: TOP_LEVEL + 1 }, () => [])
  private highestQueuedLevel = 0
  /** Tokens whose level or reference price changed since the last complete update; may contain duplicates. */
  private readonly changedTokens: PricedToken[] = []

  setFixedLevels(fixedLevels: FixedLevels): void {
    const oldFixedLevels = this.fixedLevels
    this.fixedLevels = fixedLevels
    for (const [token] of oldFixedLevels) if (!fixedLevels.has(token)) this.enqueue(token, token.level)
    for (const [token, { level }] of fixedLevels) this.enqueue(token, Math.max(token.level, level))
  }

  /** Queues the tokens of a pool that was added, changed, or removed. */
  enqueuePool({ tokens, edges }: PricedPool): void {
    for (const token of tokens) this.enqueue(token, token.level)
    for (const edge of edges) this.enqueue(edge.token, levelFromEdge(edge))
  }

  /** Queues a token that became sellable or unsellable. */
  enqueueToken(token: PricedToken): void {
    let maxLevel = token.level
    for (const edge of token.edges) maxLevel = Math.max(maxLevel, levelFromEdge(edge))
    this.enqueue(token, maxLevel)
  }

  /**
   * Processes queued tokens until all levels are consistent. More tokens may be queued between steps. `finalLevel`
   * changes only at the end.
   */
  *assignLevels(): Steps<void> {
    for (; this.highestQueuedLevel > 0; this.highestQueuedLevel--) {
      const level = this.highestQueuedLevel
      const bucket = this.queue[level]!
      for (let token = bucket.pop(); token; token = bucket.pop()) {
        if (token.queuedLevel !== level) continue
        token.queuedLevel = 0
        yield* this.reevaluate(token, level)
        // Tokens that were queued during a pause may have a higher level, so process them first.
        if (this.highestQueuedLevel > level) break
        yield
      }
      if (this.highestQueuedLevel > level) this.highestQueuedLevel++
    }
    for (const token of this.changedTokens) token.finalLevel = token.level
    this.changedTokens.length = 0
  }

  private enqueue(token: PricedToken, level: number): void {
    if (level <= token.queuedLevel) return
    token.queuedLevel = level
    this.queue[level]!.push(token)
    if (level > this.highestQueuedLevel) this.highestQueuedLevel = level
  }

  /**
   * Recomputes the level of one token, and queues the tokens that depend on it. All levels above `maxLevel` are final.
   * If the new level is lower than `maxLevel`, the token first gets level 0, and its new level when that level is
   * processed.
   */
  private *reevaluate(token: PricedToken, maxLevel: number): Steps<void> {
    const newState = (token.isListed ? this.fixedLevels.get(token) : undefined) ?? computeLevel(token)
    if (token.level === newState.level && Object.is(token.referencePrice, newState.referencePrice)) return
    if (newState.level > maxLevel || (token.level < maxLevel && newState.level < maxLevel))
      return this.enqueue(token, Math.max(token.level, newState.level))
    const isBelowMax = newState.level < maxLevel
    token.level = isBelowMax ? 0 : newState.level
    token.referencePrice = isBelowMax ? Number.NaN : newState.referencePrice
    this.changedTokens.push(token)
    if (isBelowMax) this.enqueue(token, newState.level)
    const { edges, otherTokens, edgeData } = token
    for (let k = 0; k < otherTokens.length; k++) {
      const otherToken = otherTokens[k]!
      if (otherToken.level < maxLevel) {
        // The other token gets its level through the reverse edge, whose backing is in the edge data of this token.
        const newLevel =
          otherToken.jumpedEdgeCount === 0
            ? levelFromBacking(edgeData[EDGE_FIELDS * k + REVERSE_BACKING]!, token)
            : levelFromEdge(edges[k]!.reverse)
        this.enqueue(otherToken, Math.max(otherToken.level, newLevel))
      }
      if (k % 1_000 === 999) yield
    }
  }
}

/**
 * Returns the level that a pool gives to a token. A pool whose price jumped gives the level of its liquidity before the
 * jump, or at most level 1 if it had none. So it can price a token that no other pool prices, but that token then
 * prices no other token.
 */
function levelFromEdge(edge: PriceEdge): number {
  const { otherToken } = edge
  if (otherToken.level === 0) return 0
  const level = levelFromBacking(rateWithoutJump(edge).backing, otherToken)
  if (level > 0 || edge.rateBeforeJump === undefined) return level
  return Math.min(1, levelFromBacking(edge.backing, otherToken))
}

/** Returns the level supported by an amount of base units of a token. */
function levelFromBacking(backing: number, { level, referencePrice }: PricedToken): number {
  return level === 0 ? 0 : Math.min(levelOf(backing * referencePrice), level - 1)
}

const NO_LEVEL = { level: 0, referencePrice: Number.NaN } as const

/** Prices and weights from which `computeLevel` computes a median. Reused to avoid garbage. */
const valueBuffer: number[] = []
const weightBuffer: number[] = []

/**
 * Computes level and reference price of a token from its pools with tokens of higher levels. A token that cannot be
 * sold has level 0.
 */
function computeLevel(token: PricedToken): { readonly level: number; readonly referencePrice: number } {
  if (token.isUnsellable) return NO_LEVEL
  const { edges, otherTokens, edgeData } = token
  const hasNoJumps = token.jumpedEdgeCount === 0
  let level = 0
  for (let k = 0; k < otherTokens.length; k++) {
    const otherToken = otherTokens[k]!
    // Most edges do not raise the level, so compare first, which saves the logarithm.
    if (otherToken.level <= level) continue
    const backing = edgeData[EDGE_FIELDS * k + BACKING]!
    if (hasNoJumps || edges[k]!.rateBeforeJump === undefined) {
      if (backing * otherToken.referencePrice >= NEXT_LEVEL_USD[level]!)
        level = Math.max(level, levelFromBacking(backing, otherToken))
    } else level = Math.max(level, levelFromEdge(edges[k]!))
  }
  if (level === 0) return NO_LEVEL
  valueBuffer.length = 0
  weightBuffer.length = 0
  for (let k = 0; k < otherTokens.length; k++) {
    const otherToken = otherTokens[k]!
    if (otherToken.level <= level) continue
    const rateBeforeJump = hasNoJumps ? undefined : edges[k]!.rateBeforeJump
    valueBuffer.push(otherToken.referencePrice * (rateBeforeJump ? rateBeforeJump.rate : edgeData[EDGE_FIELDS * k]!))
    weightBuffer.push(
      Math.min(
        (rateBeforeJump ? rateBeforeJump.backing : edgeData[EDGE_FIELDS * k + BACKING]!) * otherToken.referencePrice,
        LEVEL_USD[otherToken.level]!,
      ),
    )
  }
  return { level, referencePrice: roundToScale(weightedMedian(valueBuffer, weightBuffer)) }
}
