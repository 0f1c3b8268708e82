/** Exact math of Pancake Infinity pools. Checked against CLPool, BinPool, and ProtocolFeeLibrary of infinity-core. */
import { type HopQuote, PoolRefusal, type PriceCurve } from '../../family.ts'
import { type BinFee, binsCurve, maxBinsInput, walkBins } from '../../math/bins.ts'
import { maxConcentratedInput, swapExactInput, wordEnd } from '../../math/concentrated.ts'
import { endCurveAt } from '../../math/curve-end.ts'
import { concentratedCurve } from '../../math/curves.ts'
import { swapFeePpm } from '../uniswap-v4/fee.ts'
import type { UniswapV4Fees } from '../uniswap-v4/types.ts'
import type { InfinityState } from './types.ts'

/** Maximum amount of a swap, which the managers store as int128. */
const MAX_AMOUNT = (1n << 127n) - 1n
/** One ppm as a fee rate in units of 10⁻¹⁸. */
const RATE_PER_PPM = 10n ** 12n

/** Result of a swap. */
type SwapResult = Pick<HopQuote<InfinityState>, 'amountOut' | 'state'> & {
  /** Number of ticks or bins that the swap crossed. */
  readonly crossings: number
}

/** Sells exactly `amountIn`. @throws PoolRefusal if the pool would revert or use only a part of `amountIn` */
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

/** Returns the fee of a swap, which is the same in every bin. */
function binFee(state: UniswapV4Fees, zeroForOne: boolean): BinFee {
  const totalPpm = BigInt(swapFeePpm(state, zeroForOne))
  const protocolPpm = BigInt(zeroForOne ? state.protocolFee0Ppm : state.protocolFee1Ppm)
  return {
    rate: totalPpm * RATE_PER_PPM,
    protocolFeeOf: (fee) => (totalPpm === 0n ? 0n : (fee * protocolPpm) / totalPpm),
  }
}

/** Returns the largest input that `swap` accepts. @returns as `DexFamily.maxInput` */
export function maxInput(state: InfinityState, zeroForOne: boolean): bigint {
  const largestInput =
    state.kind === 'cl'
      ? maxConcentratedInput(state, swapFeePpm(state, zeroForOne), zeroForOne)
      : maxBinsInput(state, zeroForOne, () => binFee(state, zeroForOne), MAX_AMOUNT)
  return largestInput === null || largestInput > MAX_AMOUNT ? MAX_AMOUNT : largestInput
}

/** Returns the price curve of a pool. */
export function curveOf(state: InfinityState, zeroForOne: boolean): PriceCurve {
  return state.kind === 'cl'
    ? endCurveAt(concentratedCurve({ ...state, feePpm: swapFeePpm(state, zeroForOne) }, zeroForOne), MAX_AMOUNT)
    : binsCurve(state, zeroForOne, () => binFee(state, zeroForOne), MAX_AMOUNT)
}
