/** Reserves of one of a pool's two curves, for the first and second token, in units of 10^-12 tokens. */
export type FluidReserves = {
  readonly real: readonly [bigint, bigint]
  /** Reserves of the x·y = k formula. */
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
  readonly centerPrice: bigint
  /** Reserves of the two curves; null if a curve is disabled. */
  readonly collateral: FluidReserves | null
  readonly debt: FluidReserves | null
  /** Total debt of both tokens behind the debt curve, in the unit of the reserves; more cannot be repaid. */
  readonly owed?: readonly [bigint, bigint]
  /** Decimals of both tokens. */
  readonly decimals: readonly [bigint, bigint]
  /** Set after a swap: the new state must be read. */
  readonly spent?: true
}
