/** Finds the minimum input with a required output for any function whose output rises with its input. */
import { OUTPUT_MARGIN, OUTPUT_STEPS, SLOPE_MISSES } from './output-tolerances.ts'

export type AmountPoint = { readonly amountIn: bigint; readonly amountOut: bigint }
type PointAt = (amountIn: bigint) => AmountPoint

/** An input that pays too little, and a larger input that pays enough. */
export type Bracket = readonly [low: AmountPoint, high: AmountPoint]

/** Finds a bracket around the required output by doubling steps. Null if twice the start input does not pay enough. */
export function bracketFrom(
  pointAt: PointAt,
  startPoint: AmountPoint,
  required: bigint,
  firstStep: bigint,
): Bracket | null {
  let point = startPoint
  const start = startPoint.amountIn
  const startsAbove = point.amountOut >= required
  let step = firstStep
  // The searches have left a small interval, so twice the input, or an input of 0, is far outside it.
  for (let distance = step; distance <= start + firstStep; step *= 2n, distance += step) {
    const previousPoint = point
    const nextInput = startsAbove ? start - distance : start + distance
    if (nextInput <= 0n) return [{ amountIn: 0n, amountOut: 0n }, previousPoint]
    point = pointAt(nextInput)
    if (startsAbove !== point.amountOut >= required)
      return startsAbove ? [point, previousPoint] : [previousPoint, point]
  }
  return null
}

/**
 * Narrows the bracket to one base unit, or to a fraction of the amount.
 *
 * @param precisionDivisor - divisor of the amount: the bracket width at which narrowing stops
 */
export function narrowBracket(
  pointAt: PointAt,
  [below, above]: Bracket,
  required: bigint,
  precisionDivisor?: bigint,
): Bracket {
  let [low, high] = [below, above]
  const width = () => high.amountIn - low.amountIn
  // If an intermediate token has few units, the output jumps and slopes mislead. The same end of the bracket then moves
  // repeatedly, by a growing margin, until the bracket is bisected instead.
  let misses = 0
  for (let steps = 0; steps < OUTPUT_STEPS && width() > 1n; steps++) {
    const isLowNear = required - low.amountOut < high.amountOut - required
    const usesSlope = misses < SLOPE_MISSES
    const middle = pointAt(usesSlope ? interpolate(low, high, required, misses) : (low.amountIn + high.amountIn) / 2n)
    const isEnough = middle.amountOut >= required
    if (isEnough) high = middle
    else low = middle
    if (usesSlope) misses = isEnough === isLowNear ? 0 : misses + 1
    if (precisionDivisor !== undefined && width() * precisionDivisor <= high.amountIn) break
  }
  return [low, high]
}

/**
 * Interpolates by the slope if the bracket spans several output units. Adds a unit and a margin to the step, so that
 * the other end also moves closer. The margin grows with the number of misses.
 */
function interpolate(low: AmountPoint, high: AmountPoint, required: bigint, misses: number): bigint {
  const width = high.amountIn - low.amountIn
  const rise = high.amountOut - low.amountOut
  const middle = low.amountIn + width / 2n
  if (rise <= 4n) return middle
  const [below, above] = [required - low.amountOut, high.amountOut - required]
  const step = (missingOut: bigint) => ((missingOut + 1n) * width * (256n + 8n ** BigInt(misses))) / (rise * 256n) + 1n
  const amount = below < above ? low.amountIn + step(below) : high.amountIn - step(above)
  return amount > low.amountIn && amount < high.amountIn ? amount : middle
}

/**
 * First step for `bracketFrom`: the input for the missing or excess output at a price, plus a margin; at most the known
 * input.
 *
 * @param price - output per additional unit of input
 */
export function stepFrom({ amountIn, amountOut }: AmountPoint, required: bigint, price: number): bigint {
  const missing = Math.abs(Number(required - amountOut)) + 1
  const maxStep = Number(amountIn)
  return BigInt(Math.ceil(Math.min(maxStep, price > 0 ? (missing * (1 + OUTPUT_MARGIN)) / price : 1))) + 1n
}
