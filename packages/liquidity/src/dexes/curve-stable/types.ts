/** State of Curve StableSwap pools. */
import type { Amplification, ProductRounding } from '../../math/stable-swap.ts'

/** State of a pool. */
export type CurveStableState = {
  /** Base units of each coin, without admin fees. */
  readonly balances: readonly bigint[]
  /** Rate of each coin: balance × rate / 10^18 has 18 decimals of the common unit. */
  readonly rates: readonly bigint[]
  readonly amplification: Amplification
  /** Set while the amplification moves with time. */
  readonly ramping?: true
  /** Fee in units of 10^−10 of the output. */
  readonly feeE10: bigint
  /** Fraction of the fee that leaves the pool, in units of 10^−10. */
  readonly adminFeeE10: bigint
  /** Off-peg fee multiplier in units of 10^−10; 0 for a fixed fee. */
  readonly offpegMultiplierE10: bigint
  /** `unknown` while both roundings reproduce the pool's quotes, as in a balanced pool. */
  readonly rounding: ProductRounding | 'unknown'
  /** Units of 18 decimals that the pool subtracts from an output before its fee: 1, or 0 in pools of lending shares. */
  readonly margin: bigint
  /**
   * Unit in which the fee is taken from the output: 18 decimals (`scaled`), as in `exchange` of all known pools, or
   * base units.
   */
  readonly feeOrder: 'scaled' | 'base'
}
