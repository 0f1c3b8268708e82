import type { Address } from '@sluice/chains'

export type BalancerV2Fixed = {
  readonly vault: Address
  /**
   * Rate providers, an owner other than the protocol, and the pool itself where no factory of the row made it; absent
   * until asked.
   */
  readonly dependsOn?: readonly Address[]
}

type Common = {
  /** Base units in the vault, by token; the pool's own share is not among them. */
  readonly balances: readonly bigint[]
  /**
   * Factors that bring a balance to 18 decimals of the common unit, with 18 decimals: powers of ten, and rates in
   * stable pools.
   */
  readonly scaling: readonly bigint[]
  /** Part of the input, with 18 decimals. */
  readonly swapFee: bigint
}

export type BalancerV2State =
  | (Common & {
      readonly kind: 'weighted'
      /** 18 decimals; they add up to one. */
      readonly weights: readonly bigint[]
      /** True where powers of 1, 2 and 4 are multiplied out: all but the first version. */
      readonly exactPowers: boolean
    })
  | (Common & {
      readonly kind: 'stable'
      /** A × 1000 */
      readonly amp: bigint
      /** True where the invariant is rounded up: pools before the composable ones. */
      readonly roundsUp: boolean
    })
