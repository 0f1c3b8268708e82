/** Key and state of Ekubo pools. */
import type { Hex } from '@sluice/chains'
import type { Tick } from '../../math/concentrated.ts'

/** Pool key without the tokens. The pool id is the hash of both tokens and the config. */
export type EkuboKey = {
  /** Extension (20 bytes), fee (8 bytes), and type (4 bytes). */
  readonly config: Hex
}

/** State of a pool. */
export type EkuboState = {
  /**
   * √(token1 / token0) in base units, with 128 fractional bits. Only the 94 highest bits can be nonzero, because the
   * core stores a mantissa.
   */
  readonly sqrtRatio: bigint
  /** Usually floor(log₁.₀₀₀₀₀₁ price); one less after a downward step that ended exactly on a tick. */
  readonly tick: number
  /**
   * Liquidity in range at the price. In a pool with one range, its liquidity even if the price is outside the range.
   */
  readonly liquidity: bigint
  /** Initialized ticks, ascending; empty in a pool with one range. */
  readonly ticks: readonly Tick[]
  /** Lowest and highest tick between which all initialized ticks are known. Absent: all ticks are known. */
  readonly known?: readonly [lowest: number, highest: number]
}
