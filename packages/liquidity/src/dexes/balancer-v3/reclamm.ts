/**
 * Exact math of reCLAMM pools: x·y = k with virtual balances, which determine the range of prices at which the pool has
 * both tokens, and which change with time. Follows ReClammMath of balancer/reclamm. Checked against real pools.
 */
import { PoolRefusal } from '../../family.ts'
import { divDown, mulDown, ONE, powDown } from '../../math/balancer.ts'
import { NO_LIMIT } from '../../math/capacity.ts'
import { divUp, max, sqrt } from '../../math/integers.ts'

/** Balances of the first token (a) and the second token (b), 18 decimals. */
export type BalancePair = readonly [a: bigint, b: bigint]

export type Reclamm = {
  readonly kind: 'reclamm'
  /** Virtual offsets of the balances at the time of the read; 18 decimals. */
  readonly virtual: BalancePair
}

/** Settings of a pool and the state after its last trade: 18 decimals, times in seconds. */
export type ReclammClock = {
  readonly lastTimestamp: bigint
  readonly lastVirtual: BalancePair
  /** Factor by which a virtual balance shrinks per second out of range. */
  readonly dailyPriceShiftBase: bigint
  /** Centeredness below which the range follows the price. */
  readonly centerednessMargin: bigint
  /**
   * Fourth roots of the range's price ratio (its highest divided by its lowest price) before and after an update, and
   * the times of the update.
   */
  readonly startFourthRoot: bigint
  readonly endFourthRoot: bigint
  readonly updateStart: bigint
  readonly updateEnd: bigint
}

/** Returns the output of an input without fees; 18 decimals of the common unit. */
export function reclammOut({ virtual }: Reclamm, liveBalances: readonly bigint[], i: number, amountIn: bigint): bigint {
  const outIndex = 1 - i
  const amountOut =
    ((liveBalances[outIndex]! + virtual[outIndex]!) * amountIn) / (liveBalances[i]! + virtual[i]! + amountIn)
  if (amountOut > liveBalances[outIndex]!) throw new PoolRefusal('TOO_LARGE', 'more than the pool has')
  return amountOut
}

/** Returns the approximate largest input, which buys the whole reserve. */
export function reclammLimit({ virtual }: Reclamm, liveBalances: readonly bigint[], i: number): bigint {
  const outIndex = 1 - i
  return virtual[outIndex]! > 0n
    ? (liveBalances[outIndex]! * (liveBalances[i]! + virtual[i]!)) / virtual[outIndex]!
    : NO_LIMIT
}

/** Maximum time since the last trade, in seconds, that counts for the move of the range. */
const MAX_SECONDS = 30n * 86_400n

/** Returns the virtual balances of a trade at `now`. */
export function virtualBalances(clock: ReclammClock, liveBalances: BalancePair, now: bigint): BalancePair {
  if (clock.lastTimestamp === now) return clock.lastVirtual
  const isUpdating = now > clock.updateStart && clock.lastTimestamp < clock.updateEnd
  const virtual = isUpdating
    ? virtualAtRatio(fourthRootAt(clock, now), liveBalances, clock.lastVirtual)
    : clock.lastVirtual
  const { centeredness, isAbove } = centerednessOf(liveBalances, virtual)
  return centeredness < clock.centerednessMargin
    ? virtualFollowingPrice(clock, liveBalances, virtual, isAbove, now)
    : virtual
}

/**
 * Returns how close the balances are to the middle of the range: from 0 at an end to 1 in the middle. `isAbove` is true
 * if the pool has relatively little of the second token, which is then the overvalued token.
 */
function centerednessOf(
  [a, b]: BalancePair,
  [virtualA, virtualB]: BalancePair,
): { readonly centeredness: bigint; readonly isAbove: boolean } {
  if (a === 0n) return { centeredness: 0n, isAbove: false }
  if (b === 0n) return { centeredness: 0n, isAbove: true }
  const [first, second] = [a * virtualB, b * virtualA]
  return first <= second
    ? { centeredness: divDown(first, second), isAbove: false }
    : { centeredness: divDown(second, first), isAbove: true }
}

/** Returns the fourth root of the price ratio of the range, interpolated during an update. */
function fourthRootAt(
  { startFourthRoot: start, endFourthRoot: end, updateStart, updateEnd }: ReclammClock,
  now: bigint,
) {
  if (now >= updateEnd) return end
  const root = mulDown(start, powDown(divDown(end, start), divDown(now - updateStart, updateEnd - updateStart)))
  const lowerRoot = start < end ? start : end
  return max(root, lowerRoot)
}

/** Returns virtual balances for a price ratio that keep the centeredness. */
function virtualAtRatio(fourthRoot: bigint, liveBalances: BalancePair, lastVirtual: BalancePair): BalancePair {
  const { centeredness: c, isAbove } = centerednessOf(liveBalances, lastVirtual)
  const [undervaluedIndex, overvaluedIndex] = isAbove ? ([0, 1] as const) : ([1, 0] as const)
  const ratio = mulDown(fourthRoot, fourthRoot)
  const undervaluedVirtual =
    (liveBalances[undervaluedIndex] * (ONE + c + sqrt(c * (c + 4n * ratio - 2n * ONE) + ONE * ONE))) /
    (2n * (ratio - ONE))
  const overvaluedVirtual = (undervaluedVirtual * lastVirtual[overvaluedIndex]) / lastVirtual[undervaluedIndex]
  return isAbove ? [undervaluedVirtual, overvaluedVirtual] : [overvaluedVirtual, undervaluedVirtual]
}

/**
 * Returns the virtual balances of a range that follows the price. The pool has little of the overvalued token, and the
 * virtual balance of that token shrinks every second.
 */
function virtualFollowingPrice(
  clock: ReclammClock,
  liveBalances: BalancePair,
  virtual: BalancePair,
  isAbove: boolean,
  now: bigint,
): BalancePair {
  const [undervaluedIndex, overvaluedIndex] = isAbove ? ([0, 1] as const) : ([1, 0] as const)
  const ratioRoot = sqrt(priceRatio(liveBalances, virtual) * ONE)
  const elapsed = now - clock.lastTimestamp
  const seconds = elapsed > MAX_SECONDS ? MAX_SECONDS : elapsed
  const shrunkVirtual = mulDown(virtual[overvaluedIndex], powDown(clock.dailyPriceShiftBase, seconds * ONE))
  const minVirtual = divDown(liveBalances[overvaluedIndex], sqrt(ratioRoot * ONE) - ONE)
  const overvaluedVirtual = max(shrunkVirtual, minVirtual)
  const undervaluedVirtual =
    (liveBalances[undervaluedIndex] * (overvaluedVirtual + liveBalances[overvaluedIndex])) /
    (mulDown(ratioRoot - ONE, overvaluedVirtual) - liveBalances[overvaluedIndex])
  return isAbove ? [undervaluedVirtual, overvaluedVirtual] : [overvaluedVirtual, undervaluedVirtual]
}

/** Returns the highest price of the range divided by its lowest price, 18 decimals. */
function priceRatio(liveBalances: BalancePair, [virtualA, virtualB]: BalancePair): bigint {
  const invariant = mulDown(liveBalances[0] + virtualA, liveBalances[1] + virtualB)
  const highestPrice = divDown(invariant, mulDown(virtualA, virtualA))
  return divUp(highestPrice * ONE, (virtualB * virtualB) / invariant)
}
