/**
 * Exact swaps of Ambient pools. A level is a tick at which liquidity changes. A buy (`isBuy`) sells base tokens for
 * quote tokens, and raises the price. A sale does the reverse. A root is a √price with 64 fractional bits. Follows
 * TradeMatcher and SwapCurve of CrocSwap/CrocSwap-protocol at 33f339d. Checked against the deployed contract on Scroll.
 */
import { nullIfRefused, PoolRefusal } from '../../family.ts'
import { largestInput } from '../../math/capacity.ts'
import { min } from '../../math/integers.ts'
import {
  addFee,
  checkedUint128,
  estimateOutput,
  KNOCKOUT,
  liquidityNetOf,
  liquidityOf,
  MAX_ROOT,
  MAX_TICK,
  MIN_ROOT,
  MIN_TICK,
  rootAfterInput,
  rootAtTick,
  type SegmentState,
  tickAtRoot,
  tokensBetween,
  tokensPerRootUnit,
} from './curve.ts'
import type { AmbientLevel, AmbientState } from './types.ts'

/** Fixed-point one of fees. */
export const FEE_UNIT = 1_000_000n
/** Fixed-point one of the protocol's share of a fee. */
export const TAKE_UNIT = 256n
/** Base units by which the contract increases the input and reduces the output of a leg, to cover rounding. */
const ROUNDING_BUFFER = 4n
/** Maximum input or output of a swap, which the contract stores as int128. */
const MAX_FLOW = (1n << 127n) - 1n
/** Ticks per bitmap word. */
const TICKS_PER_WORD = 256
/** Maximum rounds of a swap's loop. Each round runs one or two legs. A leg costs thousands of gas. */
const MAX_ROUNDS = 2_000

/** Result of a swap. */
export type AmbientSwap = {
  /** Input that the swap takes: less than requested if it reaches the price limit. */
  readonly amountIn: bigint
  readonly amountOut: bigint
  readonly state: AmbientState
  readonly levelsCrossed: number
}

/** State of a swap between two legs. */
type Progress = {
  curve: SegmentState
  remainingInput: bigint
  /** Output of the swap so far. */
  paidAmount: bigint
}

/** A leg: the part of a swap up to the next level or the end of a bitmap word. */
export type CurveLeg = {
  /** Liquidity before the leg. */
  readonly liquidity: bigint
  /** √price before the leg. */
  readonly priceRoot: bigint
  /** Total input of the swap up to the end of the leg. */
  readonly totalSold: bigint
  /** Total output of the swap up to the end of the leg. */
  readonly totalPaid: bigint
}

/**
 * Sells up to `amount` (base tokens if `isBuy`). The fee of each leg is computed from the estimated output of the leg.
 * The fee without the protocol's share is added to the curve before the leg trades.
 *
 * @param limitRoot - √price at which the swap stops
 * @param onLeg - called after each leg
 * @throws PoolRefusal if the contract would revert
 */
export function swapExactInput(
  state: AmbientState,
  isBuy: boolean,
  amount: bigint,
  limitRoot: bigint,
  onLeg?: (leg: CurveLeg) => void,
): AmbientSwap {
  const { priceRoot, levels } = state
  if (state.knockedOut) throw new PoolRefusal('UNSUPPORTED', 'an unknown amount of liquidity was removed')
  if (isBuy ? priceRoot > limitRoot : priceRoot < limitRoot)
    throw new PoolRefusal('TOO_LARGE', 'the price is past its limit')
  if (amount > MAX_FLOW) throw new PoolRefusal('TOO_LARGE', 'sells more than 127 bits')
  const progress: Progress = { curve: state, remainingInput: amount, paidAmount: 0n }
  const canContinue = () =>
    progress.remainingInput > 0n &&
    (isBuy ? progress.curve.priceRoot < limitRoot : progress.curve.priceRoot > limitRoot)
  const runLegTo = (legEnd: bigint) => {
    const { curve } = progress
    runLeg(progress, state, isBuy, legEnd, legEnd === clampRoot(limitRoot))
    onLeg?.({
      liquidity: liquidityOf(curve),
      priceRoot: curve.priceRoot,
      totalSold: amount - progress.remainingInput,
      totalPaid: progress.paidAmount,
    })
  }
  let tick = tickAtRoot(priceRoot)
  let levelsCrossed = 0
  let knockedOut = false
  for (let round = 0; ; round++) {
    if (round > MAX_ROUNDS)
      throw new PoolRefusal('TOO_LARGE', `beyond ${MAX_ROUNDS} bitmap words and levels`, { isModelLimit: true })
    const wordEnd = Math.floor(tick / TICKS_PER_WORD) * TICKS_PER_WORD + (isBuy ? TICKS_PER_WORD : 0)
    let level = nextLevel(levels, tick, isBuy)
    const isLevelInWord = level && (isBuy ? level[0] < wordEnd : level[0] >= wordEnd)
    runLegTo(legEndOf(isLevelInWord ? level![0] : wordEnd, limitRoot, isBuy))
    if (!canContinue()) break
    if (!isLevelInWord) {
      // The level can be exactly at the end of the word.
      level = nextLevel(levels, wordEnd - 1, isBuy)
      if (level?.[0] !== wordEnd) {
        runLegTo(level ? legEndOf(level[0], limitRoot, isBuy) : clampRoot(limitRoot))
        if (!canContinue()) break
      }
    }
    if (!level) throw new PoolRefusal('TOO_LARGE', 'the swap reaches the last price of the contract')
    crossLevel(progress, level, isBuy)
    levelsCrossed++
    knockedOut ||= ((isBuy ? level[2] : level[1]) & KNOCKOUT) !== 0n
    tick = isBuy ? level[0] : level[0] - 1
    if (!canContinue()) break
  }
  if (progress.paidAmount > MAX_FLOW) throw new PoolRefusal('TOO_LARGE', 'buys more than 127 bits')
  const readRoot = state.readRoot ?? priceRoot
  const stateAfter: AmbientState = { ...state, ...progress.curve, readRoot, ...(knockedOut && { knockedOut }) }
  return {
    amountIn: amount - progress.remainingInput,
    amountOut: progress.paidAmount,
    state: stateAfter,
    levelsCrossed,
  }
}

/** Returns the first level above a tick for a buy, or the last level at or below the tick for a sale. */
function nextLevel(levels: readonly AmbientLevel[], tick: number, isBuy: boolean): AmbientLevel | undefined {
  return isBuy ? levels.find(([levelTick]) => levelTick > tick) : levels.findLast(([levelTick]) => levelTick <= tick)
}

/** Returns the √price at which a leg to a tick ends; for a buy, the last √price below the tick. */
function legEndOf(tick: number, limitRoot: bigint, isBuy: boolean): bigint {
  if (tick <= MIN_TICK || tick >= MAX_TICK) return clampRoot(limitRoot)
  const root = isBuy ? rootAtTick(tick) - 1n : rootAtTick(tick)
  return clampRoot((isBuy ? root < limitRoot : root > limitRoot) ? root : limitRoot)
}

/** Returns the nearest √price that the contract supports. */
const clampRoot = (root: bigint): bigint => (root < MIN_ROOT ? MIN_ROOT : root >= MAX_ROOT ? MAX_ROOT - 1n : root)

/**
 * Runs a leg: moves the price to `endRoot`, or until the input is used up.
 *
 * @param isLast - true if `endRoot` is the price limit of the swap
 */
function runLeg(
  progress: Progress,
  { feeRate, protocolTake }: AmbientState,
  isBuy: boolean,
  endRoot: bigint,
  isLast: boolean,
): void {
  const liquidityBefore = liquidityOf(progress.curve)
  const estimatedSold = min(
    tokensBetween(liquidityBefore, progress.curve.priceRoot, endRoot, isBuy),
    progress.remainingInput,
  )
  const fee = (estimateOutput(liquidityBefore, progress.curve.priceRoot, estimatedSold, isBuy) * feeRate) / FEE_UNIT
  progress.curve = addFee(progress.curve, fee - (fee * protocolTake) / TAKE_UNIT, !isBuy)
  const { priceRoot } = progress.curve
  const liquidity = liquidityOf(progress.curve)
  const soldToEnd = tokensBetween(liquidity, priceRoot, endRoot, isBuy)
  const reachesEnd = soldToEnd < progress.remainingInput
  const nextRoot = reachesEnd ? endRoot : rootAfterInput(liquidity, priceRoot, progress.remainingInput, isBuy)
  // For a tiny sale, the rounded price would rise, and the contract would revert.
  if (!isBuy && nextRoot > priceRoot) throw new PoolRefusal('TOO_SMALL', 'too little to move the price')
  progress.remainingInput = reachesEnd ? progress.remainingInput - soldToEnd - ROUNDING_BUFFER : 0n
  // The contract reverts if a swap ends exactly at the end of a leg.
  if (reachesEnd ? progress.remainingInput <= 0n : isBuy ? nextRoot >= endRoot : nextRoot <= endRoot)
    throw new PoolRefusal(isLast ? 'TOO_LARGE' : 'UNSUPPORTED', 'the swap would end exactly at the end of a leg')
  progress.paidAmount += tokensBetween(liquidity, priceRoot, nextRoot, !isBuy) - ROUNDING_BUFFER - fee
  progress.curve = { ...progress.curve, priceRoot: nextRoot }
}

/**
 * Applies a level's change of liquidity, and moves the price past the level by the smallest unit of √price. The move
 * consumes input.
 */
function crossLevel(progress: Progress, level: AmbientLevel, isBuy: boolean): void {
  const net = liquidityNetOf(level)
  const curve = { ...progress.curve, concLiq: checkedUint128(progress.curve.concLiq + (isBuy ? net : -net)) }
  const consumedByRounding = tokensPerRootUnit(liquidityOf(curve), curve.priceRoot, isBuy)
  if (progress.remainingInput <= consumedByRounding)
    throw new PoolRefusal('UNSUPPORTED', 'the swap would end at a level')
  progress.remainingInput -= consumedByRounding
  const { priceRoot } = curve
  progress.curve = {
    ...curve,
    priceRoot: isBuy
      ? priceRoot < MAX_ROOT - 1n
        ? priceRoot + 1n
        : priceRoot
      : priceRoot > MIN_ROOT
        ? priceRoot - 1n
        : priceRoot,
  }
}

/**
 * Minimum number of times that √price can double or halve before a swap reaches its price limit. Useful trades move it less.
 */
const LIMIT_DOUBLINGS = 4
/** Smallest and largest exponent of a power of two that is a valid price limit. */
const [MIN_LIMIT_BITS, MAX_LIMIT_BITS] = [17, 123]

/**
 * Returns the exponent of the price limit of a swap on chain. The limit is a power of two: 16 to 32 times the √price that
 * was read for a buy, and a 16th to a 32nd of it for a sale.
 */
export function limitBitsOf({ priceRoot, readRoot = priceRoot }: AmbientState, isBuy: boolean): number {
  const bits = readRoot.toString(2).length
  return isBuy ? Math.min(MAX_LIMIT_BITS, bits + LIMIT_DOUBLINGS) : Math.max(MIN_LIMIT_BITS, bits - 1 - LIMIT_DOUBLINGS)
}

/** Returns the legs of the largest swap. A smaller swap has the same legs, except its last leg. */
export function legsOf(state: AmbientState, isBuy: boolean): readonly CurveLeg[] {
  const legs: CurveLeg[] = []
  nullIfRefused(() =>
    swapExactInput(state, isBuy, MAX_FLOW, 1n << BigInt(limitBitsOf(state, isBuy)), (leg) => legs.push(leg)),
  )
  return legs
}

/**
 * Implements `DexFamily.maxInput`: returns the largest input that `quote` accepts. This input moves the price almost to the
 * price limit of the swap.
 *
 * @param precisionBits - as in `largestInput`
 */
export function maxInput(state: AmbientState, isBuy: boolean, precisionBits?: number): bigint | null {
  const limit = 1n << BigInt(limitBitsOf(state, isBuy))
  const maxIn = nullIfRefused(() => swapExactInput(state, isBuy, MAX_FLOW, limit).amountIn)
  return largestInput((amountIn) => quote(state, isBuy, amountIn), maxIn ?? MAX_FLOW, precisionBits)
}

/**
 * Quotes an exact input within the price limit.
 *
 * @throws PoolRefusal if the contract would revert, take only part of the input, or pay nothing
 */
export function quote(state: AmbientState, isBuy: boolean, amountIn: bigint): AmbientSwap {
  const swapResult = swapExactInput(state, isBuy, amountIn, 1n << BigInt(limitBitsOf(state, isBuy)))
  if (swapResult.amountIn < amountIn)
    throw new PoolRefusal('TOO_LARGE', 'the price reaches the limit of the step before all input is sold', {
      isModelLimit: true,
    })
  if (swapResult.amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  return swapResult
}
