import type { Address } from '@sluice/chains'
import type { ConcentratedState } from '../../math/concentrated.ts'

/** The key of a pool; its hash is the pool's id. The currencies are the pool's tokens. */
export type UniswapV4Key = {
  /** Parts per million, or 0x800000 where it can be set anew. */
  readonly fee: number
  readonly tickSpacing: number
  /** The zero address for none. */
  readonly hooks: Address
}

/** `feePpm` is the share of the liquidity providers; what the protocol takes comes on top. */
export type UniswapV4State = ConcentratedState & {
  /** Parts per million, of swaps that sell the first token; at most 1,000. */
  readonly protocolFee0Ppm: number
  /** Parts per million, of swaps that sell the second token; at most 1,000. */
  readonly protocolFee1Ppm: number
}
