/**
 * Builds price curves of iZiSwap pools. A point is iZiSwap's tick, and all liquidity at a point trades at one price. A
 * range is a series of points with the same liquidity. The first points of a range become straight lines. The other
 * points become one hyperbola, which starts half a point before the first and ends half a point after the last of them.
 * The hyperbola has exactly the same input and output as these points.
 */
import { FLOAT_PPM } from '@sluice/chains'
import type { PriceCurve } from '../../family.ts'
import { CurveBuilder } from '../../math/curve-builder.ts'
import { sqrtPriceOfTick as sqrtPriceAt } from '../../math/ticks.ts'
import { farthestPoint } from './math.ts'
import type { IziswapState } from './types.ts'

/**
 * Number of points per range that become lines. The hyperbola for the other points changes amounts by less than a
 * thirtieth of a basis point, compared with lines.
 */
const LINES_PER_RANGE = 4
/**
 * Distance from a point to each of its two boundaries, in points. A hyperbola between the boundaries has the same input
 * and output as the point.
 */
const HALF_POINT = 0.5
/** Difference of √price between the two boundaries of point 0. */
const POINT_WIDTH = sqrtPriceAt(HALF_POINT) - sqrtPriceAt(-HALF_POINT)

/** Returns the curve up to the end of the price range. Does not apply `END_MARGIN`. */
export function curveOf(state: IziswapState, zeroForOne: boolean): PriceCurve {
  const { point, sqrtPriceX96, liquidity, liquidityX, points, pointDelta, feePpm } = state
  const builder = new CurveBuilder()
  const keepIn = 1 - feePpm / FLOAT_PPM
  if (sqrtPriceX96 === 0n) return builder.build(keepIn)
  // Direction in which the trade moves through the points: downward if X is sold.
  const sign = zeroForOne ? -1 : 1
  const directedBuilder = new DirectedCurveBuilder(builder, sign)
  directedBuilder.addPoint(point, Number(zeroForOne ? liquidity - liquidityX : liquidityX) * sqrtPriceAt(-sign * point))
  let liquidityInRange = liquidity
  let fromPoint = point + sign
  const pointsAhead = points.filter((entry) => (zeroForOne ? entry.point <= point : entry.point >= point))
  for (const entry of zeroForOne ? pointsAhead.toReversed() : pointsAhead) {
    if (entry.point !== point) {
      // A downward trade uses the liquidity of a range up to and including the range's last point. If this point has an
      // order, the line that is added for the order includes the liquidity at the point, because a hyperbola would end below the order's price.
      const lastPoint = zeroForOne && !entry.order ? entry.point : entry.point - sign
      directedBuilder.addRange(fromPoint, lastPoint, Number(liquidityInRange))
      fromPoint = lastPoint + sign
    }
    if (!zeroForOne && entry.endpoint && entry.point !== point) liquidityInRange += entry.liquidityNet
    if (entry.order && zeroForOne) {
      const isPointPending = fromPoint === entry.point
      directedBuilder.addPoint(
        entry.point,
        Number(entry.sellingY) + (isPointPending ? Number(liquidityInRange) * sqrtPriceAt(entry.point) : 0),
      )
      if (isPointPending) fromPoint += sign
    } else if (entry.order) directedBuilder.addPoint(entry.point, Number(entry.sellingX))
    if (zeroForOne && entry.endpoint) liquidityInRange -= entry.liquidityNet
  }
  const limitPoint = farthestPoint(pointDelta)
  if (liquidityInRange > 0n)
    directedBuilder.addRange(fromPoint, zeroForOne ? -limitPoint : limitPoint - 1, Number(liquidityInRange))
  return builder.build(keepIn)
}

/** Adds points and ranges to a curve, in the direction of the trade. */
class DirectedCurveBuilder {
  private readonly builder: CurveBuilder
  private readonly sign: 1 | -1

  constructor(builder: CurveBuilder, sign: 1 | -1) {
    this.builder = builder
    this.sign = sign
  }

  /** Adds a line at the price of a point. @param output - base units */
  addPoint(point: number, output: number): void {
    const rate = sqrtPriceAt(-this.sign * point) ** 2
    this.builder.addLine(rate, output / rate)
  }

  /** Adds all points from `firstPoint` to `lastPoint`, which have the same liquidity. */
  addRange(firstPoint: number, lastPoint: number, liquidity: number): void {
    const { sign } = this
    if (liquidity === 0 || sign * (lastPoint - firstPoint) < 0) return
    let point = firstPoint
    for (let k = 0; k < LINES_PER_RANGE && sign * (lastPoint - point) >= 0; k++, point += sign)
      this.addPoint(point, liquidity * sqrtPriceAt(-sign * point))
    if (sign * (lastPoint - point) < 0) return
    this.builder.addHyperbola(
      sqrtPriceAt(-sign * point + HALF_POINT),
      sqrtPriceAt(-sign * lastPoint - HALF_POINT),
      liquidity / POINT_WIDTH,
    )
  }
}
