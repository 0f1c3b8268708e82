import type { ConcentratedState } from '../../math/concentrated.ts'

/** A pool whose fee its factory may change; all of it is in the shared state. */
export type SlipstreamState = ConcentratedState
