/** State of Algebra Integral pools. */
import type { ConcentratedState } from '../../math/concentrated.ts'

/** State of a pool. `feePpm` is the pool's own fee, used if no plugin sets the fee. */
export type AlgebraIntegralState = ConcentratedState & {
  /**
   * Fees in ppm that the plugin charges now for selling the first token, and for selling the second; absent if no
   * plugin sets the fee.
   */
  readonly pluginFees?: readonly [selling0: number, selling1: number]
}
