/** State of Algebra V1 pools. */
import type { ConcentratedState } from '../../math/concentrated.ts'

/**
 * State of a pool. `feePpm` is the fee of a swap that sells the first token. `tickSpacing` is the number of ticks per
 * bit of the bitmap.
 */
export type AlgebraV1State = ConcentratedState & {
  /** Fee in ppm of a swap that sells the second token; differs from `feePpm` only in pools with directional fees. */
  readonly fee1Ppm: number
}
