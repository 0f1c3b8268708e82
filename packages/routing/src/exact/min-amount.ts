/** Finds the minimum input that gives a required output, for any function whose output rises with its input. */
import { MAX_OUTPUT_STEPS, MAX_SLOPE_MISSES, OUTPUT_MARGIN } from './output-tolerances.ts'

/** An input and the output that it gives. */
export type AmountPoint = { readonly amountIn: bigint; readonly amountOut: bigint }
type PointAt = (amountIn: bigint) => AmountPoint

/** An input whose output is less than required (`low`), and a larger input whose output is enough (`high`). */
export type Bracket = readonly [low: AmountPoint, high: AmountPoint]

/**
 * Finds a bracket around the required output by doubling steps from a start point. Null if no input up to about twice
 * the start point's input gives the required output.
 */
export function bracketFrom(
  pointAt: PointAt,
  startPoint: AmountPoint,
  requiredOut: bigint,
  firstStep: bigint,
): Bracket | null {
  let point = startPoint
  const start = startPoint.amountIn
  const startsAbove = point.amountOut >= requiredOut
  let step = firstStep
  // The start point is close to the solution, so a search that reaches twice its input has failed.
  for (let distance = step; distance <= start + firstStep; step *= 2n, distance += step) {
    const previousPoint = point
    const nextInput = startsAbove ? start - distance : start + distance
    if (nextInput <= 0n) return [{ amountIn: 0n, amountOut: 0n }, previousPoint]
    point = pointAt(nextInput)
    if (startsAbove !== point.amountOut >= requiredOut)
      return startsAbove ? [point, previousPoint] : [previousPoint, point]
  }
  return null
}

/**
 * Narrows a bracket until its two inputs differ by one base unit, or until they are close enough if a divisor is given.
 *
 * @param precisionDivisor - narrowing stops once the inputs differ by at most the larger one divided by this number
 */
export function narrowBracket(
  pointAt: PointAt,
  [initialLow, initialHigh]: Bracket,
  requiredOut: bigint,
  precisionDivisor?: bigint,
): Bracket {
  let [low, high] = [initialLow, initialHigh]
  const width = () => high.amountIn - low.amountIn
  // If an intermediate token has few units, the output jumps, and interpolated inputs are often wrong. `misses` counts
  // such inputs in a row. Each makes the margin of the next interpolation larger; after `MAX_SLOPE_MISSES`, the bracket
  // is bisected.
  let misses = 0
  for (let steps = 0; steps < MAX_OUTPUT_STEPS && width() > 1n; steps++) {
    const isLowNear = requiredOut - low.amountOut < high.amountOut - requiredOut
    const usesSlope = misses < MAX_SLOPE_MISSES
    const middle = pointAt(
      usesSlope ? interpolate(low, high, requiredOut, misses) : (low.amountIn + high.amountIn) / 2n,
    )
    const isEnough = middle.amountOut >= requiredOut
    if (isEnough) high = middle
    else low = middle
    if (usesSlope) misses = isEnough === isLowNear ? 0 : misses + 1
    if (precisionDivisor !== undefined && width() * precisionDivisor <= high.amountIn) break
  }
  return [low, high]
}

/**
 * Returns an input within the bracket. Follows the slope between its ends, or takes the middle if the outputs of its
 * ends differ by few units. Starts at the end whose output is closer to the required one. Steps past the expected
 * solution by a unit and a margin, so that the other end of the bracket moves. The margin grows with the number of
 * misses.
 */
function interpolate(low: AmountPoint, high: AmountPoint, requiredOut: bigint, misses: number): bigint {
  const width = high.amountIn - low.amountIn
  const rise = high.amountOut - low.amountOut
  const middle = low.amountIn + width / 2n
  if (rise <= 4n) return middle
  const [missingAtLow, excessAtHigh] = [requiredOut - low.amountOut, high.amountOut - requiredOut]
  const stepFor = (missingOut: bigint) =>
    ((missingOut + 1n) * width * (256n + 8n ** BigInt(misses))) / (rise * 256n) + 1n
  const amount =
    missingAtLow < excessAtHigh ? low.amountIn + stepFor(missingAtLow) : high.amountIn - stepFor(excessAtHigh)
  return amount > low.amountIn && amount < high.amountIn ? amount : middle
}

/**
 * First step for `bracketFrom`, in base units of the input: the input for the missing or excess output at a price, plus
 * a margin. At most the known input.
 *
 * @param price - output per additional unit of input
 */
export function stepFrom({ amountIn, amountOut }: AmountPoint, requiredOut: bigint, price: number): bigint {
  const outputDifference = Math.abs(Number(requiredOut - amountOut)) + 1
  const maxStep = Number(amountIn)
  return BigInt(Math.ceil(Math.min(maxStep, price > 0 ? (outputDifference * (1 + OUTPUT_MARGIN)) / price : 1))) + 1n
}
