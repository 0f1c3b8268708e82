/** State of Ramses CL pools. */
import type { ConcentratedState } from '../../math/concentrated.ts'

/** State of a pool whose factory can change its fee. */
export type RamsesClState = ConcentratedState
