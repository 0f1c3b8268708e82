/**
 * Price curves of iZiSwap pools. Each point trades at one price. The first points of a range are straight lines. The
 * rest is one x·y = k piece between prices half a point beyond its ends. It has exactly the same input and output.
 */
import { FLOAT_PPM } from '@sluice/chains'
import type { PriceCurve } from '../../family.ts'
import { CurveBuilder } from '../../math/curve-builder.ts'
import { sqrtPriceOfTick as sqrtPriceAt } from '../../math/ticks.ts'
import { farthestPoint } from './math.ts'
import type { IziswapState } from './types.ts'

/**
 * Points of a range with a line of their own. Beyond them the price steps matter by less than a thirtieth of a basis
 * point.
 */
const LINES = 4
/** Half a point: a hyperbola over the full width of a point has the same amounts as the point. */
const HALF = 0.5
const WIDTH = sqrtPriceAt(HALF) - sqrtPriceAt(-HALF)

/** Returns the curve up to the end of the price range, without its margin. */
export function curveOf(state: IziswapState, zeroForOne: boolean): PriceCurve {
  const { point, sqrtPriceX96, liquidity, liquidityX, points, pointDelta, feePpm } = state
  const builder = new CurveBuilder()
  const keepIn = 1 - feePpm / FLOAT_PPM
  if (sqrtPriceX96 === 0n) return builder.build(keepIn)
  // Count points downward when X is sold, so that both directions share the code.
  const sign = zeroForOne ? -1 : 1
  const pieces = new Pieces(builder, sign)
  pieces.line(point, Number(zeroForOne ? liquidity - liquidityX : liquidityX) * sqrtPriceAt(-sign * point))
  let inRange = liquidity
  let from = point + sign
  const pointsAhead = points.filter((entry) => (zeroForOne ? entry.point <= point : entry.point >= point))
  for (const entry of zeroForOne ? pointsAhead.toReversed() : pointsAhead) {
    if (entry.point !== point) {
      // A downward trade uses the liquidity that ends at a point at that point. With an order, it is part of the order's
      // line: a hyperbola would end below the order's price.
      const last = zeroForOne && !entry.order ? entry.point : entry.point - sign
      pieces.range(from, last, Number(inRange))
      from = last + sign
    }
    if (!zeroForOne && entry.endpoint && entry.point !== point) inRange += entry.liquidityNet
    if (entry.order && zeroForOne) {
      const isAhead = from === entry.point
      pieces.line(entry.point, Number(entry.sellingY) + (isAhead ? Number(inRange) * sqrtPriceAt(entry.point) : 0))
      if (isAhead) from += sign
    } else if (entry.order) pieces.line(entry.point, Number(entry.sellingX))
    if (zeroForOne && entry.endpoint) inRange -= entry.liquidityNet
  }
  const farthest = farthestPoint(pointDelta)
  if (inRange > 0n) pieces.range(from, zeroForOne ? -farthest : farthest - 1, Number(inRange))
  return builder.build(keepIn)
}

class Pieces {
  private readonly builder: CurveBuilder
  private readonly sign: 1 | -1

  constructor(builder: CurveBuilder, sign: 1 | -1) {
    this.builder = builder
    this.sign = sign
  }

  /** Adds an output at the price of a point. */
  line(point: number, output: number): void {
    const rate = sqrtPriceAt(-this.sign * point) ** 2
    this.builder.addLine(rate, output / rate)
  }

  /** Adds the liquidity of all points from `first` to `last`. */
  range(first: number, last: number, liquidity: number): void {
    const { sign } = this
    if (liquidity === 0 || sign * (last - first) < 0) return
    let point = first
    for (let k = 0; k < LINES && sign * (last - point) >= 0; k++, point += sign)
      this.line(point, liquidity * sqrtPriceAt(-sign * point))
    if (sign * (last - point) < 0) return
    this.builder.addHyperbola(sqrtPriceAt(-sign * point + HALF), sqrtPriceAt(-sign * last - HALF), liquidity / WIDTH)
  }
}
