/**
 * Computes trades of iZiSwap within one range of points with constant liquidity. A point is iZiSwap's tick, and all
 * liquidity at a point trades at one price. X is the first token of the pool, and Y is the second token. Checked
 * against SwapMathX2Y, SwapMathY2X, and AmountMath of iZiSwap-core at 3e8f627.
 */
import { divUp, min } from '../../math/integers.ts'
import { sqrtRatioAtTick, tickAtSqrtRatio } from '../../math/ticks.ts'

const Q96 = 1n << 96n
/** √1.0001 with 96 fractional bits. */
const SQRT_BASE = sqrtRatioAtTick(1)

/** Point and liquidity that a trade has reached. In this file, every `price` is a √price with 96 fractional bits. */
export type TradePosition = {
  readonly point: number
  readonly price: bigint
  readonly liquidity: bigint
  /** Part of the liquidity that is held in X at this point. */
  readonly liquidityX: bigint
}
/** Amounts of a trade through all or a part of a range, and the position that the trade reaches. */
export type RangeMove = {
  /** True if the input is used up, so that the trade ends at `point`. */
  readonly isFinished: boolean
  /** Input without its fee. */
  readonly cost: bigint
  readonly output: bigint
  readonly point: number
  readonly price: bigint
  readonly liquidityX: bigint
}
/** Input without its fee (`cost`) and output of a trade at one point, in base units. */
type Fill = { readonly cost: bigint; readonly output: bigint }

/** Trade with the liquidity at one point. `exchangedLiquidity` is the liquidity that changes its token. */
type Exchange = Fill & { readonly exchangedLiquidity: bigint }

/** Returns the √price of the next higher point, derived from `price` as in the contract. */
const priceAbove = (price: bigint) => price + (price * (SQRT_BASE - Q96)) / Q96
/** Returns the amount of Y at all points between two √prices, rounded down. */
const amountYDown = (liquidity: bigint, lower: bigint, upper: bigint) =>
  (liquidity * (upper - lower)) / (SQRT_BASE - Q96)
/** Returns the amount of Y at all points between two √prices, rounded up. */
const amountYUp = (liquidity: bigint, lower: bigint, upper: bigint) =>
  divUp(liquidity * (upper - lower), SQRT_BASE - Q96)

/**
 * Fills limit orders that sell Y for X. Like the contract, multiplies by √price twice and rounds each time.
 *
 * @param amount - remaining input without its fee
 * @param offeredAmount - amount that the orders sell
 */
export function fillWithX(amount: bigint, price: bigint, offeredAmount: bigint): Fill {
  const output = min((((amount * price) / Q96) * price) / Q96, offeredAmount)
  return { cost: divUp(divUp(output * Q96, price) * Q96, price), output }
}

/** Fills limit orders that sell X for Y, like `fillWithX`. */
export function fillWithY(amount: bigint, price: bigint, offeredAmount: bigint): Fill {
  const output = min((((amount * Q96) / price) * Q96) / price, offeredAmount)
  return { cost: divUp(divUp(output * price, Q96) * price, Q96), output }
}

/** Sells X at one point, whose liquidity changes from Y to X. @param liquidityY - liquidity that is held in Y */
function exchangeToX(amount: bigint, price: bigint, liquidityY: bigint): Exchange {
  const exchangedLiquidity = min((amount * price) / Q96, liquidityY)
  return {
    cost: divUp(exchangedLiquidity * Q96, price),
    output: (exchangedLiquidity * price) / Q96,
    exchangedLiquidity,
  }
}

/** Sells Y at one point, whose liquidity changes from X to Y. @param liquidityX - liquidity that is held in X */
function exchangeToY(amount: bigint, price: bigint, liquidityX: bigint): Exchange {
  const exchangedLiquidity = min((amount * Q96) / price, liquidityX)
  return {
    cost: divUp(exchangedLiquidity * price, Q96),
    output: (exchangedLiquidity * Q96) / price,
    exchangedLiquidity,
  }
}

/**
 * Sells X from the current point down to `lowestPoint`.
 *
 * @param amount - maximum input without its fee
 * @see SwapMathX2Y.x2YRange
 */
export function sellXInRange(position: TradePosition, lowestPoint: number, amount: bigint): RangeMove {
  const { liquidity, liquidityX } = position
  let { point, price } = position
  let [cost, output, newLiquidityX] = [0n, 0n, liquidityX]
  if (liquidityX < liquidity) {
    if (liquidityX > 0n || lowestPoint === point) {
      const firstFill = exchangeToX(amount, price, liquidity - liquidityX)
      ;[cost, output, newLiquidityX] = [firstFill.cost, firstFill.output, liquidityX + firstFill.exchangedLiquidity]
      if (newLiquidityX < liquidity || cost >= amount)
        return { isFinished: true, cost, output, point, price, liquidityX: newLiquidityX }
    } else {
      // The current point holds only Y, so it can be traded with the range: start the range one point higher.
      point += 1
      price = priceAbove(price)
    }
  }
  if (lowestPoint >= point) return { isFinished: false, cost, output, point, price, liquidityX: newLiquidityX }
  const remainingNetInput = amount - cost
  const lowestPrice = sqrtRatioAtTick(lowestPoint)
  const priceStep = price - divUp(price * Q96, SQRT_BASE)
  const costDownTo = (to: number) => divUp(liquidity * (sqrtRatioAtTick(point - to) - Q96), priceStep)
  const fullCost = costDownTo(lowestPoint)
  if (fullCost <= remainingNetInput)
    return {
      isFinished: fullCost === remainingNetInput,
      cost: cost + fullCost,
      output: output + amountYDown(liquidity, lowestPrice, price),
      point: lowestPoint,
      price: lowestPrice,
      liquidityX: liquidity,
    }
  const pointCount = tickAtSqrtRatio((remainingNetInput * priceStep) / liquidity + Q96)
  // From this point up, all points are bought entirely. The next lower point is bought in part.
  const reachablePoint = Math.max(Math.min(point - pointCount, point), lowestPoint + 1)
  const lastPrice = sqrtRatioAtTick(reachablePoint - 1)
  const wholePointsFill =
    reachablePoint === point
      ? { cost: 0n, output: 0n }
      : {
          cost: min(costDownTo(reachablePoint), remainingNetInput),
          output: amountYDown(liquidity, priceAbove(lastPrice), price),
        }
  const boundaryFill = exchangeToX(remainingNetInput - wholePointsFill.cost, lastPrice, liquidity)
  return {
    isFinished: true,
    cost: cost + wholePointsFill.cost + boundaryFill.cost,
    output: output + wholePointsFill.output + boundaryFill.output,
    point: reachablePoint - 1,
    price: lastPrice,
    liquidityX: boundaryFill.exchangedLiquidity,
  }
}

/**
 * Sells Y from the current point up to, but excluding, `endPoint`.
 *
 * @param amount - maximum input without its fee
 * @see SwapMathY2X.y2XRange
 */
export function sellYInRange(position: TradePosition, endPoint: number, amount: bigint): RangeMove {
  const { liquidity, liquidityX } = position
  let { point, price } = position
  let [cost, output] = [0n, 0n]
  const hasYAtStart = liquidityX < liquidity
  if (hasYAtStart) {
    const firstFill = exchangeToY(amount, price, liquidityX)
    ;({ cost, output } = firstFill)
    const remainingX = liquidityX - firstFill.exchangedLiquidity
    if (remainingX > 0n || cost >= amount)
      return { isFinished: true, cost, output, point, price, liquidityX: remainingX }
    point += 1
    if (point === endPoint)
      return { isFinished: false, cost, output, point, price: sqrtRatioAtTick(endPoint), liquidityX: 0n }
    price = priceAbove(price)
  }
  const remainingNetInput = amount - cost
  const endPrice = sqrtRatioAtTick(endPoint)
  const fullCost = amountYUp(liquidity, price, endPrice)
  if (fullCost <= remainingNetInput)
    return {
      isFinished: fullCost === remainingNetInput,
      cost: cost + fullCost,
      output: output + amountXDown(liquidity, point, endPoint, endPrice),
      point: endPoint,
      price: endPrice,
      liquidityX: liquidity,
    }
  const reachedTick = tickAtSqrtRatio((remainingNetInput * (SQRT_BASE - Q96)) / liquidity + price)
  const lastPoint = Math.min(Math.max(reachedTick, point), endPoint - 1)
  const lastPrice = lastPoint === point && !hasYAtStart ? price : sqrtRatioAtTick(lastPoint)
  const wholePointsFill =
    lastPoint === point
      ? { cost: 0n, output: 0n }
      : {
          cost: min(amountYUp(liquidity, price, lastPrice), remainingNetInput),
          output: amountXDown(liquidity, point, lastPoint, lastPrice),
        }
  const boundaryFill = exchangeToY(remainingNetInput - wholePointsFill.cost, lastPrice, liquidity)
  return {
    isFinished: true,
    cost: cost + wholePointsFill.cost + boundaryFill.cost,
    output: output + wholePointsFill.output + boundaryFill.output,
    point: lastPoint,
    price: lastPrice,
    liquidityX: liquidity - boundaryFill.exchangedLiquidity,
  }
}

/** Returns the amount of X at the points from `left` up to, but excluding, `right`, rounded down. */
function amountXDown(liquidity: bigint, left: number, right: number, rightPrice: bigint): bigint {
  return (liquidity * (sqrtRatioAtTick(right - left) - Q96)) / (rightPrice - (rightPrice * Q96) / SQRT_BASE)
}
