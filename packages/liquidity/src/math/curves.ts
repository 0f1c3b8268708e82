/** Pools as the float search sees them. Floats never leave the search: amounts are settled in integers. */
import { FLOAT_PPM } from '@sluice/chains'
import { orRefused, type PriceCurve } from '../family.ts'
import { type ConcentratedState, lastTickAtOrBelow } from './concentrated.ts'
import { MAX_TICK, MIN_TICK } from './ticks.ts'

const Q96 = 2 ** 96
const EMPTY = new Float64Array()

/** The curve of a pool that takes nothing. */
export const emptyCurve = (keepIn: number): PriceCurve => ({
  sqrtPrice: new Float64Array(1),
  liquidity: EMPTY,
  keepIn,
  keepOut: 1,
})

/** x·y = k: one piece that ends at a price of 0. */
export function constantProductCurve(reserveIn: bigint, reserveOut: bigint, feePpm: number): PriceCurve {
  const keepIn = 1 - feePpm / FLOAT_PPM
  if (reserveIn === 0n || reserveOut === 0n) return emptyCurve(keepIn)
  const x = Number(reserveIn)
  const y = Number(reserveOut)
  return {
    sqrtPrice: floats(Math.sqrt(y / x), 0),
    liquidity: floats(Math.sqrt(x) * Math.sqrt(y)),
    keepIn,
    keepOut: 1,
  }
}

/** `Float64Array.of` at a fraction of its time. */
function floats(first: number, second?: number): Float64Array {
  const array = new Float64Array(second === undefined ? 1 : 2)
  array[0] = first
  if (second !== undefined) array[1] = second
  return array
}

/**
 * Words of a bitmap that a trade walks at most: a pool of narrow ticks that is drained walks thousands, each some 3,000 gas and one step of
 * a settlement, for next to nothing. At a spacing of 1 they span a price of 700 times, at 60 all prices there are.
 */
const MOST_WORDS = 256
const WORD_TICKS = 256

/**
 * One piece between each two initialised ticks in the direction of the trade; gaps have liquidity 0.
 *
 * @param reach - ticks after which the curve ends; ∞ for pools that do not walk over a bitmap
 */
export function concentratedCurve(
  state: ConcentratedState,
  zeroForOne: boolean,
  reach = MOST_WORDS * WORD_TICKS * state.tickSpacing,
): PriceCurve {
  const keepIn = 1 - state.feePpm / FLOAT_PPM
  if (state.sqrtPriceX96 === 0n) return emptyCurve(keepIn)
  const sqrtPriceAt = (tick: number) => 1.0001 ** ((zeroForOne ? tick : -tick) / 2)
  const start = Number(state.sqrtPriceX96) / Q96
  const { ticks } = state
  const step = zeroForOne ? -1 : 1
  const end = zeroForOne ? Math.max(MIN_TICK, state.tick - reach) : Math.min(MAX_TICK, state.tick + reach)
  let i = lastTickAtOrBelow(ticks, state.tick) + (zeroForOne ? 0 : 1)
  // No piece lies behind the last tick, where all positions end: room for one is made where it does.
  const most = zeroForOne ? i + 1 : ticks.length - i
  let sqrtPrice = new Float64Array(most + 1)
  let liquidity = new Float64Array(most)
  sqrtPrice[0] = zeroForOne ? start : 1 / start
  let pieces = 0
  let inRange = state.liquidity
  const add = (to: number) => {
    liquidity[pieces] = Number(inRange)
    // A price that stands on a tick may lie a rounding error beyond it.
    sqrtPrice[pieces + 1] = Math.min(to, sqrtPrice[pieces]!)
    pieces++
  }
  for (let tick = ticks[i]; tick !== undefined; i += step, tick = ticks[i]) {
    if (zeroForOne ? tick[0] < end : tick[0] > end) break
    if (tick[1] === 0n) continue
    add(sqrtPriceAt(tick[0]))
    inRange += zeroForOne ? -tick[1] : tick[1]
  }
  const total = pieces + (inRange > 0n ? 1 : 0)
  if (total !== most) {
    sqrtPrice = resized(sqrtPrice, total + 1)
    liquidity = resized(liquidity, total)
  }
  if (inRange > 0n) add(sqrtPriceAt(end))
  return { sqrtPrice, liquidity, keepIn, keepOut: 1 }
}

function resized(array: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  if (length <= array.length) return array.slice(0, length)
  const longer = new Float64Array(length)
  longer.set(array)
  return longer
}

/**
 * The amounts of a sampled curve: from a ten-thousandth of what the pool holds to ten times that, and where it bends
 * most.
 */
const EVEN_SAMPLES = 24
const FURTHER_SAMPLES = 24
const SMALLEST = 1e-4
const LARGEST = 10
const FALL = 1e-9

/**
 * A curve without a closed form, by points of it. Between two neighbours stand two pieces of x·y = k that agree with the
 * curve in input and output at both points, and in price where they meet the next: the pool's own amounts at every sample.
 *
 * @param quote - output for an input that has paid its fee; may refuse
 * @param scale - base units of the input that are much for this pool
 */
export function sampledCurve(quote: (amountIn: bigint) => bigint, scale: bigint, feePpm: number): PriceCurve {
  const keepIn = 1 - feePpm / FLOAT_PPM
  const points = samplePoints(quote, Number(scale))
  if (points.length < 2) return emptyCurve(keepIn)
  const widths = points.slice(1).map(([x], k) => x - points[k]![0])
  const means = points.slice(1).map(([, y], k) => (y - points[k]![1]) / widths[k]!)
  // A hair of fall keeps flat curves, and those that rounding makes uneven, in order.
  for (let k = 1; k < means.length; k++) means[k] = Math.min(means[k]!, means[k - 1]! * (1 - FALL))
  const middles = means.map(Math.sqrt)
  // The slope at a point between two intervals, from the means of both: the nearer counts more.
  const inner = means.slice(1).map((mean, k) => {
    const [width, nextWidth] = [widths[k]!, widths[k + 1]!]
    return Math.sqrt((means[k]! * nextWidth + mean * width) / (width + nextWidth))
  })
  // The ends lie as far from the middle of their interval as its other end does.
  const first = middles[0]! ** 2 / (inner[0] ?? middles[0]! * (1 - FALL))
  const last = middles.at(-1)! ** 2 / (inner.at(-1) ?? middles[0]! * (1 + FALL))
  const knots = [first, ...inner, last]
  const sqrtPrice = [first]
  const liquidity: number[] = []
  middles.forEach((middle, k) => {
    const [start, end, width] = [knots[k]!, knots[k + 1]!, widths[k]!]
    const [upper, lower] = [start - middle, middle - end]
    // Two depths by two equations: what both pieces sell and what both buy add up to the interval.
    const scale = (width * middle) / (start - end)
    liquidity.push((scale * start * lower) / upper, (scale * end * upper) / lower)
    sqrtPrice.push(middle, end)
  })
  return { sqrtPrice: Float64Array.from(sqrtPrice), liquidity: Float64Array.from(liquidity), keepIn, keepOut: 1 }
}

type Point = readonly [x: number, y: number]

function samplePoints(quote: (amountIn: bigint) => bigint, size: number): readonly Point[] {
  const points: Point[] = [[0, 0]]
  /** False where the pool refuses, or rounding makes neighbours equal. */
  const insert = (x: number, place: number): boolean => {
    const amountIn = BigInt(Math.ceil(x))
    const y = orRefused(() => quote(amountIn))
    if (y === null) return false
    const point = [Number(amountIn), Number(y)] as const
    const [before, after] = [points[place - 1]!, points[place]]
    if (!(point[0] > before[0] && point[1] > before[1])) return false
    if (after && !(after[0] > point[0] && after[1] > point[1])) return false
    points.splice(place, 0, point)
    return true
  }
  for (let i = 0; i < EVEN_SAMPLES; i++)
    insert(size * SMALLEST * (LARGEST / SMALLEST) ** (i / (EVEN_SAMPLES - 1)), points.length)
  for (let i = 0; i < FURTHER_SAMPLES; i++) {
    const place = mostBent(points)
    if (place < 0 || !insert(Math.sqrt(points[place - 1]![0] * points[place]![0]), place)) break
  }
  return points
}

/**
 * The point that tells most: the end of the interval with the largest product of its output and the fall of the price.
 */
function mostBent(points: readonly Point[]): number {
  const slope = (k: number) => (points[k]![1] - points[k - 1]![1]) / (points[k]![0] - points[k - 1]![0])
  let most = 0
  let place = -1
  for (let k = 2; k < points.length; k++) {
    const part = (points[k]![1] - points[k - 1]![1]) / points[k]![1]
    const fall = Math.log(slope(k - 1) / slope(Math.min(k + 1, points.length - 1)))
    if (!(part * fall > most)) continue
    most = part * fall
    place = k
  }
  return place
}
