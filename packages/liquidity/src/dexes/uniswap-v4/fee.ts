/** Computes and unpacks fees of Uniswap V4 swaps. Pancake Infinity computes and packs its fees in the same way. */
import { FLOAT_PPM } from '@sluice/chains'
import type { UniswapV4Fees } from './types.ts'

/** Returns the total fee of a swap in ppm of the input. @see ProtocolFeeLibrary.calculateSwapFee, Uniswap/v4-core */
export function swapFeePpm({ feePpm, protocolFee0Ppm, protocolFee1Ppm }: UniswapV4Fees, zeroForOne: boolean): number {
  const protocolFeePpm = zeroForOne ? protocolFee0Ppm : protocolFee1Ppm
  return protocolFeePpm + feePpm - Math.floor((protocolFeePpm * feePpm) / FLOAT_PPM)
}

/** Unpacks the protocol fees, which have twelve bits per direction. */
export const unpackProtocolFees = (packedFees: number): Omit<UniswapV4Fees, 'feePpm'> => ({
  protocolFee0Ppm: packedFees & 0xfff,
  protocolFee1Ppm: packedFees >> 12,
})
