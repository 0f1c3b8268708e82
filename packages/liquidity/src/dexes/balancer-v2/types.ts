/** State of Balancer V2 pools. */
import type { Address } from '@sluice/chains'

/** Immutable facts of a pool. */
export type BalancerV2Fixed = {
  readonly vault: Address
  /**
   * Accounts that can change the pool's quotes: its rate providers, and its owner unless that is the governance. The
   * pool itself if no known factory created it. Absent until read.
   */
  readonly dependsOn?: readonly Address[]
}

/** Fields of the states of all kinds of pools. */
type CommonState = {
  /** Base units of each token in the vault, without the pool's own share. */
  readonly balances: readonly bigint[]
  /**
   * Factors that scale balances to 18 decimals and to the unit that all tokens of the pool share. Each factor has 18
   * decimals. It is a power of ten, multiplied in stable pools by the token's rate. The rate is the one that the pool
   * has cached, or the rate provider's current one if the cached rate has expired.
   */
  readonly scaling: readonly bigint[]
  /** Fraction of the input, 18 decimals. */
  readonly swapFee: bigint
  /** Set if weights, rates, or the amplification can change without a log of the vault. */
  readonly moves?: true
}

/** State of a weighted or stable pool. */
export type BalancerV2State =
  | (CommonState & {
      readonly kind: 'weighted'
      /** Normalized weights, 18 decimals; the sum is one. */
      readonly weights: readonly bigint[]
      /** True if the pool computes powers with exponent 1, 2, or 4 by multiplication: all releases but the first. */
      readonly exactPowers: boolean
      /** Set while the owner of a liquidity bootstrapping pool has suspended swaps. */
      readonly suspended?: true
    })
  | (CommonState & {
      readonly kind: 'stable'
      /** Amplification coefficient A × 1,000. */
      readonly amp: bigint
      /** True if the pool rounds the invariant up: stable pools before composable stable pools. */
      readonly roundsUp: boolean
    })
