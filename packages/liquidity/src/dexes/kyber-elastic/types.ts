/** State of Kyber Elastic pools. */
import type { ConcentratedState } from '../../math/concentrated.ts'

/**
 * State of a pool. `liquidity` is the liquidity of positions in range, and `feePpm` the fee on the input. `ticks` are
 * those from `lowestTick` to `highestTick`, without either.
 */
export type KyberElasticState = ConcentratedState & {
  /** Liquidity that the pool has bought from its fees. It covers all prices, and each swap adds to it. */
  readonly reinvestedLiquidity: bigint
  /**
   * Initialized ticks beyond which the pool has not been read, and that may change the liquidity; the lowest and the
   * highest tick of all if it was read whole.
   */
  readonly lowestTick: number
  readonly highestTick: number
}
