import type { ConcentratedState } from '../../math/concentrated.ts'

/**
 * `feePpm` is what a swap of the first token pays. `tickSpacing` is that of the table's bits: 1 where a pool keeps a bit
 * for every tick, whatever its positions may use.
 */
export type AlgebraV1State = ConcentratedState & {
  /** Parts per million that a swap of the second token pays; the same but where directions have fees of their own. */
  readonly fee1Ppm: number
}
