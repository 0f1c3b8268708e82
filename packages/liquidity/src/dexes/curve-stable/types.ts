/** State of Curve StableSwap pools. */
import type { Amplification, ProductRounding } from '../../math/stable-swap.ts'

/** State of a pool. */
export type CurveStableState = {
  /** Base units of each coin, without admin fees. */
  readonly balances: readonly bigint[]
  /** Rate of each coin: balance × rate / 10^18 has 18 decimals of the common unit. */
  readonly rates: readonly bigint[]
  readonly amplification: Amplification
  /** Set while the amplification changes with time. */
  readonly ramping?: true
  /** Fee in units of 10^−10 of the output. */
  readonly feeE10: bigint
  /** Fraction of the fee that leaves the pool, in units of 10^−10. */
  readonly adminFeeE10: bigint
  /** Factor of the fee far from the peg, in units of 10^−10. The fee is fixed if the factor is at most one. */
  readonly offpegMultiplierE10: bigint
  /** `unknown` if both roundings reproduce the pool's quotes, as in a balanced pool. */
  readonly rounding: ProductRounding | 'unknown'
  /** Scaled units that the pool subtracts from an output before the fee: 1, or 0 in pools of lending shares. */
  readonly margin: bigint
  /**
   * Unit in which the pool takes the fee from the output: 18 decimals (`scaled`), or base units. `exchange` of all
   * known pools takes it in 18 decimals, but `get_dy` of older pools takes it in base units. Pools of Saddle whose last
   * coin is a share of another pool (`share`) take it in shares if the output is the share, and else in 18 decimals.
   */
  readonly feeOrder: 'scaled' | 'base' | 'share'
}
