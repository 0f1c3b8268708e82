/** Checked against the deployed dex of Scroll; TradeMatcher and SwapCurve of CrocSwap/CrocSwap-protocol at 33f339d. */
import { orRefused, PoolRefusal } from '../../family.ts'
import { largestInput } from '../../math/capacity.ts'
import {
  between,
  type Curve,
  estimate,
  liquidityOf,
  MAX_ROOT,
  MAX_TICK,
  MIN_ROOT,
  MIN_TICK,
  precisionOf,
  priceAfter,
  rootAtTick,
  tickAtRoot,
  withFee,
  within,
} from './curve.ts'
import type { AmbientLevel, AmbientState } from './types.ts'

const FEE_UNIT = 1_000_000n
const TAKE_UNIT = 256n
/** Units that the dex keeps back of every amount that it does not fix. */
const CUSHION = 4n
/** Flows are signed. */
const MOST_FLOW = (1n << 127n) - 1n
/** Bits of a lot, and the flag in its number that tells of liquidity which is taken out when it is passed. */
const LOT_BITS = 10n
const KNOCKOUT = 1n
/** Ticks of a word of the bitmap. */
const WORD = 256
/** Each costs the swap thousands of gas. */
const MOST_LEGS = 2_000

export type AmbientSwap = {
  /** Less than was asked for where the price limit was met. */
  readonly amountIn: bigint
  readonly amountOut: bigint
  readonly state: AmbientState
  readonly levelsCrossed: number
}

type Progress = { curve: Curve; left: bigint; paid: bigint }

/** A leg of a swap: the liquidity and the square root of the price before it, and what was sold and paid up to its end. */
export type Leg = {
  readonly liquidity: bigint
  readonly priceRoot: bigint
  readonly sold: bigint
  readonly paid: bigint
}

/**
 * Sells up to `amount`: the base where it buys. Legs end at the next level and at the ends of words of the bitmap; the fee of each is
 * counted from what the leg would give, and put into the curve before it.
 *
 * @param limit - square root of the last price
 * @param onLeg - called after each leg
 * @throws PoolRefusal where the dex reverts
 */
export function swapExactInput(
  state: AmbientState,
  isBuy: boolean,
  amount: bigint,
  limit: bigint,
  onLeg?: (leg: Leg) => void,
): AmbientSwap {
  const { priceRoot, levels } = state
  if (state.knockedOut) throw new PoolRefusal('UNSUPPORTED', 'liquidity was taken out, how much is not known')
  if (isBuy ? priceRoot > limit : priceRoot < limit) throw new PoolRefusal('TOO_LARGE', 'the price is past its limit')
  if (amount > MOST_FLOW) throw new PoolRefusal('TOO_LARGE', 'sells more than 127 bits')
  const now: Progress = { curve: state, left: amount, paid: 0n }
  const goesOn = () => now.left > 0n && (isBuy ? now.curve.priceRoot < limit : now.curve.priceRoot > limit)
  const go = (to: bigint) => {
    const before = now.curve
    runLeg(now, state, isBuy, to, to === inBounds(limit))
    const { priceRoot } = before
    onLeg?.({ liquidity: liquidityOf(before), priceRoot, sold: amount - now.left, paid: now.paid })
  }
  let tick = tickAtRoot(priceRoot)
  let levelsCrossed = 0
  let knockedOut = false
  for (let legs = 0; ; legs++) {
    if (legs > MOST_LEGS)
      throw new PoolRefusal('TOO_LARGE', `beyond ${MOST_LEGS} words and levels`, { isOwnLimit: true })
    const edge = Math.floor(tick / WORD) * WORD + (isBuy ? WORD : 0)
    let level = nextLevel(levels, tick, isBuy)
    const isNear = level && (isBuy ? level[0] < edge : level[0] >= edge)
    go(boundOf(isNear ? level![0] : edge, limit, isBuy))
    if (!goesOn()) break
    if (!isNear) {
      // A level that is the end of the word is met with it.
      level = nextLevel(levels, edge - 1, isBuy)
      if (level?.[0] !== edge) {
        go(level ? boundOf(level[0], limit, isBuy) : inBounds(limit))
        if (!goesOn()) break
      }
    }
    if (!level) throw new PoolRefusal('TOO_LARGE', 'prices end')
    cross(now, level, isBuy)
    levelsCrossed++
    knockedOut ||= ((isBuy ? level[2] : level[1]) & KNOCKOUT) !== 0n
    tick = isBuy ? level[0] : level[0] - 1
    if (!goesOn()) break
  }
  if (now.paid > MOST_FLOW) throw new PoolRefusal('TOO_LARGE', 'buys more than 127 bits')
  const readRoot = state.readRoot ?? priceRoot
  const after: AmbientState = { ...state, ...now.curve, readRoot, ...(knockedOut && { knockedOut }) }
  return { amountIn: amount - now.left, amountOut: now.paid, state: after, levelsCrossed }
}

/** The first level above a tick, or the last that is not above it. */
function nextLevel(levels: readonly AmbientLevel[], tick: number, isBuy: boolean): AmbientLevel | undefined {
  return isBuy ? levels.find(([at]) => at > tick) : levels.findLast(([at]) => at <= tick)
}

/** The price at which a leg to a tick ends: for a purchase the last below it. */
function boundOf(tick: number, limit: bigint, isBuy: boolean): bigint {
  if (tick <= MIN_TICK || tick >= MAX_TICK) return inBounds(limit)
  const root = isBuy ? rootAtTick(tick) - 1n : rootAtTick(tick)
  return inBounds((isBuy ? root < limit : root > limit) ? root : limit)
}

const inBounds = (root: bigint): bigint => (root < MIN_ROOT ? MIN_ROOT : root >= MAX_ROOT ? MAX_ROOT - 1n : root)

/** Goes on to a price, or as far as what is left to sell reaches. @param isLast - true when the price is the limit of the swap */
function runLeg(
  now: Progress,
  { feeRate, protocolTake }: AmbientState,
  isBuy: boolean,
  limit: bigint,
  isLast: boolean,
): void {
  const before = liquidityOf(now.curve)
  const wouldSell = atMost(between(before, now.curve.priceRoot, limit, isBuy), now.left)
  const fee = (estimate(before, now.curve.priceRoot, wouldSell, isBuy) * feeRate) / FEE_UNIT
  now.curve = withFee(now.curve, fee - (fee * protocolTake) / TAKE_UNIT, !isBuy)
  const { priceRoot } = now.curve
  const liquidity = liquidityOf(now.curve)
  const toLimit = between(liquidity, priceRoot, limit, isBuy)
  const hitsLimit = toLimit < now.left
  const next = hitsLimit ? limit : priceAfter(liquidity, priceRoot, now.left, isBuy)
  // Rounded up, the price of a sale of next to nothing would rise, which the dex refuses.
  if (!isBuy && next > priceRoot) throw new PoolRefusal('TOO_SMALL', 'too little to move the price')
  now.left = hitsLimit ? now.left - toLimit - CUSHION : 0n
  // The dex itself gives up on a swap that ends where a leg does.
  if (hitsLimit ? now.left <= 0n : isBuy ? next >= limit : next <= limit)
    throw new PoolRefusal(isLast ? 'TOO_LARGE' : 'UNSUPPORTED', 'the swap would end where a leg does')
  now.paid += between(liquidity, priceRoot, next, !isBuy) - CUSHION - fee
  now.curve = { ...now.curve, priceRoot: next }
}

const atMost = (value: bigint, most: bigint): bigint => (value > most ? most : value)

/** Takes in what the level adds, and moves the price past it by one unit, which is paid for. */
function cross(now: Progress, [, bidLots, askLots]: AmbientLevel, isBuy: boolean): void {
  const net = ((bidLots & ~KNOCKOUT) - (askLots & ~KNOCKOUT)) << LOT_BITS
  const curve = { ...now.curve, concLiq: within(now.curve.concLiq + (isBuy ? net : -net)) }
  const burnt = precisionOf(liquidityOf(curve), curve.priceRoot, isBuy)
  if (now.left <= burnt) throw new PoolRefusal('UNSUPPORTED', 'the swap would end at a level')
  now.left -= burnt
  const { priceRoot } = curve
  now.curve = {
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

/** Doublings of the price's root that a swap may go: far beyond any that pays, yet near, since flows up to the limit have 128 bits. */
const ROOM = 4
/** Powers of two inside of the dex's prices. */
const [LOWEST_BITS, HIGHEST_BITS] = [17, 123]

/** The price limit that the program gives a swap: two to the power of this, from 16 to 32 times the root away. */
export function limitBitsOf({ priceRoot, readRoot = priceRoot }: AmbientState, isBuy: boolean): number {
  const bits = readRoot.toString(2).length
  return isBuy ? Math.min(HIGHEST_BITS, bits + ROOM) : Math.max(LOWEST_BITS, bits - 1 - ROOM)
}

/** The legs of a swap of all that the pool takes: those of smaller swaps are the same, but for the last. */
export function legsOf(state: AmbientState, isBuy: boolean): readonly Leg[] {
  const legs: Leg[] = []
  orRefused(() =>
    swapExactInput(state, isBuy, MOST_FLOW, 1n << BigInt(limitBitsOf(state, isBuy)), (leg) => legs.push(leg)),
  )
  return legs
}

/** The largest input that `quote` accepts, as `DexFamily.maxInput`: it meets the price limit. @param precisionBits - as `largestInput` */
export function maxInput(state: AmbientState, isBuy: boolean, precisionBits?: number): bigint | null {
  const limit = 1n << BigInt(limitBitsOf(state, isBuy))
  const taken = orRefused(() => swapExactInput(state, isBuy, MOST_FLOW, limit).amountIn)
  return largestInput((amountIn) => quote(state, isBuy, amountIn), taken ?? MOST_FLOW, precisionBits)
}

/**
 * The output of an exact input within that limit.
 *
 * @throws PoolRefusal where the dex reverts, takes less or gives nothing
 */
export function quote(state: AmbientState, isBuy: boolean, amountIn: bigint): AmbientSwap {
  const swap = swapExactInput(state, isBuy, amountIn, 1n << BigInt(limitBitsOf(state, isBuy)))
  if (swap.amountIn < amountIn)
    throw new PoolRefusal('TOO_LARGE', 'the price limit of the step is met before the amount ends', {
      isOwnLimit: true,
    })
  if (swap.amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  return swap
}
