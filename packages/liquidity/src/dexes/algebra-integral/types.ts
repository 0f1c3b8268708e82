/** State of Algebra Integral pools. */
import type { ConcentratedState } from '../../math/concentrated.ts'

/** `feePpm` is the fee of a pool without a plugin for it. */
export type AlgebraIntegralState = ConcentratedState & {
  /**
   * Fees in ppm that the plugin charges now, if it sets them: for selling the first token, and for selling the second.
   */
  readonly pluginFees?: readonly [number, number]
}
