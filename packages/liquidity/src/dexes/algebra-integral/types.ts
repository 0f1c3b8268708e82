/** State of Algebra Integral pools. */
import type { ConcentratedState } from '../../math/concentrated.ts'

/** State of a pool. `feePpm` is the pool's own fee, used if no plugin sets the fee. */
export type AlgebraIntegralState = ConcentratedState & {
  /**
   * Total fees in ppm of a swap that sells the first token, and of a swap that sells the second token. Absent if no
   * plugin sets the fee.
   */
  readonly pluginFees?: readonly [selling0: number, selling1: number]
}
