/**
 * Exact math of reCLAMM pools: x·y = k, where x and y are the sums of real and virtual balances. The virtual balances
 * determine the price range in which the pool holds both tokens. They change with time. Live balances are real balances
 * scaled to 18 decimals and to one unit for both tokens. Follows ReClammMath of balancer/reclamm. Checked against
 * real pools.
 */
import { PoolRefusal } from '../../family.ts'
import { divDown, mulDown, ONE, powDown } from '../../math/balancer.ts'
import { NO_LIMIT } from '../../math/capacity.ts'
import { divUp, max, sqrt } from '../../math/integers.ts'

/** Live or virtual balances of the first token (a) and the second token (b), 18 decimals. */
export type BalancePair = readonly [a: bigint, b: bigint]

/** Kind-specific state of a reCLAMM pool. */
export type Reclamm = {
  readonly kind: 'reclamm'
  /** Virtual balances at the time of the read, 18 decimals. A trade adds them to the real balances. */
  readonly virtual: BalancePair
}

/**
 * Settings of a pool, and its state after the last trade, from which the virtual balances at a later time are computed.
 * Numbers have 18 decimals. Times are Unix seconds. The centeredness is 1 if the price is in the middle of the range,
 * and 0 at its ends.
 */
export type ReclammDynamics = {
  readonly lastTimestamp: bigint
  readonly lastVirtual: BalancePair
  /**
   * Factor by which the virtual balance of the overvalued token is multiplied each second while the range follows the
   * price. The contract has the same name for it.
   */
  readonly dailyPriceShiftBase: bigint
  /** Centeredness below which the range follows the price. */
  readonly centerednessMargin: bigint
  /** Fourth root of the price ratio (highest price divided by lowest price of the range) before an update. */
  readonly startFourthRoot: bigint
  /** Fourth root of the price ratio after the update. */
  readonly endFourthRoot: bigint
  /** Start of the update of the price ratio. */
  readonly updateStart: bigint
  /** End of the update of the price ratio. */
  readonly updateEnd: bigint
}

/** Returns the output of an input without fees. Both amounts have 18 decimals. */
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

/** Maximum seconds since the last trade for which the range moves. */
const MAX_SECONDS = 30n * 86_400n

/** Returns the virtual balances that a trade at the time `now` uses. */
export function virtualBalances(dynamics: ReclammDynamics, liveBalances: BalancePair, now: bigint): BalancePair {
  if (dynamics.lastTimestamp === now) return dynamics.lastVirtual
  const isUpdating = now > dynamics.updateStart && dynamics.lastTimestamp < dynamics.updateEnd
  const virtual = isUpdating
    ? virtualAtRatio(fourthRootAt(dynamics, now), liveBalances, dynamics.lastVirtual)
    : dynamics.lastVirtual
  const { centeredness, isAbove } = centerednessOf(liveBalances, virtual)
  return centeredness < dynamics.centerednessMargin
    ? virtualFollowingPrice(dynamics, liveBalances, virtual, isAbove, now)
    : virtual
}

/**
 * Returns the centeredness, which falls from 1 in the middle of the price range to 0 at its ends. `isAbove` is true if
 * the second token is the scarcer one, compared with the middle. The contract calls the scarcer token overvalued.
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
  { startFourthRoot: start, endFourthRoot: end, updateStart, updateEnd }: ReclammDynamics,
  now: bigint,
) {
  if (now >= updateEnd) return end
  const root = mulDown(start, powDown(divDown(end, start), divDown(now - updateStart, updateEnd - updateStart)))
  const lowerRoot = start < end ? start : end
  return max(root, lowerRoot)
}

/**
 * Returns the virtual balances that give the range a new price ratio and keep the centeredness.
 *
 * @param fourthRoot - fourth root of the price ratio
 */
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
 * Returns the virtual balances of a range that follows the price. The virtual balance of the overvalued token shrinks
 * every second.
 */
function virtualFollowingPrice(
  dynamics: ReclammDynamics,
  liveBalances: BalancePair,
  virtual: BalancePair,
  isAbove: boolean,
  now: bigint,
): BalancePair {
  const [undervaluedIndex, overvaluedIndex] = isAbove ? ([0, 1] as const) : ([1, 0] as const)
  const ratioRoot = sqrt(priceRatio(liveBalances, virtual) * ONE)
  const elapsed = now - dynamics.lastTimestamp
  const seconds = elapsed > MAX_SECONDS ? MAX_SECONDS : elapsed
  const shrunkVirtual = mulDown(virtual[overvaluedIndex], powDown(dynamics.dailyPriceShiftBase, seconds * ONE))
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
