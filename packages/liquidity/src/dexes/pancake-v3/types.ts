/** State of Pancake V3 pools. */
import type { ConcentratedState } from '../../math/concentrated.ts'

/** State of a pool with a fixed fee. */
export type PancakeV3State = ConcentratedState
