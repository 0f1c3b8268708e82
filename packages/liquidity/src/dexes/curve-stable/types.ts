/** State of Curve StableSwap pools. */
import type { Amplification, ProductRounding } from '../../math/stable-swap.ts'

/** State of a pool. */
export type CurveStableState = {
  /** Base units of each coin, without admin fees. */
  readonly balances: readonly bigint[]
  /** Rate of each coin. A scaled balance is balance × rate / 10^18: it has 18 decimals, and one unit for all coins. */
  readonly rates: readonly bigint[]
  readonly amplification: Amplification
  /** Set while the amplification changes with time. */
  readonly ramping?: true
  /** Fee in units of 10^−10 of the output. */
  readonly feeE10: bigint
  /** Fraction of the fee that leaves the pool, in units of 10^−10. */
  readonly adminFeeE10: bigint
  /**
   * Factor by which the fee rises far from the peg, in units of 10^−10. The fee is fixed if the factor is at most one.
   */
  readonly offpegMultiplierE10: bigint
  /** Rounding of the invariant. `unknown` if both roundings reproduce the pool's quotes, as in a balanced pool. */
  readonly rounding: ProductRounding | 'unknown'
  /** Scaled units that the pool subtracts from an output before the fee: 1, or 0 in pools of lending shares. */
  readonly margin: bigint
  /**
   * Unit in which the pool computes the fee on the output: scaled units with 18 decimals (`scaled`), or base units
   * (`base`). `exchange` of all known Curve pools is `scaled`, but `get_dy` of older pools is `base`. In `share` pools
   * of Saddle, the last coin is a share of another pool. Their fee is in base units if the output is this share, and
   * scaled otherwise.
   */
  readonly feeOrder: 'scaled' | 'base' | 'share'
}
