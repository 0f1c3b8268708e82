/**
 * Specifications of the local chain's pools. Depths and prices differ, so that good routes split and take several hops.
 * No pool deviates from the list price by more than its fee, so that no cycle gains and quotes have a bound. Any two
 * tokens are at most four Uniswap V2 or V3 pools apart. Each token has such a pool with a hub of the chain.
 */
import type { TokenSymbol } from './tokens.ts'

export type PoolSpec = {
  readonly pair: readonly [TokenSymbol, TokenSymbol]
  /** Dollars of both tokens together. */
  readonly dollars: bigint
  /** Discount of the second token against its list price, in basis points. */
  readonly skewBps: bigint
}

/** `fee` is in parts per million, the unit of the factory. */
export type TieredPoolSpec = PoolSpec & { readonly fee: number }

export const pool = (a: TokenSymbol, b: TokenSymbol, dollars: bigint, skewBps = 0n): PoolSpec => ({
  pair: [a, b],
  dollars,
  skewBps,
})
export const tieredPool = (
  a: TokenSymbol,
  b: TokenSymbol,
  fee: number,
  dollars: bigint,
  skewBps = 0n,
): TieredPoolSpec => ({
  ...pool(a, b, dollars, skewBps),
  fee,
})

export type StablePoolSpec = {
  readonly tokens: readonly TokenSymbol[]
  /** Dollars of each token. Amounts differ, so that prices do. */
  readonly dollars: readonly bigint[]
  readonly amplification: bigint
  readonly feePpm: number
}

export type WeightedPoolSpec = {
  readonly tokens: readonly TokenSymbol[]
  readonly weightsPercent: readonly bigint[]
  /** Dollars of all tokens together, divided by weight. */
  readonly dollars: bigint
  readonly feePpm: number
}

/** Custom fee of a pool. By default the fee is that of the pool's kind. */
export type FeeOverride = { readonly ownFeePpm?: number }

export type LendingReserveSpec = {
  readonly asset: 'USDC' | 'DAI'
  /** Name of the aToken, which is not in the token list. */
  readonly aToken: 'AUSDC' | 'ADAI'
  readonly dollars: bigint
}
