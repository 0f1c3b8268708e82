/** Checked against CLPool, BinPool and ProtocolFeeLibrary of infinity-core. */
import { type HopQuote, PoolRefusal, type PriceCurve } from '../../family.ts'
import { binsCurve, walkBins } from '../../math/bins.ts'
import { swapExactInput, wordEnd } from '../../math/concentrated.ts'
import { concentratedCurve } from '../../math/curves.ts'
import type { InfinityFees, InfinityState } from './types.ts'

/** Parts in 10¹⁸ per part in 10⁶. */
const RATE_PER_PPM = 10n ** 12n

const protocolPpm = ({ protocolFee0Ppm, protocolFee1Ppm }: InfinityFees, zeroForOne: boolean): number =>
  zeroForOne ? protocolFee0Ppm : protocolFee1Ppm

/** Parts per million that a swap pays in all. @see ProtocolFeeLibrary.calculateSwapFee */
function swapFeePpm(state: InfinityFees, zeroForOne: boolean): number {
  const protocol = protocolPpm(state, zeroForOne)
  return protocol + state.feePpm - Math.floor((protocol * state.feePpm) / 1_000_000)
}

type Swapped = Pick<HopQuote<InfinityState>, 'amountOut' | 'state'> & { readonly crossed: number }

/** Sells exactly `amountIn`. @throws PoolRefusal where the pool reverts, or takes less */
export function swap(state: InfinityState, zeroForOne: boolean, amountIn: bigint): Swapped {
  const feePpm = swapFeePpm(state, zeroForOne)
  if (state.kind === 'cl') {
    const { amountOut, state: after, ticksCrossed } = swapExactInput(state, feePpm, zeroForOne, amountIn, wordEnd)
    return { amountOut, state: after, crossed: ticksCrossed }
  }
  // The manager takes amounts of 128 bits with their sign.
  if (amountIn >> 127n) throw new PoolRefusal('TOO_LARGE', 'an amount of 2^127 or more')
  const protocol = BigInt(protocolPpm(state, zeroForOne))
  const rate = BigInt(feePpm) * RATE_PER_PPM
  const { amountOut, activeId, bins, binsCrossed } = walkBins(state, zeroForOne, amountIn, () => ({
    rate,
    protocolPart: (fee) => (feePpm === 0 ? 0n : (fee * protocol) / BigInt(feePpm)),
  }))
  return { amountOut, state: { ...state, activeId, bins }, crossed: binsCrossed }
}

export function curveOf(state: InfinityState, zeroForOne: boolean): PriceCurve {
  const feePpm = swapFeePpm(state, zeroForOne)
  return state.kind === 'cl'
    ? concentratedCurve({ ...state, feePpm }, zeroForOne)
    : binsCurve(state, zeroForOne, BigInt(feePpm) * RATE_PER_PPM)
}
