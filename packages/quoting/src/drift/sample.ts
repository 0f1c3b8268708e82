/** Types of drift samples. Drift is the change of a quote's output when it is simulated again in a later block. */
import type { Pool } from '@sluice/liquidity'

/** A quote that was simulated again one or two blocks later. */
export type DriftSample = {
  readonly after: BlocksAfter
  /** Timestamp of the later block, Unix seconds. */
  readonly timestamp: number
  /** Change of the transaction's output since the quote in ppm; null if the transaction pays nothing. */
  readonly ppm: number | null
  /** True if the transaction would have reverted: it failed, or paid less than its minimum output. */
  readonly reverted: boolean
  readonly legs: readonly SampledLeg[]
}

/** Number of blocks between the quoted block and the block of the sample. */
export type BlocksAfter = 1 | 2

/** Drift of one leg's pool. */
export type SampledLeg = {
  readonly pool: Pool
  /** Change of the pool's output since the quote in ppm; null if the pool pays nothing or left memory. */
  readonly ppm: number | null
  /** The part of a loss that trades in the pool do not explain: 0 or negative. */
  readonly unexplainedPpm: number
  /** The part of a gain that trades in the pool do not explain: 0 or positive. */
  readonly unexplainedGainPpm: number
  /** The leg's output in the quote, base units. */
  readonly amountOut: bigint
}
