/** Fees of Uniswap V4 swaps. */
import type { UniswapV4State } from './types.ts'

/** Returns the total fee of a swap in ppm. @see ProtocolFeeLibrary.calculateSwapFee, Uniswap/v4-core */
export function swapFeePpm(state: UniswapV4State, zeroForOne: boolean): number {
  const protocolFeePpm = zeroForOne ? state.protocolFee0Ppm : state.protocolFee1Ppm
  return protocolFeePpm + state.feePpm - Math.floor((protocolFeePpm * state.feePpm) / 1_000_000)
}
