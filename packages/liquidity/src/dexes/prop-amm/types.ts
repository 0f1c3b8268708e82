/** An amount that a venue was asked to quote, and its answer. */
export type Sample = readonly [amountIn: bigint, amountOut: bigint]

export type PropAmmState = {
  /** By the token sold, rising; none where it is not traded now. */
  readonly samples: readonly [readonly Sample[], readonly Sample[]]
  /** Sold of each since they were taken, by swaps that are only quoted. */
  readonly sold: readonly [bigint, bigint]
}
