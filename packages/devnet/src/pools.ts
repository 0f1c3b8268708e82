/**
 * Types of the pool specifications in `dexes/`, which keep these rules. Depths and prices differ, so that good routes
 * split and take several hops. No pool's price deviates from the list prices by more than its fee, so that no cycle
 * gains. Each token has a Uniswap V2 or V3 pool with a hub of the chain, and any two tokens are connected by at most
 * four such pools.
 */
import type { TokenSymbol } from './tokens.ts'

export type PoolSpec = {
  readonly pair: readonly [TokenSymbol, TokenSymbol]
  /** Value of both tokens together at list prices. */
  readonly dollars: bigint
  /** Basis points by which the second token is cheaper in this pool than at its list price. */
  readonly skewBps: bigint
}

/** `fee` is in parts per million, the unit of the factory. */
export type TieredPoolSpec = PoolSpec & { readonly fee: number }

export const poolSpec = (a: TokenSymbol, b: TokenSymbol, dollars: bigint, skewBps = 0n): PoolSpec => ({
  pair: [a, b],
  dollars,
  skewBps,
})
export const tieredPoolSpec = (
  a: TokenSymbol,
  b: TokenSymbol,
  fee: number,
  dollars: bigint,
  skewBps = 0n,
): TieredPoolSpec => ({
  ...poolSpec(a, b, dollars, skewBps),
  fee,
})

export type StablePoolSpec = {
  readonly tokens: readonly TokenSymbol[]
  /** Value of each token's balance, in the order of `tokens`. The values differ, so that prices deviate from 1. */
  readonly dollars: readonly bigint[]
  readonly amplification: bigint
  readonly feePpm: number
}

export type WeightedPoolSpec = {
  readonly tokens: readonly TokenSymbol[]
  readonly weightsPercent: readonly bigint[]
  /** Value of all tokens together. Each token's part is its weight. */
  readonly dollars: bigint
  readonly feePpm: number
}

/** Fee of a pool, if it differs from the default of the pool's kind. */
export type FeeOverride = { readonly customFeePpm?: number }

export type LendingReserveSpec = {
  readonly asset: 'USDC' | 'DAI'
  /** Symbol of the aToken, which is not in the token list. */
  readonly aToken: 'AUSDC' | 'ADAI'
  readonly dollars: bigint
}
