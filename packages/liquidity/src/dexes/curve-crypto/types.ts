/** Which code a pool runs: of two or three coins, of the first generation or the one called NG. */
export type CryptoKind = 'two' | 'tri' | 'two-ng' | 'tri-ng'

export type CurveCryptoState = {
  readonly kind: CryptoKind
  /** Base units of each coin. */
  readonly balances: readonly bigint[]
  /** Factors that bring base units of each coin to 18 decimals. */
  readonly precisions: readonly bigint[]
  /** Price of each coin after the first in the first one, around which liquidity is concentrated; 18 decimals. */
  readonly priceScale: readonly bigint[]
  /** A × n^n × 10,000, at the time of the block. */
  readonly a: bigint
  /** 18 decimals, at the time of the block. */
  readonly gamma: bigint
  /**
   * True where the allowed range of balances narrows as gamma grows: pools of two coins since version 2.1.0 of their
   * maths.
   */
  readonly rangeByGamma: boolean
  /** In units of the first coin, 18 decimals, as stored. */
  readonly invariant: bigint
  /** True where A and gamma are on their way to new values: the pool then computes the invariant anew before a swap. */
  readonly ramping: boolean
  /** In 10^−10 of the output, where balances are at the price scale. */
  readonly midFeeE10: bigint
  /** In 10^−10 of the output, far from it. */
  readonly outFeeE10: bigint
  /** The speed with which one turns into the other; 18 decimals. */
  readonly feeGamma: bigint
  /** The price of a share, 18 decimals; the pool refuses swaps that would lower it. */
  readonly virtualPrice: bigint
  /** Shares, 18 decimals. */
  readonly totalSupply: bigint
  /** The pool's earnings, as a factor with 18 decimals. */
  readonly profit: bigint
  /** Profit kept back before the price scale may move; 18 decimals. */
  readonly allowedExtraProfit: bigint
  /** True where the price scale stands: false after a swap that lets the pool move it, by an average over time. */
  readonly settled: boolean
}
