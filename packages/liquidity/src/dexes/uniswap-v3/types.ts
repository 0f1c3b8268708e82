/** State of Uniswap V3 pools. */
import type { ConcentratedState } from '../../math/concentrated.ts'

/** State of a pool with a fixed fee. */
export type UniswapV3State = ConcentratedState
