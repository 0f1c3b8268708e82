/** Checked against LBPair.swap, BinHelper, FeeHelper and Uint128x128Math of joe-v2 2.1. */
import { PoolRefusal } from '../../family.ts'
import { divUp } from '../../math/integers.ts'
import { MAX_FEE, ONE, totalFee, updateAccumulator, updateReferences } from './fee.ts'
import type { Bin, LiquidityBookState } from './types.ts'

const SCALE = 1n << 128n
const MAX_UINT256 = (1n << 256n) - 1n
const MIDDLE_ID = 1 << 23
/** Bits of an exponent that the contract raises to. */
const EXPONENT_BITS = 20

/**
 * Token Y per token X in base units, 128 fractional bits.
 *
 * @throws PoolRefusal `UNSUPPORTED` where the price is out of the contract's reach
 */
export function binPrice(id: number, binStep: number): bigint {
  const exponent = Math.abs(id - MIDDLE_ID)
  if (exponent === 0) return SCALE
  // The base is above 1, and the contract raises its inverse.
  let squared = MAX_UINT256 / (SCALE + (BigInt(binStep) << 128n) / 10_000n)
  let result = SCALE
  for (let bit = 0; bit < EXPONENT_BITS; bit++) {
    if ((exponent >> bit) & 1) result = (result * squared) >> 128n
    squared = (squared * squared) >> 128n
  }
  if (exponent >> EXPONENT_BITS || result === 0n) throw new PoolRefusal('UNSUPPORTED', `bin ${id} has no price`)
  return id > MIDDLE_ID ? MAX_UINT256 / result : result
}

type Filled = { readonly taken: bigint; readonly amountOut: bigint; readonly fee: bigint }

/** What one bin takes and gives of `amountIn`. @see BinHelper.getAmounts */
function fillBin(bin: Bin, price: bigint, swapForY: boolean, amountIn: bigint, feeRate: bigint): Filled {
  const reserveOut = swapForY ? bin.reserveY : bin.reserveX
  const mostIn = swapForY ? divUp(reserveOut << 128n, price) : divUp(reserveOut * price, SCALE)
  const mostFee = divUp(mostIn * feeRate, ONE - feeRate)
  if (amountIn >= mostIn + mostFee) return { taken: mostIn + mostFee, amountOut: reserveOut, fee: mostFee }
  const fee = divUp(amountIn * feeRate, ONE)
  const net = amountIn - fee
  const amountOut = swapForY ? (net * price) >> 128n : (net << 128n) / price
  return { taken: amountIn, amountOut: amountOut < reserveOut ? amountOut : reserveOut, fee }
}

/**
 * Sells exactly `amountIn`, bin after bin, at the time the state was read.
 *
 * @param swapForY - token X is sold
 * @throws PoolRefusal `TOO_SMALL` where nothing would come out, `EMPTY` and `TOO_LARGE` where bins run out,
 * `UNSUPPORTED` where the fee or a price is beyond what the pair allows
 */
export function swapBins(
  state: LiquidityBookState,
  swapForY: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: LiquidityBookState; readonly binsCrossed: number } {
  if (amountIn <= 0n) throw new PoolRefusal('TOO_SMALL', 'nothing to sell')
  if (amountIn >> 128n) throw new PoolRefusal('TOO_LARGE', 'an amount of 2^128 or more')
  const { binStep } = state
  const bins = [...state.bins]
  let fee = updateReferences(state.fee, state.activeId, state.timestamp)
  let { activeId } = state
  let left = amountIn
  let amountOut = 0n
  let binsCrossed = 0
  const step = swapForY ? -1 : 1
  // The first bin at or beyond the active one; the active one itself may be empty.
  let at = swapForY ? bins.findLastIndex(({ id }) => id <= activeId) : bins.findIndex(({ id }) => id >= activeId)
  while (left > 0n) {
    const bin = bins[at]
    if (!bin) throw outOfBins(state, swapForY, amountIn, left)
    activeId = bin.id
    if ((swapForY ? bin.reserveY : bin.reserveX) > 0n) {
      fee = updateAccumulator(fee, activeId)
      const feeRate = totalFee(fee, binStep)
      if (feeRate > MAX_FEE) throw new PoolRefusal('UNSUPPORTED', 'the fee is above what the pair allows')
      const filled = fillBin(bin, binPrice(activeId, binStep), swapForY, left, feeRate)
      left -= filled.taken
      amountOut += filled.amountOut
      const kept = filled.taken - (filled.fee * BigInt(fee.protocolShare)) / 10_000n
      bins[at] = swapForY
        ? { id: activeId, reserveX: bin.reserveX + kept, reserveY: bin.reserveY - filled.amountOut }
        : { id: activeId, reserveX: bin.reserveX - filled.amountOut, reserveY: bin.reserveY + kept }
    }
    if (left > 0n) {
      at += step
      binsCrossed++
    }
  }
  if (amountOut === 0n) throw new PoolRefusal('TOO_SMALL', 'too little to buy anything')
  return { amountOut, binsCrossed, state: { ...state, bins, activeId, fee } }
}

function outOfBins(state: LiquidityBookState, swapForY: boolean, amountIn: bigint, left: bigint): PoolRefusal {
  const all = swapForY ? state.allBelow : state.allAbove
  const taken = amountIn - left
  if (!all) return new PoolRefusal('TOO_LARGE', `goes beyond the ${state.bins.length} bins that were read`)
  return new PoolRefusal(taken === 0n ? 'EMPTY' : 'TOO_LARGE', `the pair takes ${taken} of ${amountIn}`)
}
