/** State of proprietary AMMs. */

/** Quote of a proprietary AMM at one input, in base units. */
export type QuoteSample = readonly [amountIn: bigint, amountOut: bigint]

/** State of a proprietary AMM for one pair. */
export type PropAmmState = {
  /** Samples by input token, in ascending order. Empty for a direction in which the AMM does not trade now. */
  readonly samples: readonly [selling0: readonly QuoteSample[], selling1: readonly QuoteSample[]]
  /** Amount of each token that swaps quoted since the read have sold to the AMM. */
  readonly sold: readonly [amount0: bigint, amount1: bigint]
}
