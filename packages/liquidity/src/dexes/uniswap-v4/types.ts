/** Key and state of Uniswap V4 pools. */
import type { Address } from '@sluice/chains'
import type { ConcentratedState } from '../../math/concentrated.ts'

/** Pool key without the currencies, which are the pool's tokens. Its hash is the pool id. */
export type UniswapV4Key = {
  /** Parts per million, or 0x800000 for a dynamic fee. */
  readonly fee: number
  readonly tickSpacing: number
  /** The zero address for no hook. */
  readonly hooks: Address
}

/** `feePpm` is the fee of the liquidity providers; the protocol fee is added to it. */
export type UniswapV4State = ConcentratedState & {
  /** Protocol fee in ppm of swaps that sell the first token; at most 1,000. */
  readonly protocolFee0Ppm: number
  /** Protocol fee in ppm of swaps that sell the second token; at most 1,000. */
  readonly protocolFee1Ppm: number
}
