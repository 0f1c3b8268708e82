/** State of Balancer V2 pools. */
import type { Address } from '@sluice/chains'

/** Immutable facts of a pool. */
export type BalancerV2Fixed = {
  readonly vault: Address
  /**
   * Rate providers, an owner other than the governance, and the pool itself if no factory of the row created it; absent
   * until read.
   */
  readonly dependsOn?: readonly Address[]
}

type CommonState = {
  /** Base units in the vault, by token, without the pool's own share. */
  readonly balances: readonly bigint[]
  /**
   * Factors that scale a balance to 18 decimals of the common unit, as 18-decimal numbers: powers of ten, times rates
   * in stable pools. A cached rate that had expired at the block is replaced by that of its provider.
   */
  readonly scaling: readonly bigint[]
  /** Fraction of the input, 18 decimals. */
  readonly swapFee: bigint
  /** Set if weights, rates, or the amplification can move without a log of the vault. */
  readonly moves?: true
}

/** State of a weighted or stable pool. */
export type BalancerV2State =
  | (CommonState & {
      readonly kind: 'weighted'
      /** 18 decimals; the sum is one. */
      readonly weights: readonly bigint[]
      /** True if exponents 1, 2, and 4 are multiplied out: all but the first version. */
      readonly exactPowers: boolean
      /** Set while the owner of a liquidity bootstrapping pool has suspended swaps. */
      readonly suspended?: true
    })
  | (CommonState & {
      readonly kind: 'stable'
      /** A × 1000 */
      readonly amp: bigint
      /** True if the invariant is rounded up: stable pools before the composable ones. */
      readonly roundsUp: boolean
    })
