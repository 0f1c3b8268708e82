/** State of Solidly V3 pools. */
import type { ConcentratedState } from '../../math/concentrated.ts'

/** State of a pool whose fee can change with a log. */
export type SolidlyV3State = ConcentratedState
