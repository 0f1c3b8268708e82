import type { Pool } from '@sluice/liquidity'

/** A quote that was simulated again, one or two blocks later. */
export type Sample = {
  readonly after: After
  /** Unix seconds of the block that it was simulated at. */
  readonly timestamp: number
  /** Drift of the whole transaction, parts per million; null where it pays nothing. */
  readonly ppm: number | null
  /** It would have reverted: paid less than its least output, or failed. */
  readonly reverted: boolean
  readonly legs: readonly SampledLeg[]
}

/** Blocks after that of the quote. */
export type After = 1 | 2

export type SampledLeg = {
  readonly pool: Pool
  /** Drift of the pool alone; null where it pays nothing, or is no longer known. */
  readonly ppm: number | null
  /** The part against the taker that its trades do not explain: 0 or below. */
  readonly unexplainedPpm: number
  /** The part in favour of the taker that its trades do not explain: 0 or above. */
  readonly givenPpm: number
  /** Payment that the quote promised, base units. */
  readonly amountOut: bigint
}
