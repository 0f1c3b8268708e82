/** Key and state of Uniswap V4 pools. */
import type { Address } from '@sluice/chains'
import type { ConcentratedState } from '../../math/concentrated.ts'

/** Pool key without the two currencies, which are the pool's tokens. The pool id is the hash of the whole key. */
export type UniswapV4Key = {
  /** Fee in parts per million, or 0x800000 for a dynamic fee. */
  readonly fee: number
  readonly tickSpacing: number
  /** The zero address for no hook. */
  readonly hooks: Address
}

/** Fees of a pool. A swap pays the fee of the liquidity providers and the protocol fee of its direction. */
export type UniswapV4Fees = {
  /** Fee of the liquidity providers, in ppm of the input. */
  readonly feePpm: number
  /** Protocol fee in ppm of swaps that sell the first token; at most 1,000. */
  readonly protocolFee0Ppm: number
  /** Protocol fee in ppm of swaps that sell the second token; at most 1,000. */
  readonly protocolFee1Ppm: number
}

/** State of a pool. */
export type UniswapV4State = ConcentratedState & UniswapV4Fees
