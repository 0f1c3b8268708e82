/** State of Curve CryptoSwap pools. */

/** Contract version of a pool: two or three coins; first generation, or NG (next generation). */
export type CryptoKind = 'two' | 'tri' | 'two-ng' | 'tri-ng'

/** State of a pool. */
export type CurveCryptoState = {
  readonly kind: CryptoKind
  /** Base units of each coin. */
  readonly balances: readonly bigint[]
  /** Factors that scale base units of each coin to 18 decimals. */
  readonly precisions: readonly bigint[]
  /** Price of each coin after the first, in the first coin, around which liquidity is concentrated; 18 decimals. */
  readonly priceScale: readonly bigint[]
  /** A × n^n × 10,000 at the block's time. */
  readonly a: bigint
  /** Gamma at the block's time, 18 decimals. */
  readonly gamma: bigint
  /** True if the allowed range of balances depends on gamma: two-coin NG pools since version 2.1.0 of their math. */
  readonly rangeByGamma: boolean
  /** Stored invariant in units of the first coin, 18 decimals. */
  readonly invariant: bigint
  /**
   * True if the pool recomputes the invariant before a swap. NG pools do so while A and gamma change (a ramp). Pools of
   * the first generation do so after a ramp too.
   */
  readonly ramping: boolean
  /** Set while A and gamma change with time. */
  readonly moves?: true
  /** Fee while the price is at the price scale, in units of 10^−10 of the output. */
  readonly midFeeE10: bigint
  /** Fee while the price is far from the price scale, in units of 10^−10 of the output. */
  readonly outFeeE10: bigint
  /** Parameter of the transition between both fees, 18 decimals. With a larger value, the fee rises more slowly. */
  readonly feeGamma: bigint
  /** Value of a share, 18 decimals; the pool refuses swaps that would lower it. */
  readonly virtualPrice: bigint
  /** Total shares, 18 decimals. */
  readonly totalSupply: bigint
  /** Cumulative profit as a growth factor, 18 decimals. */
  readonly profit: bigint
  /** Profit that must accrue before the price scale may move; 18 decimals. */
  readonly allowedExtraProfit: bigint
  /** False after a quoted swap that may have moved the price scale, whose new value is then unknown. */
  readonly settled: boolean
}
