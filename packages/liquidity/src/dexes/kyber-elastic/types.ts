/** State of Kyber Elastic pools. */
import type { ConcentratedState } from '../../math/concentrated.ts'

/**
 * State of a pool. `liquidity` is the liquidity of positions in range. `ticks` contains the initialized ticks between
 * `lowestTick` and `highestTick`, without these two ticks.
 */
export type KyberElasticState = ConcentratedState & {
  /** Liquidity that the fees of past swaps have added. It is in range at all prices. */
  readonly reinvestedLiquidity: bigint
  /**
   * Bounds of the ticks that were read. The liquidity beyond these bounds is unknown. If all ticks were read, the
   * bounds are the lowest and the highest initialized tick of the pool.
   */
  readonly lowestTick: number
  readonly highestTick: number
}
