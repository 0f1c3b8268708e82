/**
 * Exact math of iZiSwap pools. X is the first token, and Y is the second token. A point is iZiSwap's tick, and all
 * liquidity at a point trades at one price. Positions start and end at endpoints. Any point can have limit orders.
 * Checked against swapX2Y.sol, swapY2X.sol, and PointBitmap of iZiSwap-core at 3e8f627.
 */
import { PPM } from '@sluice/chains'
import { nullIfRefused, PoolRefusal } from '../../family.ts'
import { largestInput } from '../../math/capacity.ts'
import { divUp } from '../../math/integers.ts'
import { sqrtRatioAtTick } from '../../math/ticks.ts'
import { fillWithX, fillWithY, type RangeMove, sellXInRange, sellYInRange, type TradePosition } from './range.ts'
import type { IziswapState, LiquidityPoint } from './types.ts'

/** Maximum point of any pool, before it is rounded down to a multiple of the pool's `pointDelta`. */
const MAX_POINT = 800_000
/** Returns the maximum point of a pool. The minimum point is its negative. @param pointDelta - points per bitmap bit */
export const farthestPoint = (pointDelta: number): number => Math.trunc(MAX_POINT / pointDelta) * pointDelta
const MAX_UINT128 = (1n << 128n) - 1n

/** Trade in progress. The functions below change it. */
type Trade = {
  /** Parts per million of the input. */
  readonly fee: bigint
  position: TradePosition
  /** Points of the pool; replaced by a changed copy when the trade fills an order. */
  points: readonly LiquidityPoint[]
  remainingInput: bigint
  amountOut: bigint
  pointsPassed: number
  isDone: boolean
}

/** Result of a trade. */
export type IziswapTrade = {
  /** Input that the pool took, which may be less than requested. */
  readonly amountIn: bigint
  readonly amountOut: bigint
  readonly state: IziswapState
  /** Number of endpoints that the trade crossed, plus number of points at which it filled orders. */
  readonly pointsPassed: number
}

/** Returns the index in `points` of the first entry at or above `point`. */
function firstIndexAtOrAbove(points: readonly LiquidityPoint[], point: number): number {
  let low = 0
  let high = points.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (points[middle]!.point < point) low = middle + 1
    else high = middle
  }
  return low
}

/** True if the point's bit in the pool's bitmap is set. */
const isInBitmap = ({ endpoint, order }: LiquidityPoint) => endpoint || order

/** Returns the remaining input without its fee. Marks the trade as done if nothing remains. */
function netInputOrEnd(trade: Trade): bigint {
  const amount = (trade.remainingInput * (PPM - trade.fee)) / PPM
  if (amount === 0n) trade.isDone = true
  return amount
}

/**
 * Records a part of the trade: subtracts its cost and the fee on the cost from the remaining input, and adds its
 * output.
 *
 * @param amount - remaining input without its fee; if `cost` is at least this amount, no input remains
 */
function recordFill(
  trade: Trade,
  { cost, output }: { readonly cost: bigint; readonly output: bigint },
  amount: bigint,
): void {
  trade.remainingInput = cost >= amount ? 0n : trade.remainingInput - cost - divUp(cost * trade.fee, PPM - trade.fee)
  trade.amountOut += output
}

/** Moves the trade through a range. @param amount - remaining input without its fee */
function applyRangeMove(trade: Trade, rangeMove: RangeMove, amount: bigint): void {
  recordFill(trade, rangeMove, amount)
  trade.isDone = rangeMove.isFinished
  const { point, price, liquidityX } = rangeMove
  trade.position = { ...trade.position, point, price, liquidityX }
}

/** Fills limit orders at a point. @param index - of the point in `trade.points` */
function fillOrders(trade: Trade, index: number, sellsX: boolean): void {
  const filledPoint = trade.points[index]!
  const amount = netInputOrEnd(trade)
  if (trade.isDone) return
  const offeredAmount = sellsX ? filledPoint.sellingY : filledPoint.sellingX
  const orderFill = (sellsX ? fillWithX : fillWithY)(amount, trade.position.price, offeredAmount)
  if (orderFill.output < offeredAmount || orderFill.cost >= amount) trade.isDone = true
  recordFill(trade, orderFill, amount)
  const [sellingX, sellingY] = sellsX
    ? [filledPoint.sellingX, offeredAmount - orderFill.output]
    : [offeredAmount - orderFill.output, filledPoint.sellingY]
  const order = sellingX > 0n || sellingY > 0n
  trade.points = trade.points.with(index, { ...filledPoint, sellingX, sellingY, order })
  trade.pointsPassed++
}

/** Returns the position of a trade at a point. */
const positionAt = (point: number, liquidity: bigint, liquidityX: bigint): TradePosition => ({
  point,
  price: sqrtRatioAtTick(point),
  liquidity,
  liquidityX,
})

/**
 * Returns the next point at or below `fromPoint` at which the contract stops: a point in the bitmap, the end of the
 * bitmap word, or `lowestPoint`.
 */
function nextBelow({ points }: Trade, fromPoint: number, pointDelta: number, lowestPoint: number): number {
  const bitIndex = Math.floor(fromPoint / pointDelta)
  const wordEnd = Math.floor(bitIndex / 256) * 256 * pointDelta
  let index = firstIndexAtOrAbove(points, fromPoint + 1) - 1
  while (index >= 0 && !isInBitmap(points[index]!)) index--
  return Math.max(wordEnd, points[index]?.point ?? -Infinity, lowestPoint)
}

/** Returns the next point above `fromPoint` at which the contract stops, like `nextBelow`. */
function nextAbove({ points }: Trade, fromPoint: number, pointDelta: number, highestPoint: number): number {
  const bitIndex = Math.floor(fromPoint / pointDelta) + 1
  const wordEnd = (Math.floor(bitIndex / 256) * 256 + 255) * pointDelta
  let index = firstIndexAtOrAbove(points, fromPoint + 1)
  while (index < points.length && !isInBitmap(points[index]!)) index++
  return Math.min(wordEnd, points[index]?.point ?? Infinity, highestPoint)
}

/** Returns the entry of a point in `points`, if it has one, and the index where the entry is or would be. */
function pointAt(
  trade: Trade,
  point: number,
): { readonly index: number; readonly liquidityPoint: LiquidityPoint | undefined } {
  const index = firstIndexAtOrAbove(trade.points, point)
  const candidate = trade.points[index]
  return { index, liquidityPoint: candidate?.point === point ? candidate : undefined }
}

/**
 * True if there is no liquidity in range, and `points` has no entry from the current point on in the trade direction.
 */
const hasNothingToBuy = ({ position, points }: Trade, isUp: boolean) =>
  position.liquidity === 0n && !points.some(({ point }) => (isUp ? point >= position.point : point <= position.point))

/** Sells X. @see SwapX2YModule.swapX2Y */
function sellX(trade: Trade, pointDelta: number, lowestPoint: number): void {
  while (trade.position.point >= lowestPoint && !hasNothingToBuy(trade, false)) {
    const { index, liquidityPoint } = pointAt(trade, trade.position.point)
    if (liquidityPoint?.order) fillOrders(trade, index, true)
    if (trade.isDone) return
    const searchFrom = trade.position.point - 1
    if (liquidityPoint?.endpoint) {
      const amount = netInputOrEnd(trade)
      if (trade.isDone) return
      if (trade.position.liquidity > 0n)
        applyRangeMove(trade, sellXInRange(trade.position, trade.position.point, amount), amount)
      if (trade.isDone) return
      trade.position = positionAt(trade.position.point - 1, trade.position.liquidity - liquidityPoint.liquidityNet, 0n)
      trade.pointsPassed++
    }
    if (trade.position.point < lowestPoint) return
    const nextPoint = nextBelow(trade, searchFrom, pointDelta, lowestPoint)
    if (trade.position.liquidity === 0n)
      trade.position = { ...trade.position, point: nextPoint, price: sqrtRatioAtTick(nextPoint) }
    else {
      const amount = netInputOrEnd(trade)
      if (!trade.isDone) applyRangeMove(trade, sellXInRange(trade.position, nextPoint, amount), amount)
    }
    if (trade.isDone || trade.position.point <= lowestPoint) return
  }
}

/** Sells Y. @see SwapY2XModule.swapY2X */
function sellY(trade: Trade, pointDelta: number, highestPoint: number): void {
  // If a step ends at a point with an order, the next step fills the order.
  while (trade.position.point < highestPoint && !trade.isDone && !hasNothingToBuy(trade, true)) {
    const { index, liquidityPoint } = pointAt(trade, trade.position.point)
    if (liquidityPoint?.order) fillOrders(trade, index, false)
    if (trade.isDone) return
    const nextPoint = nextAbove(trade, trade.position.point, pointDelta, highestPoint)
    if (trade.position.liquidity === 0n)
      trade.position = { ...trade.position, point: nextPoint, price: sqrtRatioAtTick(nextPoint) }
    else {
      const amount = netInputOrEnd(trade)
      if (trade.isDone) return
      applyRangeMove(trade, sellYInRange(trade.position, nextPoint, amount), amount)
    }
    if (trade.position.point !== nextPoint) continue
    const nextLiquidityPoint = pointAt(trade, nextPoint).liquidityPoint
    const liquidity = trade.position.liquidity + (nextLiquidityPoint?.endpoint ? nextLiquidityPoint.liquidityNet : 0n)
    if (nextLiquidityPoint?.endpoint) trade.pointsPassed++
    trade.position = { ...trade.position, liquidity, liquidityX: liquidity }
  }
}

/**
 * Sells as much of `amountIn` as the pool accepts.
 *
 * @throws PoolRefusal `TOO_SMALL`, `TOO_LARGE`, or `EMPTY` if the pool would revert
 */
export function sellUpTo(state: IziswapState, zeroForOne: boolean, amountIn: bigint): IziswapTrade {
  if (amountIn <= 0n) throw new PoolRefusal('TOO_SMALL', 'nothing to sell')
  if (amountIn > MAX_UINT128) throw new PoolRefusal('TOO_LARGE', 'more than 128 bits')
  if (state.sqrtPriceX96 === 0n) throw new PoolRefusal('EMPTY', 'the pool has no price yet')
  const { point, sqrtPriceX96: price, liquidity, liquidityX, pointDelta } = state
  const trade: Trade = {
    fee: BigInt(state.feePpm),
    position: { point, price, liquidity, liquidityX },
    points: state.points,
    remainingInput: amountIn,
    amountOut: 0n,
    pointsPassed: 0,
    isDone: false,
  }
  const limitPoint = farthestPoint(pointDelta)
  if (zeroForOne) sellX(trade, pointDelta, -limitPoint)
  else sellY(trade, pointDelta, limitPoint)
  if (trade.amountOut === 0n) throw new PoolRefusal('TOO_SMALL', 'too little to buy anything')
  const { position, points } = trade
  return {
    amountIn: amountIn - trade.remainingInput,
    amountOut: trade.amountOut,
    pointsPassed: trade.pointsPassed,
    state: {
      ...state,
      sqrtPriceX96: position.price,
      point: position.point,
      liquidity: position.liquidity,
      liquidityX: position.liquidityX,
      points,
    },
  }
}

/**
 * Sells exactly `amountIn`.
 *
 * @throws PoolRefusal if the pool would revert, `TOO_LARGE` above the largest input, `UNSUPPORTED` if rounding would
 * leave a part of the input unspent
 */
export function sellExact(state: IziswapState, zeroForOne: boolean, amountIn: bigint): IziswapTrade {
  const result = sellUpTo(state, zeroForOne, amountIn)
  if (result.amountIn === amountIn) return result
  // A partially filled order can leave a few units of the input unspent, although the pool accepts a larger input.
  const isMoreThanPoolTakes = sellUpTo(state, zeroForOne, MAX_UINT128).amountIn < amountIn
  throw new PoolRefusal(
    isMoreThanPoolTakes ? 'TOO_LARGE' : 'UNSUPPORTED',
    `the pool takes ${result.amountIn} of ${amountIn}`,
  )
}

/** Returns the largest input that `sellExact` accepts, as `DexFamily.maxInput`. */
export function maxInput(state: IziswapState, zeroForOne: boolean): bigint | null {
  const acceptedInput = nullIfRefused(() => sellUpTo(state, zeroForOne, MAX_UINT128).amountIn) ?? 1n
  return largestInput((amountIn) => sellExact(state, zeroForOne, amountIn), acceptedInput)
}
