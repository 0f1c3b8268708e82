/** Pools as the float search sees them. Floats never leave the search: amounts are settled in integers. */
import { type Curve, PoolRefusal } from '../family.ts'
import { type ConcentratedState, lastTickAtOrBelow } from './concentrated.ts'
import { MAX_TICK, MIN_TICK } from './ticks.ts'

const Q96 = 2 ** 96
const EMPTY = new Float64Array()

const emptyCurve = (keepIn: number): Curve => ({ sqrtPrice: new Float64Array(1), liquidity: EMPTY, keepIn, keepOut: 1 })

/** x·y = k: one piece that ends at a price of 0. */
export function constantProductCurve(reserveIn: bigint, reserveOut: bigint, feePpm: number): Curve {
  const keepIn = 1 - feePpm / 1e6
  if (reserveIn === 0n || reserveOut === 0n) return emptyCurve(keepIn)
  const x = Number(reserveIn)
  const y = Number(reserveOut)
  return {
    sqrtPrice: Float64Array.of(Math.sqrt(y / x), 0),
    liquidity: Float64Array.of(Math.sqrt(x) * Math.sqrt(y)),
    keepIn,
    keepOut: 1,
  }
}

/** One piece between each two initialised ticks in the direction of the trade; gaps have liquidity 0. */
export function concentratedCurve(state: ConcentratedState, zeroForOne: boolean): Curve {
  const keepIn = 1 - state.feePpm / 1e6
  if (state.sqrtPriceX96 === 0n) return emptyCurve(keepIn)
  const sqrtPriceAt = (tick: number) => 1.0001 ** ((zeroForOne ? tick : -tick) / 2)
  const start = Number(state.sqrtPriceX96) / Q96
  const sqrtPrice = [zeroForOne ? start : 1 / start]
  const liquidity: number[] = []
  const { ticks } = state
  let inRange = state.liquidity
  const add = (to: number) => {
    const last = sqrtPrice.at(-1)!
    // A price that stands on a tick may lie a rounding error beyond it.
    sqrtPrice.push(Math.min(to, last))
    liquidity.push(Number(inRange))
  }
  const step = zeroForOne ? -1 : 1
  let i = lastTickAtOrBelow(ticks, state.tick) + (zeroForOne ? 0 : 1)
  for (let tick = ticks[i]; tick !== undefined; i += step, tick = ticks[i]) {
    if (tick[1] === 0n) continue
    add(sqrtPriceAt(tick[0]))
    inRange += zeroForOne ? -tick[1] : tick[1]
  }
  if (inRange > 0n) add(sqrtPriceAt(zeroForOne ? MIN_TICK : MAX_TICK))
  return { sqrtPrice: Float64Array.from(sqrtPrice), liquidity: Float64Array.from(liquidity), keepIn, keepOut: 1 }
}

/** How the amounts of a sampled curve lie: from a millionth of what the pool holds to ten times that. */
const SAMPLES = 24
const SMALLEST = 1e-6
const LARGEST = 10
const FALL = 1e-9

/**
 * A curve without a closed form, by points of it: between two neighbours stands the piece of x·y = k that gives the
 * output between them over the prices at both.
 *
 * @param quote - output for an input that has paid its fee; may refuse
 * @param scale - base units of the input that are much for this pool
 */
export function sampledCurve(quote: (amountIn: bigint) => bigint, scale: bigint, feePpm: number): Curve {
  const keepIn = 1 - feePpm / 1e6
  const size = Number(scale)
  const points: [x: number, y: number][] = [[0, 0]]
  for (let i = 0; i < SAMPLES; i++) {
    const x = BigInt(Math.ceil(size * SMALLEST * (LARGEST / SMALLEST) ** (i / (SAMPLES - 1))))
    const y = orNull(() => quote(x))
    if (y === null) continue
    const [lastX, lastY] = points.at(-1)!
    // Rounding may make neighbours of small pools equal.
    if (Number(x) > lastX && Number(y) > lastY) points.push([Number(x), Number(y)])
  }
  if (points.length < 2) return emptyCurve(keepIn)
  const means = points.slice(1).map(([x, y], k) => (y - points[k]![1]) / (x - points[k]![0]))
  // At a point, the price lies between the means on its two sides; a hair of fall keeps flat curves in order.
  const sqrtPrice = Float64Array.from(points, (_, k) => {
    const [before, after] = [means[k - 1] ?? means[0]!, means[k] ?? means.at(-1)!]
    return (before * after) ** 0.25 * (1 - k * FALL)
  })
  for (let k = 1; k < sqrtPrice.length; k++) {
    sqrtPrice[k] = Math.min(sqrtPrice[k]!, sqrtPrice[k - 1]! * (1 - FALL))
  }
  const liquidity = Float64Array.from(
    means,
    (_, k) => (points[k + 1]![1] - points[k]![1]) / (sqrtPrice[k]! - sqrtPrice[k + 1]!),
  )
  return { sqrtPrice, liquidity, keepIn, keepOut: 1 }
}

function orNull<T>(run: () => T): T | null {
  try {
    return run()
  } catch (error) {
    if (error instanceof PoolRefusal) return null
    throw error
  }
}
