/**
 * Builds concave curves through points: each point is an input x and its output y. A price is dy/dx. The range between
 * two neighboring points is an interval. First, the price at every point is estimated. Then each interval gets two
 * x·y = k pieces, which go through both points and have the estimated prices there.
 */
import type { PriceCurve } from '../family.ts'

/** Inputs and outputs of a pool, both ascending from (0, 0). */
export type Points = { readonly x: number[]; readonly y: number[] }

/**
 * Minimum relative fall of the mean price from an interval to the next interval. For points on a straight line, outputs
 * are lowered to get this fall.
 */
const MIN_FALL = 1e-9
/** Maximum number of points that a polynomial goes through. */
const MAX_POLYNOMIAL_POINTS = 4
/** Maximum relative price error from the rounding of outputs. Above it, the polynomial goes through fewer points. */
const MAX_PRICE_NOISE = 1e-6

/** Returns the mean price of the interval that ends at point `k`. */
const meanPrice = ({ x, y }: Points, k: number): number => (y[k]! - y[k - 1]!) / (x[k]! - x[k - 1]!)

/** Estimates the price at an inner point from the mean prices of the intervals on both sides. Exact for x·y = k. */
function priceFromNeighbors(points: Points, k: number): number {
  const { x } = points
  const [width, nextWidth] = [x[k]! - x[k - 1]!, x[k + 1]! - x[k]!]
  return (width + nextWidth) / (nextWidth / meanPrice(points, k) + width / meanPrice(points, k + 1))
}

/**
 * Estimates the price dy/dx at a point from a polynomial through the quotients q = x / y of the nearest points. The
 * price is (q − x·q′) / q², where q′ = dq/dx. A polynomial fits q well: for x·y = k, q is linear in x, and for other
 * invariants it is smooth.
 *
 * @returns 0 if the rounding of the outputs could change the price by more than `MAX_PRICE_NOISE`
 */
function priceFromPolynomial({ x, y }: Points, k: number): number {
  const xk = x[k]!
  const quotient = xk / y[k]!
  for (let count = MAX_POLYNOMIAL_POINTS; count > 1; count--) {
    const high = Math.min(x.length - 1, Math.max(1, k + 1 - (count >> 1)) + count - 1)
    const low = Math.max(1, high - count + 1)
    let quotientSlope = 0
    // Upper bound of the error of `quotientSlope` if each output is wrong by one unit.
    let noise = 0
    let inverseDistanceSum = 0
    for (let j = low; j <= high; j++) {
      if (j === k) continue
      const xj = x[j]!
      // Weights of the derivative of the Lagrange polynomial.
      inverseDistanceSum += 1 / (xk - xj)
      let weight = 1 / (xj - xk)
      for (let i = low; i <= high; i++) if (i !== j && i !== k) weight *= (xk - x[i]!) / (xj - x[i]!)
      const term = (weight * xj) / y[j]!
      quotientSlope += term
      noise += Math.abs(term) / y[j]!
    }
    noise += Math.abs(inverseDistanceSum * quotient) / y[k]!
    quotientSlope += inverseDistanceSum * quotient
    if (xk * noise <= MAX_PRICE_NOISE * quotient) return (quotient - xk * quotientSlope) / quotient ** 2
  }
  return 0
}

/**
 * Returns √price at point `k` ≥ 1. The price is between the mean prices of the two intervals that meet there. Returns 0
 * if the price is unknown, which happens only at the last point.
 *
 * @param usesPolynomial - false to estimate the price from the neighboring points only
 */
function sqrtPriceAt(points: Points, k: number, usesPolynomial: boolean): number {
  const isLast = k === points.x.length - 1
  const maxPrice = meanPrice(points, k) * (1 - MIN_FALL / 4)
  const minPrice = isLast ? 0 : meanPrice(points, k + 1) * (1 + MIN_FALL / 4)
  const polynomialPrice = usesPolynomial ? priceFromPolynomial(points, k) : 0
  if (polynomialPrice < maxPrice && polynomialPrice > minPrice) return Math.sqrt(polynomialPrice)
  return isLast ? 0 : Math.sqrt(Math.max(minPrice, Math.min(maxPrice, priceFromNeighbors(points, k))))
}

/** The two pieces of an interval, which meet at `middleSqrtPrice`. */
type Interval = {
  readonly startSqrtPrice: number
  readonly middleSqrtPrice: number
  readonly endSqrtPrice: number
  readonly firstLiquidity: number
  readonly secondLiquidity: number
}

/** Returns the pieces of the interval that ends at point `k`; null if the prices do not fall along the interval. */
function intervalAt(points: Points, k: number, usesPolynomial: boolean): Interval | null {
  const middleSqrtPrice = Math.sqrt(meanPrice(points, k))
  const knownStartSqrtPrice = k > 1 ? sqrtPriceAt(points, k - 1, usesPolynomial) : 0
  // An unknown √price at one end is set so that `middleSqrtPrice` is the geometric mean of both ends.
  const endSqrtPrice =
    sqrtPriceAt(points, k, usesPolynomial) ||
    (knownStartSqrtPrice > 0 ? middleSqrtPrice ** 2 / knownStartSqrtPrice : middleSqrtPrice * (1 - MIN_FALL))
  const startSqrtPrice = knownStartSqrtPrice || middleSqrtPrice ** 2 / endSqrtPrice
  if (!(startSqrtPrice > middleSqrtPrice && middleSqrtPrice > endSqrtPrice)) return null
  const [firstFall, secondFall] = [startSqrtPrice - middleSqrtPrice, middleSqrtPrice - endSqrtPrice]
  // Solve for the liquidity of both pieces: their inputs sum to the input of the interval, and their outputs to its
  // output.
  const scale = ((points.x[k]! - points.x[k - 1]!) * middleSqrtPrice) / (startSqrtPrice - endSqrtPrice)
  return {
    startSqrtPrice,
    middleSqrtPrice,
    endSqrtPrice,
    firstLiquidity: (scale * startSqrtPrice * secondFall) / firstFall,
    secondLiquidity: (scale * endSqrtPrice * firstFall) / secondFall,
  }
}

/**
 * Returns the output of an input between points `k` − 1 and `k` on the curve.
 *
 * @param usesPolynomial - false to compute prices from the neighboring points only
 */
export function predictOutput(points: Points, k: number, input: number, usesPolynomial: boolean): number {
  const offset = input - points.x[k - 1]!
  const output = points.y[k - 1]!
  const interval = intervalAt(points, k, usesPolynomial)
  if (!interval) return output + offset * meanPrice(points, k)
  const { startSqrtPrice, middleSqrtPrice, firstLiquidity, secondLiquidity } = interval
  const width = (firstLiquidity * (startSqrtPrice - middleSqrtPrice)) / (startSqrtPrice * middleSqrtPrice)
  if (offset <= width) return output + outputOfPiece(startSqrtPrice, firstLiquidity, offset)
  return (
    output +
    firstLiquidity * (startSqrtPrice - middleSqrtPrice) +
    outputOfPiece(middleSqrtPrice, secondLiquidity, offset - width)
  )
}

/**
 * Returns the relative difference of `predictOutput` with and without a polynomial, in the middle of the interval that
 * ends at point `k`.
 */
export function predictionDifference(points: Points, k: number): number {
  const { x, y } = points
  // A price difference at one end of an interval of a cubic spline changes the output in the middle. The change is the
  // difference times an eighth of the width.
  let priceDifference = 0
  for (const end of k > 1 ? [k - 1, k] : [k])
    if (end < x.length - 1)
      priceDifference += Math.abs(sqrtPriceAt(points, end, true) ** 2 - sqrtPriceAt(points, end, false) ** 2)
  return (priceDifference * (x[k]! - x[k - 1]!)) / 8 / y[k]!
}

/** Returns the output of an input that ends within a piece. */
const outputOfPiece = (startSqrtPrice: number, liquidity: number, input: number): number =>
  (startSqrtPrice * input) / (1 / startSqrtPrice + input / liquidity)

/** Fields of a curve that depend on its points. */
type CurveArrays = Pick<PriceCurve, 'sqrtPrice' | 'liquidity' | 'outputErrors'>

/**
 * Returns the curve through the concave hull of the points.
 *
 * @param outputAfterLastPoint - output of an unlimited input beyond the last point; absent if the pool accepts no more
 * than the last point's input
 * @param errors - relative output error of the interval that ends at each point
 */
export function curveThrough(points: Points, outputAfterLastPoint?: number, errors?: readonly number[]): CurveArrays {
  const hull = concaveHull(points)
  const sqrtPrice: number[] = []
  const liquidity: number[] = []
  for (let k = 1; k < hull.x.length; k++) {
    // Not null, because the prices of a concave hull fall along each interval.
    const { startSqrtPrice, middleSqrtPrice, endSqrtPrice, firstLiquidity, secondLiquidity } = intervalAt(
      hull,
      k,
      true,
    )!
    if (sqrtPrice.length === 0) sqrtPrice.push(startSqrtPrice)
    sqrtPrice.push(middleSqrtPrice, endSqrtPrice)
    liquidity.push(firstLiquidity, secondLiquidity)
  }
  if (outputAfterLastPoint !== undefined && sqrtPrice.length > 0) {
    liquidity.push(outputAfterLastPoint / sqrtPrice.at(-1)!)
    sqrtPrice.push(0)
  }
  return {
    sqrtPrice: Float64Array.from(sqrtPrice),
    liquidity: Float64Array.from(liquidity),
    ...(errors && { outputErrors: errorsOfPieces(points.x, errors, hull.x, liquidity.length) }),
  }
}

/**
 * Returns the output error of each piece: the largest error of the intervals that the piece covers. The piece after the
 * last point has the error of the last interval.
 */
function errorsOfPieces(
  x: readonly number[],
  errors: readonly number[],
  hullInputs: readonly number[],
  pieceCount: number,
) {
  const pieceErrors = new Float64Array(pieceCount)
  let point = 1
  for (let piece = 0; piece < pieceCount; piece += 2) {
    const end = hullInputs[piece / 2 + 1] ?? Number.POSITIVE_INFINITY
    let error = piece >= 2 && point === x.length ? pieceErrors[piece - 1]! : 0
    for (; point < x.length && x[point]! <= end; point++) error = Math.max(error, errors[point]!)
    pieceErrors.fill(error, piece, piece + 2)
  }
  return pieceErrors
}

/**
 * Returns the concave hull of the points. Lowers outputs where the mean price would fall by less than `MIN_FALL` from
 * one interval to the next.
 */
export function concaveHull(points: Points): Points {
  const hull: Points = { x: [], y: [] }
  const { x, y } = hull
  for (const [k, input] of points.x.entries()) {
    const output = points.y[k]!
    while (x.length > 1) {
      const nextMeanPrice = (output - y.at(-1)!) / (input - x.at(-1)!)
      if (nextMeanPrice <= meanPrice(hull, x.length - 1) * (1 + MIN_FALL)) break
      x.pop()
      y.pop()
    }
    x.push(input)
    y.push(output)
  }
  for (let k = 2; k < x.length; k++) {
    const maxPrice = meanPrice(hull, k - 1) * (1 - MIN_FALL)
    if (meanPrice(hull, k) > maxPrice) y[k] = y[k - 1]! + maxPrice * (x[k]! - x[k - 1]!)
  }
  return hull
}
