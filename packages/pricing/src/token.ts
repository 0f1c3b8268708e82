/**
 * Data types of a `TokenGraph`: tokens, pools, and the rates between them. The fields are also read and written by
 * `TokenPricer` (prices) and `TokenLevels` (levels).
 */
import type { Address } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'

/** Numbers stored per edge in `PricedToken.edgeData`. */
export const EDGE_FIELDS = 3
/** Positions, after `rate`, of the `backing` of an edge and of its reverse edge. */
export const BACKING = 1
export const REVERSE_BACKING = 2

/** Token with its pools and cached price. */
export type PricedToken = {
  readonly address: Address
  /** True if the chain's configuration file lists the token. Its liquidity then counts in full. */
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
  /** Number of edges with a price jump (`rateBeforeJump` is set). */
  jumpedEdgeCount: number
  /** Pools with another listed token; undefined while the token has few enough pools to filter them each time. */
  listedPools: Set<PricedPool> | undefined
  /**
   * Position in the order in which tokens price each other: see `token-levels.ts`. 0 if no path of pools leads to an
   * anchor (a stable that counts as one dollar).
   */
  level: number
  /** Approximate USD price per base unit, with which pools are weighed for levels. */
  referencePrice: number
  /** Level at which the token is queued in `TokenLevels`; 0 if it is not queued. */
  queuedLevel: number
  /** `level` as of the last complete update. Only tokens with a higher `finalLevel` price this token. */
  finalLevel: number
  /** USD per base unit, cached by `TokenPricer`; valid if `priceVersion` is the current version of the pricer. */
  price: number
  /** USD liquidity behind the price, cached like `price`. */
  evidence: number
  /** Version of the pricer for which `price` and `evidence` were computed. */
  priceVersion: number
  /** Price from the rates before the jumps; set if only pools that jumped price the token now. */
  priceBeforeJump: TokenPrice | undefined
  /** Pool that was deep enough for a price on its own; checked first. */
  sufficientPool: PricedPool | undefined
  /** Index of the edge with the most weight; -1 for tokens without a price or priced by `HubPricer`. */
  bestEdgeIndex: number
  /** True if the token's pools are deep enough for a price; valid if `deepVersion` is the pricer's current version. */
  isDeep: boolean
  deepVersion: number
  /** True if a test sale of the token failed. Such a token has no level and no price, so it prices no other token. */
  isUnsellable: boolean
}

/**
 * Price in USD per base unit. `evidence` is the USD liquidity of the deepest pool behind the price; infinite for
 * anchors.
 */
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

/** Returns the rate of an edge before its jump of this block, if there was one; otherwise the current rate. */
export const rateWithoutJump = (edge: PriceEdge): EdgeRate => edge.rateBeforeJump ?? edge

/** Exchange rate of a pool between two tokens. */
export type EdgeRate = {
  /** Base units of the other token per base unit of the token. */
  readonly rate: number
  /** Liquidity behind the rate, in base units of the other token. */
  readonly backing: number
}

/**
 * Rate of a pool from one token to another. The numbers of an edge are stored in its token, next to the numbers of the
 * token's other edges.
 */
export class PriceEdge implements EdgeRate {
  // Only declared, because class field initializers are slow and there are hundreds of thousands of edges.
  /** Token that is priced through this edge. */
  declare readonly token: PricedToken
  /** Token whose price determines the price of `token`. */
  declare readonly otherToken: PricedToken
  declare readonly pricedPool: PricedPool
  /** Rate before the first change in block `stampedBlock`; undefined if it never changed. */
  declare previousRate: EdgeRate | undefined
  declare stampedBlock: number
  /** Index in the edges of `token`; -1 if detached. */
  declare index: number
  /** Edge of the same pool in the other direction. */
  declare reverse: PriceEdge
  declare private storedRateBeforeJump: EdgeRate | undefined

  constructor(pricedPool: PricedPool, token: PricedToken, otherToken: PricedToken) {
    this.token = token
    this.otherToken = otherToken
    this.pricedPool = pricedPool
    this.previousRate = undefined
    this.stampedBlock = -1
    this.index = -1
    this.reverse = this
    this.storedRateBeforeJump = undefined
  }

  get rate(): number {
    return this.token.edgeData[EDGE_FIELDS * this.index]!
  }

  get backing(): number {
    return this.token.edgeData[EDGE_FIELDS * this.index + BACKING]!
  }

  /** Rate before the jump, if the rate jumped in this block; otherwise undefined. @see PoolHistory.rateBeforeJump */
  get rateBeforeJump(): EdgeRate | undefined {
    return this.storedRateBeforeJump
  }

  set rateBeforeJump(rate: EdgeRate | undefined) {
    this.token.jumpedEdgeCount += (rate ? 1 : 0) - (this.storedRateBeforeJump ? 1 : 0)
    this.storedRateBeforeJump = rate
  }

  /**
   * Sets the rate.
   *
   * @param tokenBacking - base units of the token itself, which back the reverse edge
   */
  setRate(rate: number, backing: number, tokenBacking: number): void {
    const { edgeData } = this.token
    const offset = EDGE_FIELDS * this.index
    edgeData[offset] = rate
    edgeData[offset + BACKING] = backing
    edgeData[offset + REVERSE_BACKING] = tokenBacking
  }

  attach(rate: number, backing: number, tokenBacking: number): void {
    const { edges, otherTokens, edgeData } = this.token
    this.index = edges.push(this) - 1
    otherTokens.push(this.otherToken)
    edgeData.push(rate, backing, tokenBacking)
  }

  /** Removes the edge by moving the token's last edge into its place. */
  detach(): void {
    this.rateBeforeJump = undefined
    const { edges, otherTokens, edgeData } = this.token
    const [lastEdge, otherToken] = [edges.pop()!, otherTokens.pop()!]
    const [tokenBacking, backing, rate] = [edgeData.pop()!, edgeData.pop()!, edgeData.pop()!]
    const { index } = this
    this.index = -1
    if (lastEdge === this) return
    edges[index] = lastEdge
    otherTokens[index] = otherToken
    lastEdge.index = index
    lastEdge.setRate(rate, backing, tokenBacking)
  }
}
