/**
 * Reserves of one curve, by token, in units of 10^−12 whole tokens. A pool has two curves: one trades the collateral of
 * the liquidity providers, and the other one trades their debt.
 */
export type FluidReserves = {
  /** Amounts that the curve can pay out. */
  readonly real: readonly [bigint, bigint]
  /** Virtual reserves, to which the x·y = k formula applies. */
  readonly imaginary: readonly [bigint, bigint]
}

/** State of a pool. */
export type FluidDexState = {
  readonly paused: boolean
  /** Parts per million of the input. */
  readonly feePpm: bigint
  /** Percentage of the fee that the protocol takes out of the curves; absent: 0. */
  readonly revenueCut?: bigint
  /** Price of the first token in units of the second after the last trade; 27 decimals. */
  readonly lastPrice: bigint
  /** Price at the center of the pool's price range, in the unit of `lastPrice`. */
  readonly centerPrice: bigint
  /** Reserves of the collateral curve; null if the curve is disabled. */
  readonly collateral: FluidReserves | null
  /** Reserves of the debt curve; null if the curve is disabled. */
  readonly debt: FluidReserves | null
  /**
   * Total debt of each token behind the debt curve, in the unit of the reserves. A swap cannot repay more than this.
   */
  readonly owed?: readonly [bigint, bigint]
  /** Decimals of both tokens. */
  readonly decimals: readonly [bigint, bigint]
  /** Set after a quoted swap, because its effect on the state is unknown. Further quotes are refused. */
  readonly spent?: true
}
