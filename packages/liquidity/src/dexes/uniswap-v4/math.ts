/** Fees of Uniswap V4 swaps. */
import type { UniswapV4State } from './types.ts'

/** Returns the total fee of a swap in ppm. @see ProtocolFeeLibrary.calculateSwapFee, Uniswap/v4-core */
export function swapFeePpm(state: UniswapV4State, zeroForOne: boolean): number {
  const protocol = zeroForOne ? state.protocolFee0Ppm : state.protocolFee1Ppm
  return protocol + state.feePpm - Math.floor((protocol * state.feePpm) / 1_000_000)
}
