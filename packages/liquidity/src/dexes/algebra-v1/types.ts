/** State of Algebra V1 pools. */
import type { ConcentratedState } from '../../math/concentrated.ts'

/**
 * State of a pool. `feePpm` is the fee for selling the first token. `tickSpacing` is the number of ticks per bitmap
 * bit.
 */
export type AlgebraV1State = ConcentratedState & {
  /** Fee in ppm for selling the second token; differs from `feePpm` only in pools with directional fees. */
  readonly fee1Ppm: number
}
