import type { ConcentratedState } from '../../math/concentrated.ts'

/** A pool with a fixed fee; all of it is in the shared state. */
export type PancakeV3State = ConcentratedState
