import type { Hex } from '@sluice/chains'
import type { Tick } from '../../math/concentrated.ts'

/** The rest of a pool's key beside its tokens; the hash of the three is the pool's id. */
export type EkuboKey = {
  /** Extension 20, fee 8 and type 4 bytes. */
  readonly config: Hex
}

export type EkuboState = {
  /** √(token1 / token0) in base units, 128 fractional bits, of which the core keeps the 94 highest of up to 192. */
  readonly sqrtRatio: bigint
  /** Usually floor(log₁.₀₀₀₀₀₁ price), one less after a step that ended on a tick from above. */
  readonly tick: number
  /** In range at the price; of pools of one range that of the range, wherever the price is. */
  readonly liquidity: bigint
  /** Initialised ticks, rising; none where the pool has one range for all positions. */
  readonly ticks: readonly Tick[]
  /** Lowest and highest tick between which all of `ticks` are known; the core's own bounds when absent. */
  readonly known?: readonly [lowest: number, highest: number]
}
