/**
 * Concave curves through points: between two neighbors stand two pieces of x·y = k that meet the curve in input, output and price at both
 * points.
 */
import type { PriceCurve } from '../family.ts'

/** Inputs and outputs of a pool, both rising, from (0, 0). */
export type Points = { readonly x: number[]; readonly y: number[] }

/** Relative fall of the mean price from one interval to the next, at least. */
const FALL = 1e-9
/** Points that a polynomial runs through at most, and the relative error of a price above which one through fewer points is taken. */
const MAX_POLYNOMIAL = 4
const MAX_NOISE = 1e-6

/** The mean price of the interval that ends at point `k`. */
const meanPrice = ({ x, y }: Points, k: number): number => (y[k]! - y[k - 1]!) / (x[k]! - x[k - 1]!)

/** The price at an inner point by the intervals on both sides: exact for x·y = k. */
function coarsePrice(points: Points, k: number): number {
  const { x } = points
  const [width, next] = [x[k]! - x[k - 1]!, x[k + 1]! - x[k]!]
  return (width + next) / (next / meanPrice(points, k) + width / meanPrice(points, k + 1))
}

/**
 * The price at a point by the slope of a polynomial through x / y at the points nearest by. x / y, the inverse of the mean price, is a
 * straight line for x·y = k, and smooth for other invariants.
 *
 * @returns 0 where outputs of a unit more or less would tell another price
 */
function finePrice({ x, y }: Points, k: number): number {
  const at = x[k]!
  const inverse = at / y[k]!
  for (let count = MAX_POLYNOMIAL; count > 1; count--) {
    const high = Math.min(x.length - 1, Math.max(1, k + 1 - (count >> 1)) + count - 1)
    const low = Math.max(1, high - count + 1)
    let slope = 0
    let noise = 0
    let own = 0
    for (let j = low; j <= high; j++) {
      if (j === k) continue
      const xj = x[j]!
      // Weights of the derivative of Lagrange's polynomial.
      own += 1 / (at - xj)
      let weight = 1 / (xj - at)
      for (let i = low; i <= high; i++) if (i !== j && i !== k) weight *= (at - x[i]!) / (xj - x[i]!)
      const part = (weight * xj) / y[j]!
      slope += part
      noise += Math.abs(part) / y[j]!
    }
    noise += Math.abs(own * inverse) / y[k]!
    slope += own * inverse
    if (at * noise <= MAX_NOISE * inverse) return (inverse - at * slope) / inverse ** 2
  }
  return 0
}

/**
 * Square root of the price at point `k`, from 1 on: between the mean prices of both intervals. 0 at the last point when roundings or a kink
 * hide it.
 */
function sqrtPriceAt(points: Points, k: number, isFine: boolean): number {
  const isLast = k === points.x.length - 1
  const most = meanPrice(points, k) * (1 - FALL / 4)
  const least = isLast ? 0 : meanPrice(points, k + 1) * (1 + FALL / 4)
  const fine = isFine ? finePrice(points, k) : 0
  if (fine < most && fine > least) return Math.sqrt(fine)
  return isLast ? 0 : Math.sqrt(Math.max(least, Math.min(most, coarsePrice(points, k))))
}

type Interval = {
  readonly from: number
  readonly middle: number
  readonly to: number
  /** Liquidity of both pieces. */
  readonly first: number
  readonly second: number
}

/** The interval that ends at point `k`; null where its prices do not fall. */
function intervalAt(points: Points, k: number, isFine: boolean): Interval | null {
  const middle = Math.sqrt(meanPrice(points, k))
  const known = k > 1 ? sqrtPriceAt(points, k - 1, isFine) : 0
  // A price that is not known lies as far from the middle as that of the other end.
  const to = sqrtPriceAt(points, k, isFine) || (known > 0 ? middle ** 2 / known : middle * (1 - FALL))
  const from = known || middle ** 2 / to
  if (!(from > middle && middle > to)) return null
  const [upper, lower] = [from - middle, middle - to]
  // Two depths by two equations: what both pieces sell and what both buy add up to the interval.
  const scale = ((points.x[k]! - points.x[k - 1]!) * middle) / (from - to)
  return { from, middle, to, first: (scale * from * lower) / upper, second: (scale * to * upper) / lower }
}

/**
 * Output that the curve predicts for an input between the points `k` − 1 and `k`.
 *
 * @param isFine - false for a prediction by fewer points
 */
export function predictedBetween(points: Points, k: number, input: number, isFine: boolean): number {
  const within = input - points.x[k - 1]!
  const output = points.y[k - 1]!
  const interval = intervalAt(points, k, isFine)
  if (!interval) return output + within * meanPrice(points, k)
  const { from, middle, first, second } = interval
  const width = (first * (from - middle)) / (from * middle)
  if (within <= width) return output + bought(from, first, within)
  return output + first * (from - middle) + bought(middle, second, within - width)
}

/** Part of the output in the middle of an interval in which prices by more and by fewer points make a difference, about. */
export function doubtBetween(points: Points, k: number): number {
  const { x, y } = points
  let off = 0
  for (const end of k > 1 ? [k - 1, k] : [k])
    if (end < x.length - 1) off += Math.abs(sqrtPriceAt(points, end, true) ** 2 - sqrtPriceAt(points, end, false) ** 2)
  return (off * (x[k]! - x[k - 1]!)) / 8 / y[k]!
}

const bought = (from: number, liquidity: number, input: number): number =>
  (from * input) / (1 / from + input / liquidity)

/**
 * The curve through the points, and above those that lie below the line between two others.
 *
 * @param rest - output beyond the last point that any input buys; absent for a pool that ends there
 */
export function curveThrough(points: Points, rest?: number): Pick<PriceCurve, 'sqrtPrice' | 'liquidity'> {
  const hull = hullOf(points)
  const sqrtPrice: number[] = []
  const liquidity: number[] = []
  for (let k = 1; k < hull.x.length; k++) {
    // Prices of the hull fall from each interval to the next.
    const { from, middle, to, first, second } = intervalAt(hull, k, true)!
    if (sqrtPrice.length === 0) sqrtPrice.push(from)
    sqrtPrice.push(middle, to)
    liquidity.push(first, second)
  }
  if (rest !== undefined && sqrtPrice.length > 0) {
    liquidity.push(rest / sqrtPrice.at(-1)!)
    sqrtPrice.push(0)
  }
  return { sqrtPrice: Float64Array.from(sqrtPrice), liquidity: Float64Array.from(liquidity) }
}

/**
 * The points of which none lies below the line between two others. Prices of straight parts are made to fall by a hair from one interval to
 * the next.
 */
export function hullOf(points: Points): Points {
  const hull: Points = { x: [], y: [] }
  const { x, y } = hull
  for (const [k, input] of points.x.entries()) {
    const output = points.y[k]!
    while (x.length > 1) {
      const next = (output - y.at(-1)!) / (input - x.at(-1)!)
      if (next <= meanPrice(hull, x.length - 1) * (1 + FALL)) break
      x.pop()
      y.pop()
    }
    x.push(input)
    y.push(output)
  }
  for (let k = 2; k < x.length; k++) {
    const most = meanPrice(hull, k - 1) * (1 - FALL)
    if (meanPrice(hull, k) > most) y[k] = y[k - 1]! + most * (x[k]! - x[k - 1]!)
  }
  return hull
}
