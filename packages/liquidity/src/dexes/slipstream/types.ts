/** State of Slipstream pools. */
import type { ConcentratedState } from '../../math/concentrated.ts'

/** State of a pool whose fee its factory computes. */
export type SlipstreamState = ConcentratedState
