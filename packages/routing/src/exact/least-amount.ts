/** The least amount that pays what is wished, of anything that pays more the more it is given. */
import { OUTPUT_MARGIN, OUTPUT_STEPS, SLOPE_MISSES } from './output-tolerances.ts'

export type Point = { readonly amountIn: bigint; readonly amountOut: bigint }
type Pays = (amountIn: bigint) => Point

/** An amount that pays too little and one that pays enough. */
export type Bracket = readonly [low: Point, high: Point]

/** A bracket by steps that double; null where twice the amount does not pay what is wished. */
export function bracketFrom(at: Pays, known: Point, wished: bigint, first: bigint): Bracket | null {
  let point = known
  const start = known.amountIn
  const enough = point.amountOut >= wished
  let step = first
  // Twice the amount, or nothing, is far beyond what the searches left.
  for (let moved = step; moved <= start + first; step *= 2n, moved += step) {
    const before = point
    const next = enough ? start - moved : start + moved
    if (next <= 0n) return [{ amountIn: 0n, amountOut: 0n }, before]
    point = at(next)
    if (enough !== point.amountOut >= wished) return enough ? [point, before] : [before, point]
  }
  return null
}

/**
 * The bracket closed to a base unit, or to one by a part of the amount.
 *
 * @param part - what the amount is by the width that is narrow enough
 */
export function narrowed(at: Pays, [below, above]: Bracket, wished: bigint, part?: bigint): Bracket {
  let [low, high] = [below, above]
  const width = () => high.amountIn - low.amountIn
  // Where a token on the way has few units the output jumps, and slopes say little: the same end is moved again and again, each
  // time by more, and in the end the bracket is halved.
  let misses = 0
  for (let steps = 0; steps < OUTPUT_STEPS && width() > 1n; steps++) {
    const isLowNear = wished - low.amountOut < high.amountOut - wished
    const bySlope = misses < SLOPE_MISSES
    const middle = at(bySlope ? between(low, high, wished, misses) : (low.amountIn + high.amountIn) / 2n)
    const isEnough = middle.amountOut >= wished
    if (isEnough) high = middle
    else low = middle
    if (bySlope) misses = isEnough === isLowNear ? 0 : misses + 1
    if (part !== undefined && width() * part <= high.amountIn) break
  }
  return [low, high]
}

/**
 * By the slope between the two while that is of several units, a unit and a little beyond for the other end to come near too: the
 * more, the more often that was missed.
 */
function between(low: Point, high: Point, wished: bigint, misses: number): bigint {
  const width = high.amountIn - low.amountIn
  const rise = high.amountOut - low.amountOut
  const middle = low.amountIn + width / 2n
  if (rise <= 4n) return middle
  const [below, above] = [wished - low.amountOut, high.amountOut - wished]
  const step = (part: bigint) => ((part + 1n) * width * (256n + 8n ** BigInt(misses))) / (rise * 256n) + 1n
  const amount = below < above ? low.amountIn + step(below) : high.amountIn - step(above)
  return amount > low.amountIn && amount < high.amountIn ? amount : middle
}

/**
 * A first step for `bracketFrom`: as much as what is missing, or too much, costs at a price, and a little more; never beyond what is known.
 *
 * @param price - output for one more unit of input
 */
export function stepFrom({ amountIn, amountOut }: Point, wished: bigint, price: number): bigint {
  const missing = Math.abs(Number(wished - amountOut)) + 1
  const most = Number(amountIn)
  return BigInt(Math.ceil(Math.min(most, price > 0 ? (missing * (1 + OUTPUT_MARGIN)) / price : 1))) + 1n
}
