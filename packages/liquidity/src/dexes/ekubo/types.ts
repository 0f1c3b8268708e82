/** Key and state of Ekubo pools. */
import type { Hex } from '@sluice/chains'
import type { Tick } from '../../math/concentrated.ts'

/** Pool key without the tokens; the hash of all three words is the pool id. */
export type EkuboKey = {
  /** Extension (20 bytes), fee (8 bytes), and type (4 bytes). */
  readonly config: Hex
}

/** State of a pool. */
export type EkuboState = {
  /**
   * √(token1 / token0) in base units, with 128 fractional bits. Of up to 192 bits, the core stores the 94 highest.
   */
  readonly sqrtRatio: bigint
  /** Usually floor(log₁.₀₀₀₀₀₁ price); one less after a downward step that ended exactly on a tick. */
  readonly tick: number
  /** Liquidity in range at the price; in a pool with one range, the range's liquidity regardless of the price. */
  readonly liquidity: bigint
  /** Initialized ticks, ascending; empty in a pool with one range. */
  readonly ticks: readonly Tick[]
  /** Bounds between which all ticks are known; absent: the core's own bounds. */
  readonly known?: readonly [lowest: number, highest: number]
}
