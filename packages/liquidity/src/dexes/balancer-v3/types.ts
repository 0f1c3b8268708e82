import type { Address } from '@sluice/chains'

export type BalancerV3Fixed = {
  readonly vault: Address
  /** Factory, rate providers and fee manager; the zero address, which stands for nobody, left out. */
  readonly dependsOn: readonly Address[]
}

type Common = {
  /** Base units in the vault, by token, without the yield fees that are due. */
  readonly balances: readonly bigint[]
  /** Powers of ten that bring balances to 18 decimals. */
  readonly scaling: readonly bigint[]
  /** Of each token in the common unit; 18 decimals. */
  readonly rates: readonly bigint[]
  /** Part of the input, 18 decimals. */
  readonly swapFee: bigint
  /** Part of the fee that leaves the pool, 18 decimals. */
  readonly aggregateFee: bigint
  /** Of the release that keeps balances within bounds, and in weighted pools rounds the balance of the input up. */
  readonly bounded: boolean
}

export type BalancerV3State =
  | (Common & {
      readonly kind: 'weighted'
      /** 18 decimals; they add up to one. */
      readonly weights: readonly bigint[]
    })
  | (Common & {
      readonly kind: 'stable'
      /** A × 1000 */
      readonly amp: bigint
    })
