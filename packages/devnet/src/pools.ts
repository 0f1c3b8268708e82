/**
 * Forms in which DEXes of the local chain list their pools. Depths and prices differ on purpose, so that good routes split and
 * hop; but no pool is off the list price by more than its fee, so that no cycle gains, and quotes know their bound. Any two
 * tokens are at most four pools of Uniswap's V2 and V3 kind apart, and each has such a pool with a hub of the chain.
 */
import type { TokenSymbol } from './tokens.ts'

export type PoolSpec = {
  readonly pair: readonly [TokenSymbol, TokenSymbol]
  /** Dollars on both sides together. */
  readonly dollars: bigint
  /** Discount of the second token against its list price, in basis points. */
  readonly skewBps: bigint
}

/** `fee` in parts per million, as the factory counts it. */
export type TieredPoolSpec = PoolSpec & { readonly fee: number }

export const pool = (a: TokenSymbol, b: TokenSymbol, dollars: bigint, skewBps = 0n): PoolSpec => ({
  pair: [a, b],
  dollars,
  skewBps,
})
export const tiered = (a: TokenSymbol, b: TokenSymbol, fee: number, dollars: bigint, skewBps = 0n): TieredPoolSpec => ({
  ...pool(a, b, dollars, skewBps),
  fee,
})

export type StablePoolSpec = {
  readonly tokens: readonly TokenSymbol[]
  /** Dollars of each token; unequal, so that prices are. */
  readonly dollars: readonly bigint[]
  readonly amplification: bigint
  readonly feePpm: number
}

export type WeightedPoolSpec = {
  readonly tokens: readonly TokenSymbol[]
  readonly weightsPercent: readonly bigint[]
  /** On all sides together, shared by weight. */
  readonly dollars: bigint
  readonly feePpm: number
}

/** Fees are those of the kind unless the pool has one of its own. */
export type FeeOverride = { readonly ownFeePpm?: number }

export type LendingReserveSpec = {
  readonly asset: 'USDC' | 'DAI'
  /** Name of its aToken, which is none of the list of tokens. */
  readonly aToken: 'AUSDC' | 'ADAI'
  readonly dollars: bigint
}
