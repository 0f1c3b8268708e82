/** Exact math of Pancake Infinity pools. Checked against CLPool, BinPool, and ProtocolFeeLibrary of infinity-core. */
import { type HopQuote, PoolRefusal, type PriceCurve } from '../../family.ts'
import { type BinFee, binsCurve, maxBinsInput, walkBins } from '../../math/bins.ts'
import { maxConcentratedInput, swapExactInput, wordEnd } from '../../math/concentrated.ts'
import { endCurveAt } from '../../math/curve-end.ts'
import { concentratedCurve } from '../../math/curves.ts'
import type { InfinityFees, InfinityState } from './types.ts'

/** Amounts of the managers are int128. */
const MAX_AMOUNT = (1n << 127n) - 1n
/** Units of 10⁻¹⁸ in one ppm. */
const RATE_PER_PPM = 10n ** 12n

const protocolFeePpmOf = ({ protocolFee0Ppm, protocolFee1Ppm }: InfinityFees, zeroForOne: boolean): number =>
  zeroForOne ? protocolFee0Ppm : protocolFee1Ppm

/** Returns the total fee of a swap in ppm. @see ProtocolFeeLibrary.calculateSwapFee */
function swapFeePpm(state: InfinityFees, zeroForOne: boolean): number {
  const protocolFeePpm = protocolFeePpmOf(state, zeroForOne)
  return protocolFeePpm + state.feePpm - Math.floor((protocolFeePpm * state.feePpm) / 1_000_000)
}

type SwapResult = Pick<HopQuote<InfinityState>, 'amountOut' | 'state'> & { readonly crossings: number }

/** Sells exactly `amountIn`. @throws PoolRefusal if the pool would revert or fill only part of it */
export function swap(state: InfinityState, zeroForOne: boolean, amountIn: bigint): SwapResult {
  const feePpm = swapFeePpm(state, zeroForOne)
  if (amountIn > MAX_AMOUNT) throw new PoolRefusal('TOO_LARGE', 'an amount of 2^127 or more')
  if (state.kind === 'cl') {
    const { amountOut, state: newState, ticksCrossed } = swapExactInput(state, feePpm, zeroForOne, amountIn, wordEnd)
    return { amountOut, state: newState, crossings: ticksCrossed }
  }
  const { amountOut, activeId, bins, binsCrossed } = walkBins(state, zeroForOne, amountIn, () =>
    binFee(state, zeroForOne),
  )
  return { amountOut, state: { ...state, activeId, bins }, crossings: binsCrossed }
}

/** Returns the fee, which is the same in every bin. */
function binFee(state: InfinityFees, zeroForOne: boolean): BinFee {
  const totalPpm = BigInt(swapFeePpm(state, zeroForOne))
  const protocolPpm = BigInt(protocolFeePpmOf(state, zeroForOne))
  return {
    rate: totalPpm * RATE_PER_PPM,
    protocolFeeOf: (fee) => (totalPpm === 0n ? 0n : (fee * protocolPpm) / totalPpm),
  }
}

/** Returns the largest input that `swap` accepts, as `DexFamily.maxInput`. */
export function maxInput(state: InfinityState, zeroForOne: boolean): bigint {
  const largestInput =
    state.kind === 'cl'
      ? maxConcentratedInput(state, swapFeePpm(state, zeroForOne), zeroForOne)
      : maxBinsInput(state, zeroForOne, () => binFee(state, zeroForOne), MAX_AMOUNT)
  return largestInput === null || largestInput > MAX_AMOUNT ? MAX_AMOUNT : largestInput
}

export function curveOf(state: InfinityState, zeroForOne: boolean): PriceCurve {
  return state.kind === 'cl'
    ? endCurveAt(concentratedCurve({ ...state, feePpm: swapFeePpm(state, zeroForOne) }, zeroForOne), MAX_AMOUNT)
    : binsCurve(state, zeroForOne, () => binFee(state, zeroForOne), MAX_AMOUNT)
}
