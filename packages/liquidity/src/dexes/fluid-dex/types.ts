/** Reserves of one of a pool's two curves, for the first and second token, in units of 10^−12 whole tokens. */
export type FluidReserves = {
  readonly real: readonly [bigint, bigint]
  /** Virtual reserves, on which the x·y = k formula works. */
  readonly imaginary: readonly [bigint, bigint]
}

/** State of a pool. */
export type FluidDexState = {
  readonly paused: boolean
  /** Parts per million of the input. */
  readonly feePpm: bigint
  /** Percentage of the fee that leaves the curves; absent: none. */
  readonly revenueCut?: bigint
  /** Price of the first token in the second after the last trade; 27 decimals. */
  readonly lastPrice: bigint
  /** Price at the center of the pool's price range, in the same unit. */
  readonly centerPrice: bigint
  /** Reserves of the collateral curve; null if the curve is disabled. */
  readonly collateral: FluidReserves | null
  /** Reserves of the debt curve; null if the curve is disabled. */
  readonly debt: FluidReserves | null
  /** Total debt of each token behind the debt curve, in the unit of the reserves. A swap cannot repay more. */
  readonly owed?: readonly [bigint, bigint]
  /** Decimals of both tokens. */
  readonly decimals: readonly [bigint, bigint]
  /** Set after a quoted swap, whose effect on the state is unknown. The state must be read again. */
  readonly spent?: true
}
