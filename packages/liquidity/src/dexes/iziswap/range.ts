/**
 * Trades within one range of points, where the liquidity stays the same. Checked against SwapMathX2Y, SwapMathY2X and AmountMath of
 * iZiSwap-core at 3e8f627.
 */
import { divUp, min } from '../../math/integers.ts'
import { sqrtRatioAtTick, tickAtSqrtRatio } from '../../math/ticks.ts'

const Q96 = 1n << 96n
/** √1.0001 with 96 fractional bits. */
const RATE = sqrtRatioAtTick(1)

/** Stand of a pool between two ranges. */
export type Stand = {
  readonly point: number
  readonly price: bigint
  readonly liquidity: bigint
  readonly liquidityX: bigint
}
/** Amounts that a range took and gave, and the stand at its end. */
export type Moved = {
  /** True where the trade ends here. */
  readonly finished: boolean
  readonly cost: bigint
  readonly got: bigint
  readonly point: number
  readonly price: bigint
  readonly liquidityX: bigint
}
type Part = { readonly cost: bigint; readonly got: bigint }

/** One point up, which the contract takes from the price below. */
const above = (price: bigint) => price + (price * (RATE - Q96)) / Q96
/** Token Y of whole points between two prices. */
const amountY = (liquidity: bigint, lower: bigint, upper: bigint) => (liquidity * (upper - lower)) / (RATE - Q96)
const amountYUp = (liquidity: bigint, lower: bigint, upper: bigint) => divUp(liquidity * (upper - lower), RATE - Q96)

/** Limit orders at a point that sell Y for X: both ways are rounded, one price root at a time. */
export function fillWithX(amount: bigint, price: bigint, selling: bigint): Part {
  const got = min((((amount * price) / Q96) * price) / Q96, selling)
  return { cost: divUp(divUp(got * Q96, price) * Q96, price), got }
}

/** Limit orders at a point that sell X for Y. */
export function fillWithY(amount: bigint, price: bigint, selling: bigint): Part {
  const got = min((((amount * Q96) / price) * Q96) / price, selling)
  return { cost: divUp(divUp(got * price, Q96) * price, Q96), got }
}

/** Liquidity at one point turned from Y into X. */
function turnToX(amount: bigint, price: bigint, liquidityY: bigint): Part & { readonly turned: bigint } {
  const turned = min((amount * price) / Q96, liquidityY)
  return { cost: divUp(turned * Q96, price), got: (turned * price) / Q96, turned }
}

/** Liquidity at one point turned from X into Y. */
function turnToY(amount: bigint, price: bigint, liquidityX: bigint): Part & { readonly turned: bigint } {
  const turned = min((amount * Q96) / price, liquidityX)
  return { cost: divUp(turned * price, Q96), got: (turned * Q96) / price, turned }
}

/** Sells up to `amount` of X from where the pool stands down to `left`. @see SwapMathX2Y.x2YRange */
export function sellXInRange(stand: Stand, left: number, amount: bigint): Moved {
  const { liquidity, liquidityX } = stand
  let { point, price } = stand
  let [cost, got, after] = [0n, 0n, liquidityX]
  if (liquidityX < liquidity) {
    if (liquidityX > 0n || left === point) {
      const here = turnToX(amount, price, liquidity - liquidityX)
      ;[cost, got, after] = [here.cost, here.got, liquidityX + here.turned]
      if (after < liquidity || cost >= amount) return { finished: true, cost, got, point, price, liquidityX: after }
    } else {
      // All Y: the range begins one point up.
      point += 1
      price = above(price)
    }
  }
  if (left >= point) return { finished: false, cost, got, point, price, liquidityX: after }
  const rest = amount - cost
  const lowest = sqrtRatioAtTick(left)
  const step = price - divUp(price * Q96, RATE)
  const costDownTo = (to: number) => divUp(liquidity * (sqrtRatioAtTick(point - to) - Q96), step)
  const most = costDownTo(left)
  if (most <= rest)
    return {
      finished: most === rest,
      cost: cost + most,
      got: got + amountY(liquidity, lowest, price),
      point: left,
      price: lowest,
      liquidityX: liquidity,
    }
  const points = tickAtSqrtRatio((rest * step) / liquidity + Q96)
  // What lies above it is sold whole, and the point below it in part.
  const whole = Math.max(Math.min(point - points, point), left + 1)
  const last = sqrtRatioAtTick(whole - 1)
  const passed =
    whole === point
      ? { cost: 0n, got: 0n }
      : { cost: min(costDownTo(whole), rest), got: amountY(liquidity, above(last), price) }
  const here = turnToX(rest - passed.cost, last, liquidity)
  return {
    finished: true,
    cost: cost + passed.cost + here.cost,
    got: got + passed.got + here.got,
    point: whole - 1,
    price: last,
    liquidityX: here.turned,
  }
}

/** Sells up to `amount` of Y from where the pool stands up to, but not at, `right`. @see SwapMathY2X.y2XRange */
export function sellYInRange(stand: Stand, right: number, amount: bigint): Moved {
  const { liquidity, liquidityX } = stand
  let { point, price } = stand
  let [cost, got] = [0n, 0n]
  const startHasY = liquidityX < liquidity
  if (startHasY) {
    const here = turnToY(amount, price, liquidityX)
    ;({ cost, got } = here)
    const left = liquidityX - here.turned
    if (left > 0n || cost >= amount) return { finished: true, cost, got, point, price, liquidityX: left }
    point += 1
    if (point === right) return { finished: false, cost, got, point, price: sqrtRatioAtTick(right), liquidityX: 0n }
    price = above(price)
  }
  const rest = amount - cost
  const highest = sqrtRatioAtTick(right)
  const most = amountYUp(liquidity, price, highest)
  if (most <= rest)
    return {
      finished: most === rest,
      cost: cost + most,
      got: got + amountX(liquidity, point, right, highest),
      point: right,
      price: highest,
      liquidityX: liquidity,
    }
  const reached = tickAtSqrtRatio((rest * (RATE - Q96)) / liquidity + price)
  const last = Math.min(Math.max(reached, point), right - 1)
  const from = last === point && !startHasY ? price : sqrtRatioAtTick(last)
  const passed =
    last === point
      ? { cost: 0n, got: 0n }
      : { cost: min(amountYUp(liquidity, price, from), rest), got: amountX(liquidity, point, last, from) }
  const here = turnToY(rest - passed.cost, from, liquidity)
  return {
    finished: true,
    cost: cost + passed.cost + here.cost,
    got: got + passed.got + here.got,
    point: last,
    price: from,
    liquidityX: liquidity - here.turned,
  }
}

/** Token X of the whole points from `left` up to, but not at, `right`, rounded down. */
function amountX(liquidity: bigint, left: number, right: number, rightPrice: bigint): bigint {
  return (liquidity * (sqrtRatioAtTick(right - left) - Q96)) / (rightPrice - (rightPrice * Q96) / RATE)
}
