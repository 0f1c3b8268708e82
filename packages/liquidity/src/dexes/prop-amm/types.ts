/** Sampled quote of a proprietary AMM, in base units. */
export type QuoteSample = readonly [amountIn: bigint, amountOut: bigint]

/** State of a proprietary AMM for one pair. */
export type PropAmmState = {
  /** Samples by input token, ascending; empty if the direction is not traded now. */
  readonly samples: readonly [selling0: readonly QuoteSample[], selling1: readonly QuoteSample[]]
  /** Amount of each token sold by quoted swaps since the samples were taken. */
  readonly sold: readonly [amount0: bigint, amount1: bigint]
}
