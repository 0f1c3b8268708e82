/**
 * Price bins that sell what they hold at one price each, as pairs of Liquidity Book and pools of Pancake Infinity do. Checked
 * against BinHelper, PriceHelper and Uint128x128Math of joe-v2 2.1 and 2.2, and BinPool of infinity-core.
 */
import { orRefused, PoolRefusal, type PriceCurve } from '../family.ts'
import { asMaxInput, largestInput } from './capacity.ts'
import { CurveBuilder } from './curve-builder.ts'
import { withMargin } from './curve-end.ts'
import { divUp } from './integers.ts'

/** A price level with what it holds, base units of both tokens. */
export type Bin = { readonly id: number; readonly reserveX: bigint; readonly reserveY: bigint }

/** The price of bin `id` is (1 + binStep / 10,000)^(id − 2²³) of token Y in token X, base units. */
export type Bins = {
  /** Hundredths of a per cent. */
  readonly binStep: number
  readonly activeId: number
  /** Bins that hold something, rising. */
  readonly bins: readonly Bin[]
  /** True where there are no bins below and above those that were read. */
  readonly allBelow: boolean
  readonly allAbove: boolean
  /** True where a bin may hold only so much liquidity after a swap. */
  readonly limited: boolean
}

/** The fee of a swap in one bin. */
export type BinFee = {
  /** Parts in 10¹⁸ of the input. */
  readonly rate: bigint
  /** Part of the fee that leaves the bin. */
  readonly protocolPart: (fee: bigint) => bigint
}

/** Amounts have 128 bits. */
const MAX_AMOUNT = (1n << 128n) - 1n
/** A fee of 1. */
const ONE = 10n ** 18n
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
function binPrice(id: number, binStep: number): bigint {
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

/** Most liquidity of a bin, price·x + y with 128 fractional bits. @see Constants.MAX_LIQUIDITY_PER_BIN, joe-v2 2.2 */
const MAX_LIQUIDITY = 65251743116719673010965625540244653191619923014385985379600384103134737n

/** @throws PoolRefusal `TOO_LARGE` where a bin would hold more than it may */
function checkLiquidity({ reserveX, reserveY }: Bin, price: bigint): void {
  if (price * reserveX + (reserveY << 128n) > MAX_LIQUIDITY)
    throw new PoolRefusal('TOO_LARGE', 'more liquidity than a bin may hold')
}

type Filled = { readonly taken: bigint; readonly amountOut: bigint; readonly fee: bigint }

/** The amounts that one bin takes and gives of `amountIn`. @see BinHelper.getAmounts */
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

function afterFill(
  { id, reserveX, reserveY }: Bin,
  { taken, amountOut, fee }: Filled,
  swapForY: boolean,
  protocolPart: BinFee['protocolPart'],
): Bin {
  const kept = taken - protocolPart(fee)
  return swapForY
    ? { id, reserveX: reserveX + kept, reserveY: reserveY - amountOut }
    : { id, reserveX: reserveX - amountOut, reserveY: reserveY + kept }
}

/**
 * Sells exactly `amountIn`, bin after bin.
 *
 * @param swapForY - token X is sold
 * @param feeIn - of a bin; asked once for each that is used, in turn
 * @throws PoolRefusal `TOO_SMALL` where nothing would come out, `EMPTY` and `TOO_LARGE` where bins run out or hold too much,
 * `UNSUPPORTED` where the fee or a price is beyond what the pool allows
 */
export function walkBins(
  pool: Bins,
  swapForY: boolean,
  amountIn: bigint,
  feeIn: (id: number) => BinFee,
): {
  readonly amountOut: bigint
  readonly activeId: number
  readonly bins: readonly Bin[]
  readonly binsCrossed: number
} {
  if (amountIn <= 0n) throw new PoolRefusal('TOO_SMALL', 'nothing to sell')
  if (amountIn > MAX_AMOUNT) throw new PoolRefusal('TOO_LARGE', 'an amount of 2^128 or more')
  const bins = [...pool.bins]
  let { activeId } = pool
  let left = amountIn
  let amountOut = 0n
  let binsCrossed = 0
  const step = swapForY ? -1 : 1
  // The first bin at or beyond the active one; the active one itself may be empty.
  let at = swapForY ? bins.findLastIndex(({ id }) => id <= activeId) : bins.findIndex(({ id }) => id >= activeId)
  while (left > 0n) {
    const bin = bins[at]
    if (!bin) throw outOfBins(pool, swapForY, amountIn, left)
    activeId = bin.id
    if ((swapForY ? bin.reserveY : bin.reserveX) > 0n) {
      const { rate, protocolPart } = feeIn(activeId)
      const price = binPrice(activeId, pool.binStep)
      const filled = fillBin(bin, price, swapForY, left, rate)
      left -= filled.taken
      amountOut += filled.amountOut
      const after = afterFill(bin, filled, swapForY, protocolPart)
      if (pool.limited) checkLiquidity(after, price)
      bins[at] = after
    }
    if (left > 0n) {
      at += step
      binsCrossed++
    }
  }
  if (amountOut === 0n) throw new PoolRefusal('TOO_SMALL', 'too little to buy anything')
  return { amountOut, activeId, bins, binsCrossed }
}

function outOfBins({ allBelow, allAbove, bins }: Bins, swapForY: boolean, amountIn: bigint, left: bigint): PoolRefusal {
  const taken = amountIn - left
  if (!(swapForY ? allBelow : allAbove))
    return new PoolRefusal('TOO_LARGE', `goes beyond the ${bins.length} bins that were read`, { isOwnLimit: true })
  return new PoolRefusal(taken === 0n ? 'EMPTY' : 'TOO_LARGE', `the pool takes ${taken} of ${amountIn}`)
}

/** A bin as a trade that goes on uses it up: input with its fee, and output. */
type UsedBin = { readonly taken: bigint; readonly amountOut: bigint; readonly rate: bigint }

/**
 * The bins that a trade uses up one after another, as far as the pool takes anything.
 *
 * @param feeIn - as that of `walkBins`
 * @param most - the largest amount of the pool
 */
function usedBins(pool: Bins, swapForY: boolean, feeIn: (id: number) => BinFee, most: bigint): readonly UsedBin[] {
  const { bins, activeId, binStep, limited } = pool
  const ahead = bins.filter(({ id, reserveX, reserveY }) =>
    swapForY ? id <= activeId && reserveY > 0n : id >= activeId && reserveX > 0n,
  )
  const used: UsedBin[] = []
  let left = most
  for (const bin of swapForY ? ahead.toReversed() : ahead) {
    const step = orRefused(() => ({ ...feeIn(bin.id), price: binPrice(bin.id, binStep) }))
    if (!step) break
    const { rate, price, protocolPart } = step
    const fill = (amountIn: bigint): Filled => {
      const filled = fillBin(bin, price, swapForY, amountIn, rate)
      if (limited) checkLiquidity(afterFill(bin, filled, swapForY, protocolPart), price)
      return filled
    }
    const whole = fillBin(bin, price, swapForY, left, rate)
    if (limited && orRefused(() => fill(whole.taken)) === null) {
      const taken = largestInput(fill, whole.taken - 1n)!
      if (taken > 0n) used.push({ ...fill(taken), rate })
      break
    }
    used.push({ ...whole, rate })
    left -= whole.taken
    if (left === 0n) break
  }
  return used
}

/** Largest input of a pool of bins. @returns as `DexFamily.maxInput` */
export function maxBinsInput(
  pool: Bins,
  swapForY: boolean,
  feeIn: (id: number) => BinFee,
  most = MAX_AMOUNT,
): bigint | null {
  const used = usedBins(pool, swapForY, feeIn, most)
  if (used.every(({ amountOut }) => amountOut === 0n)) return 0n
  return asMaxInput(used.reduce((sum, { taken }) => sum + taken, 0n))
}

/** One straight line a bin, each at its own fee: that of the first is the curve's. */
export function binsCurve(pool: Bins, swapForY: boolean, feeIn: (id: number) => BinFee, most = MAX_AMOUNT): PriceCurve {
  const used = usedBins(pool, swapForY, feeIn, most)
  const keepIn = 1 - Number(used[0]?.rate ?? 0n) / Number(ONE)
  const builder = new CurveBuilder()
  for (const { taken, amountOut } of used) {
    const input = Number(taken) * keepIn
    builder.line(Number(amountOut) / input, input)
  }
  return withMargin(builder.build(keepIn))
}

/** Base units of each token in all bins. */
export const binReserves = ({ bins }: Bins): readonly bigint[] => [
  bins.reduce((sum, { reserveX }) => sum + reserveX, 0n),
  bins.reduce((sum, { reserveY }) => sum + reserveY, 0n),
]

/** Two words a bin, as lenses lay them down: its id, then reserveX in the high and reserveY in the low half. */
export function decodeBins(words: readonly bigint[]): readonly Bin[] {
  return Array.from({ length: words.length / 2 }, (_, i) => {
    const reserves = words[2 * i + 1]!
    return { id: Number(words[2 * i]!), reserveX: reserves >> 128n, reserveY: BigInt.asUintN(128, reserves) }
  })
}
