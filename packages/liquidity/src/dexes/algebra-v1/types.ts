/** State of Algebra V1 pools. */
import type { ConcentratedState } from '../../math/concentrated.ts'

/**
 * `feePpm` is the fee for selling the first token. `tickSpacing` is the spacing of the bitmap: 1 if a pool stores a bit
 * for every tick.
 */
export type AlgebraV1State = ConcentratedState & {
  /** Fee in ppm for selling the second token; differs from `feePpm` only in pools with directional fees. */
  readonly fee1Ppm: number
}
