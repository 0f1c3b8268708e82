/** Reserves of one of a pool's two curves, as seen at the first and second token; in units of 10^-12 of a token. */
export type FluidReserves = {
  readonly real: readonly [bigint, bigint]
  /** Reserves that x·y = k is computed with. */
  readonly imaginary: readonly [bigint, bigint]
}

export type FluidDexState = {
  readonly paused: boolean
  /** Parts per million of the input. */
  readonly feePpm: bigint
  /** Percent of the fee that leave the curves; none where absent. */
  readonly revenueCut?: bigint
  /** Price of the first token in the second, 10^27 as one, when the pool was last traded in. */
  readonly lastPrice: bigint
  readonly centerPrice: bigint
  /** Null where a curve is switched off. */
  readonly collateral: FluidReserves | null
  readonly debt: FluidReserves | null
  /** Debt of both tokens behind the debt curve, which takes no more back; in the units of reserves. */
  readonly owed?: readonly [bigint, bigint]
  /** Decimals of both tokens. */
  readonly decimals: readonly [bigint, bigint]
  /** True after a swap: what a further one meets has to be read. */
  readonly spent?: true
}
