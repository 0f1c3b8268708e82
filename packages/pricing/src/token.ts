/** Data types of a `TokenGraph`: tokens, pools, and the rates between them. */
import type { Address } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'

/** Numbers stored per edge in `Token.edgeData`. */
export const EDGE_FIELDS = 3

/** Token with its pools and cached price. */
export type PricedToken = {
  readonly address: Address
  /** True if the chain's file lists the token: its liquidity counts in full. */
  readonly isListed: boolean
  /** Pools that hold the token, without duplicates, unordered. */
  readonly pricedPools: PricedPool[]
  /**
   * Edges to other tokens, one per pool and pair, unordered. `otherTokens` and `edgeData` hold their data in contiguous
   * arrays, because memory access dominates the cost of a price.
   */
  readonly edges: PriceEdge[]
  readonly otherTokens: PricedToken[]
  /** `rate`, `backing`, and the `backing` of the reverse edge, for each edge: `EDGE_FIELDS` numbers. */
  readonly edgeData: number[]
  /** Number of edges with a price jump (`before` is set). */
  jumpedEdges: number
  /** Pools that hold another listed token; only set once the token has too many pools to filter each time. */
  listedPools: Set<PricedPool> | undefined
  /** Level and reference price: see `TokenLevels`. */
  level: number
  reference: number
  /** Queue key of pending work in `TokenLevels`; 0 if none. */
  queueKey: number
  /** `level` as of the last complete update: only tokens of a higher order price this one. */
  order: number
  /** Cached price of `TokenPricer`, valid for `version`. */
  price: number
  evidence: number
  version: number
  /** Price of the previous block, if only jumped pools price the token now. */
  before: TokenPrice | undefined
  /** Pool that was deep enough for a price on its own; checked first. */
  proof: PricedPool | undefined
  /** Index of the edge with the most weight; -1 for hubs, stables, and tokens without a price. */
  best: number
  /** Cached by `TokenPricer.cachedIsDeep` for `deepVersion`. */
  isDeep: boolean
  deepVersion: number
}

/** Price in USD per base unit. `evidence`: USD behind it, from the best backed pool; infinite for anchors. */
export type TokenPrice = { readonly price: number; readonly evidence: number }

/** Pool with its reserves and edges. */
export type PricedPool = {
  pool: Pool
  reserves: readonly number[]
  /** Fee: see `PoolView`. */
  fee: number
  readonly tokens: readonly PricedToken[]
  edges: readonly PriceEdge[]
}

/** Returns the rate of an edge that counts when other pools price the token too: the previous one if it jumped. */
export const stableRate = (edge: PriceEdge): EdgeRate => edge.rateBeforeJump ?? edge

/** Exchange rate of a pool between two tokens. */
export type EdgeRate = {
  /** Base units of the other token per base unit of the token. */
  readonly rate: number
  /** Base units of the other token behind the rate. */
  readonly backing: number
}

/**
 * Rate of a pool from one token to another. Its numbers are stored in the token, next to the numbers of the token's
 * other pools.
 */
export class PriceEdge implements EdgeRate {
  // Only declared, because class field initializers are slow and there are hundreds of thousands of edges.
  declare readonly token: PricedToken
  /** Token that prices `token` through this edge. */
  declare readonly otherToken: PricedToken
  declare readonly pricedPool: PricedPool
  /** Rate before the first change in block `stamp`; undefined if unchanged. */
  declare previousRate: EdgeRate | undefined
  declare stampedBlock: number
  /** Index in the edges of `token`; -1 if detached. */
  declare index: number
  /** PriceEdge of the same pool in the other direction. */
  declare reverse: PriceEdge
  declare private rateBefore: EdgeRate | undefined

  constructor(pricedPool: PricedPool, token: PricedToken, otherToken: PricedToken) {
    this.token = token
    this.otherToken = otherToken
    this.pricedPool = pricedPool
    this.previousRate = undefined
    this.stampedBlock = -1
    this.index = -1
    this.reverse = this
    this.rateBefore = undefined
  }

  get rate(): number {
    return this.token.edgeData[EDGE_FIELDS * this.index]!
  }

  get backing(): number {
    return this.token.edgeData[EDGE_FIELDS * this.index + 1]!
  }

  /** Rate in the previous block, if this block made it jump. */
  get rateBeforeJump(): EdgeRate | undefined {
    return this.rateBefore
  }

  set rateBeforeJump(rate: EdgeRate | undefined) {
    this.token.jumpedEdges += (rate ? 1 : 0) - (this.rateBefore ? 1 : 0)
    this.rateBefore = rate
  }

  /**
   * Sets the rate.
   *
   * @param ownBacking - base units of the token itself, which back the reverse edge
   */
  setRate(rate: number, backing: number, ownBacking: number): void {
    const { edgeData } = this.token
    const offset = EDGE_FIELDS * this.index
    edgeData[offset] = rate
    edgeData[offset + 1] = backing
    edgeData[offset + 2] = ownBacking
  }

  attach(rate: number, backing: number, ownBacking: number): void {
    const { edges, otherTokens, edgeData } = this.token
    this.index = edges.push(this) - 1
    otherTokens.push(this.otherToken)
    edgeData.push(rate, backing, ownBacking)
  }

  /** Removes the edge by moving the token's last edge into its place. */
  detach(): void {
    this.rateBeforeJump = undefined
    const { edges, otherTokens, edgeData } = this.token
    const [lastEdge, otherToken] = [edges.pop()!, otherTokens.pop()!]
    const [ownBacking, backing, rate] = [edgeData.pop()!, edgeData.pop()!, edgeData.pop()!]
    const { index } = this
    this.index = -1
    if (lastEdge === this) return
    edges[index] = lastEdge
    otherTokens[index] = otherToken
    lastEdge.index = index
    lastEdge.setRate(rate, backing, ownBacking)
  }
}
