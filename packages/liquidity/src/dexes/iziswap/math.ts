/** Checked against swapX2Y.sol, swapY2X.sol and PointBitmap of iZiSwap-core at 3e8f627. */
import { PPM } from '@sluice/chains'
import { orRefused, PoolRefusal } from '../../family.ts'
import { largestInput } from '../../math/capacity.ts'
import { divUp } from '../../math/integers.ts'
import { sqrtRatioAtTick } from '../../math/ticks.ts'
import { fillWithX, fillWithY, type Moved, type Stand, sellXInRange, sellYInRange } from './range.ts'
import type { IziswapState, Point } from './types.ts'

/** Points beyond which no pool trades, before they are rounded to its own spacing. */
const FARTHEST = 800_000
export const farthestPoint = (pointDelta: number): number => Math.trunc(FARTHEST / pointDelta) * pointDelta
const MAX_UINT128 = (1n << 128n) - 1n

/** A trade under way. The points are copied where an order in them is filled. */
type Trade = {
  readonly fee: bigint
  stand: Stand
  points: readonly Point[]
  left: bigint
  out: bigint
  passed: number
  done: boolean
}

export type Traded = {
  readonly taken: bigint
  readonly amountOut: bigint
  readonly state: IziswapState
  /** Endpoints and orders that the trade went over. */
  readonly pointsPassed: number
}

/** Index of the first point at or above `point`. */
function firstAtOrAbove(points: readonly Point[], point: number): number {
  let low = 0
  let high = points.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (points[middle]!.point < point) low = middle + 1
    else high = middle
  }
  return low
}

const isSet = ({ endpoint, order }: Point) => endpoint || order

/** Part of the rest that may be sold once the fee is off; a trade without any ends. */
function free(trade: Trade): bigint {
  const amount = (trade.left * (PPM - trade.fee)) / PPM
  if (amount === 0n) trade.done = true
  return amount
}

/** Takes what a part of the trade cost, with its fee: all that is left where the part used up what was free. */
function account(trade: Trade, { cost, got }: { readonly cost: bigint; readonly got: bigint }, amount: bigint): void {
  trade.left = cost >= amount ? 0n : trade.left - cost - divUp(cost * trade.fee, PPM - trade.fee)
  trade.out += got
}

function move(trade: Trade, moved: Moved, amount: bigint): void {
  account(trade, moved, amount)
  trade.done = moved.finished
  const { point, price, liquidityX } = moved
  trade.stand = { ...trade.stand, point, price, liquidityX }
}

/** Fills the limit orders at a point. */
function fill(trade: Trade, index: number, sellX: boolean): void {
  const at = trade.points[index]!
  const amount = free(trade)
  if (trade.done) return
  const selling = sellX ? at.sellingY : at.sellingX
  const part = (sellX ? fillWithX : fillWithY)(amount, trade.stand.price, selling)
  if (part.got < selling || part.cost >= amount) trade.done = true
  account(trade, part, amount)
  const [sellingX, sellingY] = sellX ? [at.sellingX, selling - part.got] : [selling - part.got, at.sellingY]
  const order = sellingX > 0n || sellingY > 0n
  trade.points = trade.points.with(index, { ...at, sellingX, sellingY, order })
  trade.passed++
}

const standAt = (point: number, liquidity: bigint, liquidityX: bigint): Stand => ({
  point,
  price: sqrtRatioAtTick(point),
  liquidity,
  liquidityX,
})

/** The next point below that a pool stops at: one that is set, or the end of the bitmap's word. */
function nextBelow({ points }: Trade, from: number, delta: number, lowest: number): number {
  const place = Math.floor(from / delta)
  const wordEnd = Math.floor(place / 256) * 256 * delta
  let index = firstAtOrAbove(points, from + 1) - 1
  while (index >= 0 && !isSet(points[index]!)) index--
  return Math.max(wordEnd, points[index]?.point ?? -Infinity, lowest)
}

function nextAbove({ points }: Trade, from: number, delta: number, highest: number): number {
  const place = Math.floor(from / delta) + 1
  const wordEnd = (Math.floor(place / 256) * 256 + 255) * delta
  let index = firstAtOrAbove(points, from + 1)
  while (index < points.length && !isSet(points[index]!)) index++
  return Math.min(wordEnd, points[index]?.point ?? Infinity, highest)
}

function at(trade: Trade, point: number): { readonly index: number; readonly here: Point | undefined } {
  const index = firstAtOrAbove(trade.points, point)
  const here = trade.points[index]
  return { index, here: here?.point === point ? here : undefined }
}

/** True where nothing is sold from here on, that way; orders at the point itself are. */
const isOver = ({ stand, points }: Trade, up: boolean) =>
  stand.liquidity === 0n && !points.some(({ point }) => (up ? point >= stand.point : point <= stand.point))

/** @see SwapX2YModule.swapX2Y */
function sellX(trade: Trade, delta: number, lowest: number): void {
  while (trade.stand.point >= lowest && !isOver(trade, false)) {
    const { index, here } = at(trade, trade.stand.point)
    if (here?.order) fill(trade, index, true)
    if (trade.done) return
    const searched = trade.stand.point - 1
    if (here?.endpoint) {
      const amount = free(trade)
      if (trade.done) return
      if (trade.stand.liquidity > 0n) move(trade, sellXInRange(trade.stand, trade.stand.point, amount), amount)
      if (trade.done) return
      trade.stand = standAt(trade.stand.point - 1, trade.stand.liquidity - here.liquidityNet, 0n)
      trade.passed++
    }
    if (trade.stand.point < lowest) return
    const next = nextBelow(trade, searched, delta, lowest)
    if (trade.stand.liquidity === 0n) trade.stand = { ...trade.stand, point: next, price: sqrtRatioAtTick(next) }
    else {
      const amount = free(trade)
      if (!trade.done) move(trade, sellXInRange(trade.stand, next, amount), amount)
    }
    if (trade.done || trade.stand.point <= lowest) return
  }
}

/** @see SwapY2XModule.swapY2X */
function sellY(trade: Trade, delta: number, highest: number): void {
  // The order at the point that a step ended on is filled by the next one.
  while (trade.stand.point < highest && !trade.done && !isOver(trade, true)) {
    const { index, here } = at(trade, trade.stand.point)
    if (here?.order) fill(trade, index, false)
    if (trade.done) return
    const next = nextAbove(trade, trade.stand.point, delta, highest)
    if (trade.stand.liquidity === 0n) trade.stand = { ...trade.stand, point: next, price: sqrtRatioAtTick(next) }
    else {
      const amount = free(trade)
      if (trade.done) return
      move(trade, sellYInRange(trade.stand, next, amount), amount)
    }
    if (trade.stand.point !== next) continue
    const reached = at(trade, next).here
    const liquidity = trade.stand.liquidity + (reached?.endpoint ? reached.liquidityNet : 0n)
    if (reached?.endpoint) trade.passed++
    trade.stand = { ...trade.stand, liquidity, liquidityX: liquidity }
  }
}

/** Sells as much of `amountIn` as the pool takes. @throws PoolRefusal `TOO_SMALL`, `TOO_LARGE` or `EMPTY` where it reverts */
export function trade(state: IziswapState, zeroForOne: boolean, amountIn: bigint): Traded {
  if (amountIn <= 0n) throw new PoolRefusal('TOO_SMALL', 'nothing to sell')
  if (amountIn > MAX_UINT128) throw new PoolRefusal('TOO_LARGE', 'more than 128 bits')
  if (state.sqrtPriceX96 === 0n) throw new PoolRefusal('EMPTY', 'the pool has no price yet')
  const { point, sqrtPriceX96: price, liquidity, liquidityX, pointDelta } = state
  const trade: Trade = {
    fee: BigInt(state.feePpm),
    stand: { point, price, liquidity, liquidityX },
    points: state.points,
    left: amountIn,
    out: 0n,
    passed: 0,
    done: false,
  }
  const farthest = farthestPoint(pointDelta)
  if (zeroForOne) sellX(trade, pointDelta, -farthest)
  else sellY(trade, pointDelta, farthest)
  if (trade.out === 0n) throw new PoolRefusal('TOO_SMALL', 'too little to buy anything')
  const { stand, points } = trade
  return {
    taken: amountIn - trade.left,
    amountOut: trade.out,
    pointsPassed: trade.passed,
    state: {
      ...state,
      sqrtPriceX96: stand.price,
      point: stand.point,
      liquidity: stand.liquidity,
      liquidityX: stand.liquidityX,
      points,
    },
  }
}

/**
 * Sells exactly `amountIn`.
 *
 * @throws PoolRefusal where the pool reverts, `TOO_LARGE` where it has no more to give, `UNSUPPORTED` where rounding would leave a part
 *   of the input
 */
export function sell(state: IziswapState, zeroForOne: boolean, amountIn: bigint): Traded {
  const traded = trade(state, zeroForOne, amountIn)
  if (traded.taken === amountIn) return traded
  // A pool that takes more of a larger amount leaves a few units here, where it fills a part of an order.
  const isAll = trade(state, zeroForOne, MAX_UINT128).taken < amountIn
  throw new PoolRefusal(isAll ? 'TOO_LARGE' : 'UNSUPPORTED', `the pool takes ${traded.taken} of ${amountIn}`)
}

/** The largest input that `sell` accepts: all that the pool takes of more. */
export function maxInput(state: IziswapState, zeroForOne: boolean): bigint | null {
  const most = orRefused(() => trade(state, zeroForOne, MAX_UINT128).taken) ?? 1n
  return largestInput((amountIn) => sell(state, zeroForOne, amountIn), most)
}
