/**
 * Trades within one range of points with constant liquidity. Checked against SwapMathX2Y, SwapMathY2X, and AmountMath
 * of iZiSwap-core at 3e8f627.
 */
import { divUp, min } from '../../math/integers.ts'
import { sqrtRatioAtTick, tickAtSqrtRatio } from '../../math/ticks.ts'

const Q96 = 1n << 96n
/** √1.0001 with 96 fractional bits. */
const RATE = sqrtRatioAtTick(1)

/** Position of a trade between two ranges. */
export type Stand = {
  readonly point: number
  readonly price: bigint
  readonly liquidity: bigint
  readonly liquidityX: bigint
}
/** Amounts of a range, and the position at its end. */
export type RangeMove = {
  /** True if the trade ends here. */
  readonly finished: boolean
  readonly cost: bigint
  readonly got: bigint
  readonly point: number
  readonly price: bigint
  readonly liquidityX: bigint
}
type Part = { readonly cost: bigint; readonly got: bigint }

/** Returns √price one point higher, derived from this one as in the contract. */
const above = (price: bigint) => price + (price * (RATE - Q96)) / Q96
/** Returns the amount of Y in the whole points between two prices. */
const amountY = (liquidity: bigint, lower: bigint, upper: bigint) => (liquidity * (upper - lower)) / (RATE - Q96)
const amountYUp = (liquidity: bigint, lower: bigint, upper: bigint) => divUp(liquidity * (upper - lower), RATE - Q96)

/** Fills limit orders at a point that sell Y for X; rounds once per factor √price. */
export function fillWithX(amount: bigint, price: bigint, selling: bigint): Part {
  const output = min((((amount * price) / Q96) * price) / Q96, selling)
  return { cost: divUp(divUp(output * Q96, price) * Q96, price), got: output }
}

/** Fills limit orders at a point that sell X for Y. */
export function fillWithY(amount: bigint, price: bigint, selling: bigint): Part {
  const output = min((((amount * Q96) / price) * Q96) / price, selling)
  return { cost: divUp(divUp(output * price, Q96) * price, Q96), got: output }
}

/** Exchanges liquidity at one point from Y to X. */
function turnToX(amount: bigint, price: bigint, liquidityY: bigint): Part & { readonly exchanged: bigint } {
  const exchangedAmount = min((amount * price) / Q96, liquidityY)
  return { cost: divUp(exchangedAmount * Q96, price), got: (exchangedAmount * price) / Q96, exchanged: exchangedAmount }
}

/** Exchanges liquidity at one point from X to Y. */
function turnToY(amount: bigint, price: bigint, liquidityX: bigint): Part & { readonly exchanged: bigint } {
  const exchangedAmount = min((amount * Q96) / price, liquidityX)
  return { cost: divUp(exchangedAmount * price, Q96), got: (exchangedAmount * Q96) / price, exchanged: exchangedAmount }
}

/** Sells up to `amount` of X from the current point down to `left`. @see SwapMathX2Y.x2YRange */
export function sellXInRange(position: Stand, left: number, amount: bigint): RangeMove {
  const { liquidity, liquidityX } = position
  let { point, price } = position
  let [cost, output, after] = [0n, 0n, liquidityX]
  if (liquidityX < liquidity) {
    if (liquidityX > 0n || left === point) {
      const here = turnToX(amount, price, liquidity - liquidityX)
      ;[cost, output, after] = [here.cost, here.got, liquidityX + here.exchanged]
      if (after < liquidity || cost >= amount)
        return { finished: true, cost, got: output, point, price, liquidityX: after }
    } else {
      // The point holds only Y: the range starts one point higher.
      point += 1
      price = above(price)
    }
  }
  if (left >= point) return { finished: false, cost, got: output, point, price, liquidityX: after }
  const rest = amount - cost
  const lowest = sqrtRatioAtTick(left)
  const step = price - divUp(price * Q96, RATE)
  const costDownTo = (to: number) => divUp(liquidity * (sqrtRatioAtTick(point - to) - Q96), step)
  const fullCost = costDownTo(left)
  if (fullCost <= rest)
    return {
      finished: fullCost === rest,
      cost: cost + fullCost,
      got: output + amountY(liquidity, lowest, price),
      point: left,
      price: lowest,
      liquidityX: liquidity,
    }
  const points = tickAtSqrtRatio((rest * step) / liquidity + Q96)
  // The points from here up are sold entirely, the point below in part.
  const reachablePoint = Math.max(Math.min(point - points, point), left + 1)
  const last = sqrtRatioAtTick(reachablePoint - 1)
  const wholePoints =
    reachablePoint === point
      ? { cost: 0n, got: 0n }
      : { cost: min(costDownTo(reachablePoint), rest), got: amountY(liquidity, above(last), price) }
  const here = turnToX(rest - wholePoints.cost, last, liquidity)
  return {
    finished: true,
    cost: cost + wholePoints.cost + here.cost,
    got: output + wholePoints.got + here.got,
    point: reachablePoint - 1,
    price: last,
    liquidityX: here.exchanged,
  }
}

/** Sells up to `amount` of Y from the current point up to, but excluding, `right`. @see SwapMathY2X.y2XRange */
export function sellYInRange(position: Stand, right: number, amount: bigint): RangeMove {
  const { liquidity, liquidityX } = position
  let { point, price } = position
  let [cost, output] = [0n, 0n]
  const startHasY = liquidityX < liquidity
  if (startHasY) {
    const here = turnToY(amount, price, liquidityX)
    ;({ cost, got: output } = here)
    const left = liquidityX - here.exchanged
    if (left > 0n || cost >= amount) return { finished: true, cost, got: output, point, price, liquidityX: left }
    point += 1
    if (point === right)
      return { finished: false, cost, got: output, point, price: sqrtRatioAtTick(right), liquidityX: 0n }
    price = above(price)
  }
  const rest = amount - cost
  const highest = sqrtRatioAtTick(right)
  const fullCost = amountYUp(liquidity, price, highest)
  if (fullCost <= rest)
    return {
      finished: fullCost === rest,
      cost: cost + fullCost,
      got: output + amountX(liquidity, point, right, highest),
      point: right,
      price: highest,
      liquidityX: liquidity,
    }
  const reachedTick = tickAtSqrtRatio((rest * (RATE - Q96)) / liquidity + price)
  const last = Math.min(Math.max(reachedTick, point), right - 1)
  const from = last === point && !startHasY ? price : sqrtRatioAtTick(last)
  const wholePoints =
    last === point
      ? { cost: 0n, got: 0n }
      : { cost: min(amountYUp(liquidity, price, from), rest), got: amountX(liquidity, point, last, from) }
  const here = turnToY(rest - wholePoints.cost, from, liquidity)
  return {
    finished: true,
    cost: cost + wholePoints.cost + here.cost,
    got: output + wholePoints.got + here.got,
    point: last,
    price: from,
    liquidityX: liquidity - here.exchanged,
  }
}

/** Returns the amount of X in the whole points from `left` up to, but excluding, `right`, rounded down. */
function amountX(liquidity: bigint, left: number, right: number, rightPrice: bigint): bigint {
  return (liquidity * (sqrtRatioAtTick(right - left) - Q96)) / (rightPrice - (rightPrice * Q96) / RATE)
}
