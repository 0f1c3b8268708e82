/** State of Kyber Elastic pools. */
import type { ConcentratedState } from '../../math/concentrated.ts'

/**
 * State of a pool. `liquidity` is the liquidity of positions in range, and `feePpm` the fee on the input. `ticks`
 * contains the initialized ticks between `lowestTick` and `highestTick`, both excluded.
 */
export type KyberElasticState = ConcentratedState & {
  /** Liquidity that the pool has bought from its fees. It covers all prices, and each swap adds to it. */
  readonly reinvestedLiquidity: bigint
  /**
   * Bounds of the known ticks. Beyond them the pool has not been read, so the liquidity may change there. If the whole
   * pool was read, they are its lowest and highest initialized ticks.
   */
  readonly lowestTick: number
  readonly highestTick: number
}
