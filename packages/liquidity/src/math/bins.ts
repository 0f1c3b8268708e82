/**
 * Exact math of pools that consist of bins: Liquidity Book pairs and Pancake Infinity bin pools. Each bin trades at one
 * price. A swap empties one bin after the other. Checked against BinHelper, PriceHelper, and Uint128x128Math of joe-v2
 * 2.1 and 2.2, and BinPool of infinity-core.
 */
import { nullIfRefused, PoolRefusal, type PriceCurve } from '../family.ts'
import { asMaxInput, largestInput } from './capacity.ts'
import { CurveBuilder } from './curve-builder.ts'
import { applyEndMargin } from './curve-end.ts'
import { divUp } from './integers.ts'

/** A bin with its reserves, in base units. */
export type Bin = { readonly id: number; readonly reserveX: bigint; readonly reserveY: bigint }

/**
 * Bins of a pool. Bin `id` has the price (1 + binStep / 10,000)^(id − 2²³): base units of token Y per base unit of
 * token X.
 */
export type BinPool = {
  /** Relative price difference between neighboring bins, in basis points. */
  readonly binStep: number
  /** Id of the bin at the current price. */
  readonly activeId: number
  /** Nonempty bins, ascending. */
  readonly bins: readonly Bin[]
  /** True if `bins` contains all nonempty bins below the active bin; false if only the nearest ones were read. */
  readonly allBelow: boolean
  /** Like `allBelow`, for the bins above the active bin. */
  readonly allAbove: boolean
  /** True if the contract reverts a swap that leaves more than `MAX_LIQUIDITY` in a bin. */
  readonly limited: boolean
}

/** Fee of a swap in one bin. */
export type BinFee = {
  /** Fraction of the input, in units of 10⁻¹⁸. */
  readonly rate: bigint
  /** Returns the share of a fee amount, in base units, that leaves the bin as protocol fee. */
  readonly protocolFeeOf: (fee: bigint) => bigint
}

/** Maximum amount of a swap, a uint128. */
const MAX_AMOUNT = (1n << 128n) - 1n
/** Fixed-point one of fee rates. */
const FEE_ONE = 10n ** 18n
/** Fixed-point one of prices. */
const PRICE_ONE = 1n << 128n
const MAX_UINT256 = (1n << 256n) - 1n
/** Id of the bin with price 1. */
const MIDDLE_ID = 1 << 23
/** Number of bits of an exponent that the contract's power function reads. */
const EXPONENT_BITS = 20

/**
 * Returns the price of a bin: base units of token Y per token X, with 128 fractional bits.
 *
 * @throws PoolRefusal `UNSUPPORTED` if the contract cannot represent the price
 */
function binPrice(id: number, binStep: number): bigint {
  const exponent = Math.abs(id - MIDDLE_ID)
  if (exponent === 0) return PRICE_ONE
  // Like the contract, compute the power of 1 / base. The base is above 1, so its powers could overflow.
  let squaredBase = MAX_UINT256 / (PRICE_ONE + (BigInt(binStep) << 128n) / 10_000n)
  let result = PRICE_ONE
  for (let bit = 0; bit < EXPONENT_BITS; bit++) {
    if ((exponent >> bit) & 1) result = (result * squaredBase) >> 128n
    squaredBase = (squaredBase * squaredBase) >> 128n
  }
  if (exponent >> EXPONENT_BITS || result === 0n) throw new PoolRefusal('UNSUPPORTED', `bin ${id} has no price`)
  return id > MIDDLE_ID ? MAX_UINT256 / result : result
}

/**
 * Maximum liquidity of a bin: price·x + y, with 128 fractional bits.
 *
 * @see Constants.MAX_LIQUIDITY_PER_BIN, joe-v2 2.2
 */
const MAX_LIQUIDITY = 65251743116719673010965625540244653191619923014385985379600384103134737n

/** Checks the liquidity of a bin. @param price - of the bin @throws PoolRefusal `TOO_LARGE` above `MAX_LIQUIDITY` */
function checkLiquidity({ reserveX, reserveY }: Bin, price: bigint): void {
  if (price * reserveX + (reserveY << 128n) > MAX_LIQUIDITY)
    throw new PoolRefusal('TOO_LARGE', 'a bin would exceed its maximum liquidity')
}

/** Part of a swap that trades in one bin, in base units. `amountIn` includes `fee`. */
type Fill = { readonly amountIn: bigint; readonly amountOut: bigint; readonly fee: bigint }

/**
 * Returns the part of a swap that one bin trades. The bin accepts at most the input that buys its whole reserve.
 *
 * @param feeRate - as `BinFee.rate`
 * @see BinHelper.getAmounts
 */
function fillBin(bin: Bin, price: bigint, swapForY: boolean, amountIn: bigint, feeRate: bigint): Fill {
  const reserveOut = swapForY ? bin.reserveY : bin.reserveX
  const maxIn = swapForY ? divUp(reserveOut << 128n, price) : divUp(reserveOut * price, PRICE_ONE)
  const maxFee = divUp(maxIn * feeRate, FEE_ONE - feeRate)
  if (amountIn >= maxIn + maxFee) return { amountIn: maxIn + maxFee, amountOut: reserveOut, fee: maxFee }
  const fee = divUp(amountIn * feeRate, FEE_ONE)
  const netIn = amountIn - fee
  // The contract also caps the output at the reserve. Here `netIn` is below `maxIn`, so the output is below the
  // reserve.
  const amountOut = swapForY ? (netIn * price) >> 128n : (netIn << 128n) / price
  return { amountIn, amountOut, fee }
}

/** Returns the bin after a fill. The protocol fee leaves the bin. */
function binAfterFill(
  { id, reserveX, reserveY }: Bin,
  { amountIn, amountOut, fee }: Fill,
  swapForY: boolean,
  protocolFeeOf: BinFee['protocolFeeOf'],
): Bin {
  const addedAmount = amountIn - protocolFeeOf(fee)
  return swapForY
    ? { id, reserveX: reserveX + addedAmount, reserveY: reserveY - amountOut }
    : { id, reserveX: reserveX - amountOut, reserveY: reserveY + addedAmount }
}

/**
 * Swaps exactly `amountIn`, bin by bin.
 *
 * @param swapForY - true to sell token X
 * @param feeOfBin - fee of a bin; called once per bin used, in order
 * @throws PoolRefusal `TOO_SMALL` for no output, `EMPTY` or `TOO_LARGE` if the bins run out or exceed their limit,
 * `UNSUPPORTED` if the contract cannot compute the fee or a price
 */
export function walkBins(
  pool: BinPool,
  swapForY: boolean,
  amountIn: bigint,
  feeOfBin: (id: number) => BinFee,
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
  let remainingInput = amountIn
  let amountOut = 0n
  let binsCrossed = 0
  const indexStep = swapForY ? -1 : 1
  // Index of the first bin in the trade direction. `bins` contains only nonempty bins, so the active bin may be
  // missing.
  let index = swapForY ? bins.findLastIndex(({ id }) => id <= activeId) : bins.findIndex(({ id }) => id >= activeId)
  while (remainingInput > 0n) {
    const bin = bins[index]
    if (!bin) throw outOfBinsRefusal(pool, swapForY, amountIn, remainingInput)
    activeId = bin.id
    if ((swapForY ? bin.reserveY : bin.reserveX) > 0n) {
      const { rate, protocolFeeOf } = feeOfBin(activeId)
      const price = binPrice(activeId, pool.binStep)
      const fill = fillBin(bin, price, swapForY, remainingInput, rate)
      remainingInput -= fill.amountIn
      amountOut += fill.amountOut
      const newBin = binAfterFill(bin, fill, swapForY, protocolFeeOf)
      if (pool.limited) checkLiquidity(newBin, price)
      bins[index] = newBin
    }
    if (remainingInput > 0n) {
      index += indexStep
      binsCrossed++
    }
  }
  if (amountOut === 0n) throw new PoolRefusal('TOO_SMALL', 'too little to buy anything')
  return { amountOut, activeId, bins, binsCrossed }
}

/** Returns the refusal of a swap for which the bins do not suffice. */
function outOfBinsRefusal(
  { allBelow, allAbove, bins }: BinPool,
  swapForY: boolean,
  amountIn: bigint,
  remainingInput: bigint,
): PoolRefusal {
  const acceptedIn = amountIn - remainingInput
  if (!(swapForY ? allBelow : allAbove))
    return new PoolRefusal('TOO_LARGE', `goes beyond the ${bins.length} bins that were read`, { isModelLimit: true })
  return new PoolRefusal(acceptedIn === 0n ? 'EMPTY' : 'TOO_LARGE', `the pool takes ${acceptedIn} of ${amountIn}`)
}

/** Part of the largest trade that uses one bin. `amountIn` includes the fee; `rate` is the fee rate. */
type BinUse = { readonly amountIn: bigint; readonly amountOut: bigint; readonly rate: bigint }

/**
 * Returns the bins that the largest trade uses, in order.
 *
 * @param feeOfBin - as in `walkBins`
 * @param maxAmount - largest input that the contract can represent
 */
function binUsesOfLargestTrade(
  pool: BinPool,
  swapForY: boolean,
  feeOfBin: (id: number) => BinFee,
  maxAmount: bigint,
): readonly BinUse[] {
  const { bins, activeId, binStep, limited } = pool
  const binsAhead = bins.filter(({ id, reserveX, reserveY }) =>
    swapForY ? id <= activeId && reserveY > 0n : id >= activeId && reserveX > 0n,
  )
  const binUses: BinUse[] = []
  let remainingInput = maxAmount
  for (const bin of swapForY ? binsAhead.toReversed() : binsAhead) {
    const binFeeAndPrice = nullIfRefused(() => ({ ...feeOfBin(bin.id), price: binPrice(bin.id, binStep) }))
    if (!binFeeAndPrice) break
    const { rate, price, protocolFeeOf } = binFeeAndPrice
    const fillWithCheck = (amountIn: bigint): Fill => {
      const binFill = fillBin(bin, price, swapForY, amountIn, rate)
      if (limited) checkLiquidity(binAfterFill(bin, binFill, swapForY, protocolFeeOf), price)
      return binFill
    }
    const fullFill = fillBin(bin, price, swapForY, remainingInput, rate)
    if (limited && nullIfRefused(() => fillWithCheck(fullFill.amountIn)) === null) {
      const partialIn = largestInput(fillWithCheck, fullFill.amountIn - 1n)!
      if (partialIn > 0n) binUses.push({ ...fillWithCheck(partialIn), rate })
      break
    }
    binUses.push({ ...fullFill, rate })
    remainingInput -= fullFill.amountIn
    if (remainingInput === 0n) break
  }
  return binUses
}

/** Returns the largest input of a pool of bins, in base units; null for no limit, as in `DexFamily.maxInput`. */
export function maxBinsInput(
  pool: BinPool,
  swapForY: boolean,
  feeOfBin: (id: number) => BinFee,
  maxAmount = MAX_AMOUNT,
): bigint | null {
  const binUses = binUsesOfLargestTrade(pool, swapForY, feeOfBin, maxAmount)
  if (binUses.every(({ amountOut }) => amountOut === 0n)) return 0n
  return asMaxInput(binUses.reduce((sum, { amountIn }) => sum + amountIn, 0n))
}

/**
 * Returns the curve of a pool of bins: one straight line per bin. `keepIn` of the curve contains the fee of the first
 * bin. If another bin has a different fee, the rate of its line is corrected for the difference. A curve must be
 * concave, but a fee that depends on volatility can fall from bin to bin. If a bin then pays a better rate than the bin
 * before it, both bins are merged into one line.
 */
export function binsCurve(
  pool: BinPool,
  swapForY: boolean,
  feeOfBin: (id: number) => BinFee,
  maxAmount = MAX_AMOUNT,
): PriceCurve {
  const binUses = binUsesOfLargestTrade(pool, swapForY, feeOfBin, maxAmount)
  const keepIn = 1 - Number(binUses[0]?.rate ?? 0n) / Number(FEE_ONE)
  const builder = new CurveBuilder()
  const lines: { input: number; output: number }[] = []
  for (const { amountIn, amountOut } of binUses) {
    let line = { input: Number(amountIn) * keepIn, output: Number(amountOut) }
    for (
      let previousLine = lines.at(-1);
      previousLine && line.output * previousLine.input > previousLine.output * line.input;
      previousLine = lines.at(-1)
    ) {
      line = { input: previousLine.input + line.input, output: previousLine.output + line.output }
      lines.pop()
    }
    lines.push(line)
  }
  for (const { input, output } of lines) builder.addLine(output / input, input)
  return applyEndMargin(builder.build(keepIn))
}

/** Returns the total reserves of tokens X and Y in all bins, in base units. */
export const binReserves = ({ bins }: BinPool): readonly bigint[] => [
  bins.reduce((sum, { reserveX }) => sum + reserveX, 0n),
  bins.reduce((sum, { reserveY }) => sum + reserveY, 0n),
]

/**
 * Decodes the bins that a lens (a contract that reads pools in an eth_call) returns. Each bin has two words: the id,
 * then `reserveX` in the high half and `reserveY` in the low half.
 */
export function decodeBins(words: readonly bigint[]): readonly Bin[] {
  return Array.from({ length: words.length / 2 }, (_, i) => {
    const reserves = words[2 * i + 1]!
    return { id: Number(words[2 * i]!), reserveX: reserves >> 128n, reserveY: BigInt.asUintN(128, reserves) }
  })
}
