/** State of Algebra Integral pools. */
import type { ConcentratedState } from '../../math/concentrated.ts'

/** `feePpm` is the fee of a pool without a plugin for it. */
export type AlgebraIntegralState = ConcentratedState & {
  /** Fees in ppm that the plugin charges now, if it sets them: of a swap that sells the first token, and the second. */
  readonly pluginFees?: readonly [number, number]
}
