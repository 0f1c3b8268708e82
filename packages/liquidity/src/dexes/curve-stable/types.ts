import type { Amplification, ProductRounding } from '../../math/stable-swap.ts'

export type CurveStableState = {
  /** Base units of each coin, admin fees aside. */
  readonly balances: readonly bigint[]
  /** Rates that make balances comparable: balance × rate / 10^18 is in 18 decimals of the common unit. */
  readonly rates: readonly bigint[]
  readonly amplification: Amplification
  /** In 10^−10 of the output. */
  readonly feeE10: bigint
  /** The part of the fee that leaves the pool, in 10^−10. */
  readonly adminFeeE10: bigint
  /** The multiplier of pools whose fee rises off the peg, in 10^−10; 0 for a fixed fee. */
  readonly offpegMultiplierE10: bigint
  /** Unknown where the pool has not shown it yet: in balance, both give the same. */
  readonly rounding: ProductRounding | 'unknown'
  /** The part of an output that the pool keeps against rounding, in 18 decimals: 1, or 0 in pools of lending shares. */
  readonly margin: bigint
  /** True where the fee is taken of the output in 18 decimals, as exchanges of all known pools do, or in base units. */
  readonly feeOrder: 'scaled' | 'base'
}
