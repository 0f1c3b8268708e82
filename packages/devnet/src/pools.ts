/**
 * Types of the pool specifications in `dexes/`. The specifications keep these rules:
 * - Depths and prices differ between pools, so that good routes split and take several hops.
 * - No pool's price deviates from the list prices by more than the pool's fee, so that no arbitrage cycle is
 *   profitable.
 * - Each token has a pool of Uniswap V2, V3, or a fork of them with a hub token of the chain.
 * - Any two tokens are connected by a path of at most four such pools.
 */
import type { TokenSymbol } from './tokens.ts'

export type PoolSpec = {
  readonly pair: readonly [TokenSymbol, TokenSymbol]
  /** Value in USD of both deposits together, at list prices. */
  readonly dollars: bigint
  /**
   * Additional deposit of the second token in basis points. It makes the token cheaper in this pool than its list
   * price; a negative value makes it more expensive.
   */
  readonly skewBps: bigint
}

/** Specification of a pool with a fee tier. `fee` is in parts per million, the unit of the factory. */
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
  /**
   * Value in USD of each token's deposit, in the order of `tokens`. The values differ, so that prices deviate from 1.
   */
  readonly dollars: readonly bigint[]
  readonly amplification: bigint
  readonly feePpm: number
}

export type WeightedPoolSpec = {
  readonly tokens: readonly TokenSymbol[]
  readonly weightsPercent: readonly bigint[]
  /** Value in USD of all deposits together. A token's part of it is the token's weight. */
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
