/**
 * Quotes pools of unknown math from samples. A sample is a swap that a lens (a contract that reads pools in an
 * eth_call) simulated. Quotes at sampled amounts are exact. Other quotes are interpolated. A direction is a number that
 * stands for an ordered pair of tokens (`directionBetween`).
 */
import { PoolRefusal, type PriceCurve } from '../../family.ts'
import { curveEnd } from '../../math/curve-end.ts'
import { emptyCurve } from '../../math/curves.ts'
import { max, min } from '../../math/integers.ts'
import { curveThrough, type Points } from '../../math/spline.ts'

/** A simulated swap. */
export type SampledAmount = readonly [amountIn: bigint, amountOut: bigint]

/** One value for each direction of a pool. A pool of two tokens has two directions: token 0 is sold, or token 1. */
export type ByDirection<T> = readonly [T, T, ...T[]]

/** State of a sampled pool. */
export type SampledState = {
  /** Samples with ascending inputs and outputs. Empty for a direction in which the pool does not trade now. */
  readonly samples: ByDirection<readonly SampledAmount[]>
  /** Inputs of swaps in past routes, newest first. They are sampled again at each block. */
  readonly focus: ByDirection<readonly bigint[]>
  /** Total input of the swaps that were quoted since the samples were taken. */
  readonly sold: ByDirection<bigint>
  /**
   * Text that changes with every trade of the pool. If samples change but the text does not, something other than a
   * trade changed the pool's prices.
   */
  readonly stamp: string
}

/** Maximum of `PriceCurve.outputError`. */
const MAX_OUTPUT_ERROR = 0.05
/** Minimum of `PriceCurve.outputError`: a hundredth of a basis point. */
const MIN_OUTPUT_ERROR = 1e-6
/** Minimum relative difference between two neighboring points of a curve, in input and output. */
const MIN_RISE = 1e-8

/** Returns the pairs of token indices of a pool: 0 and 1, 0 and 2, and so on. */
export const indexPairsOf = (tokenCount: number): readonly (readonly [first: number, second: number])[] =>
  Array.from({ length: tokenCount }, (_, first) =>
    Array.from({ length: tokenCount - first - 1 }, (_, k) => [first, first + k + 1] as const),
  ).flat()

/** Returns the direction in which token `i` of a pool is sold for token `j`. Pair `p` has directions 2p and 2p + 1. */
export function directionBetween(i: number, j: number, tokenCount: number): number {
  const [first, second] = i < j ? [i, j] : [j, i]
  const pair = (first * (2 * tokenCount - first - 1)) / 2 + second - first - 1
  return 2 * pair + (i < j ? 0 : 1)
}

/** Returns one value for each direction. @throws RangeError if the pool has fewer than two tokens */
export function byDirection<T>(directionCount: number, toValue: (direction: number) => T): ByDirection<T> {
  if (directionCount < 2) throw new RangeError('a pool has at least two directions')
  return Array.from({ length: directionCount }, (_, direction) => toValue(direction)) as unknown as ByDirection<T>
}

/**
 * Returns the samples of one direction in ascending order. Leaves out failed swaps, and swaps that pay no more than a
 * swap of a smaller amount.
 */
export function toSamples(amounts: readonly bigint[], outputs: readonly bigint[]): readonly SampledAmount[] {
  const samples = amounts
    .map((amountIn, k): SampledAmount => [amountIn, outputs[k]!])
    .filter(([amountIn, amountOut]) => amountIn > 0n && amountOut > 0n)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  const ascending: SampledAmount[] = []
  for (const sample of samples) if (sample[1] > (ascending.at(-1)?.[1] ?? 0n)) ascending.push(sample)
  return ascending
}

/**
 * Quotes an exact input. The output is exact at a sampled amount. Between two samples, it is interpolated, and stays
 * between the limits that a concave function through the samples has there.
 *
 * @throws PoolRefusal `PAUSED` if the pool does not trade; `TOO_LARGE` above the last sample; `TOO_SMALL` for no
 * output; `UNSUPPORTED` after a swap in another direction, after which the price is unknown
 */
export function quoteSampled(
  state: SampledState,
  direction: number,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: SampledState } {
  const samples = state.samples[direction]!
  const soldBefore = state.sold[direction]!
  if (samples.length === 0) throw new PoolRefusal('PAUSED', 'the pool does not trade in this direction now')
  if (isSoldInOtherDirection(state, direction))
    throw new PoolRefusal('UNSUPPORTED', 'its price after a swap is unknown')
  if (amountIn <= 0n) throw new PoolRefusal('TOO_SMALL', 'nothing to sell')
  const totalSold = soldBefore + amountIn
  if (totalSold > samples.at(-1)![0])
    throw new PoolRefusal('TOO_LARGE', `no more than ${samples.at(-1)![0]} was sampled`, { isModelLimit: true })
  const amountOut = outputAt(samples, totalSold) - outputAt(samples, soldBefore)
  if (amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  const sold = byDirection(state.sold.length, (k) => (k === direction ? totalSold : state.sold[k]!))
  return { amountOut, state: { ...state, sold } }
}

/** True if a swap in another direction has been quoted since the samples were taken. */
const isSoldInOtherDirection = ({ sold }: SampledState, direction: number) =>
  sold.some((amount, k) => k !== direction && amount > 0n)

/** Returns the largest input that `quoteSampled` accepts. */
export function maxSampledInput(state: SampledState, direction: number): bigint {
  const samples = state.samples[direction]!
  const sold = state.sold[direction]!
  const lastSample = samples.at(-1)
  if (!lastSample || isSoldInOtherDirection(state, direction)) return 0n
  // Past swaps may have bought the whole output of the last sample, even if they sold less input.
  return lastSample[0] > sold && lastSample[1] > outputAt(samples, sold) ? lastSample[0] - sold : 0n
}

/** Returns the curve through the concave hull of the samples. */
export function sampledPoolCurve(state: SampledState, direction: number): PriceCurve {
  const samples = state.samples[direction]!
  const sold = state.sold[direction]!
  const maxInput = maxSampledInput(state, direction)
  if (maxInput === 0n) return emptyCurve(1)
  const soldOutput = outputAt(samples, sold)
  const points: Points = { x: [0], y: [0] }
  for (const [k, [amountIn, amountOut]] of samples.entries()) {
    const [x, y] = [Number(amountIn - sold), Number(amountOut - soldOutput)]
    // Skip a point that floats can hardly distinguish from the point before it. The last point must stay, because it is
    // the end of the curve. So it replaces the point before it.
    const isDistinct = x > points.x.at(-1)! * (1 + MIN_RISE) && y > points.y.at(-1)! * (1 + MIN_RISE)
    const isEnd = k === samples.length - 1 && points.x.length > 1
    if (!isDistinct && !isEnd) continue
    if (!isDistinct) {
      points.x.pop()
      points.y.pop()
    }
    points.x.push(x)
    points.y.push(y)
  }
  if (points.x.length < 2) return emptyCurve(1)
  points.x[points.x.length - 1] = Math.min(points.x.at(-1)!, curveEnd(maxInput, 1))
  return { ...curveThrough(points), keepIn: 1, keepOut: 1, outputError: estimateCurveError(samples) }
}

/** Returns the output of an input, rounded down. The input must not be above the last sample. */
export function outputAt(samples: readonly SampledAmount[], amountIn: bigint): bigint {
  if (amountIn <= 0n) return 0n
  const k = firstIndexAtOrAbove(samples, amountIn)
  const [toIn, toOut] = samples[k]!
  if (amountIn === toIn) return toOut
  const [low, high] = concaveLimits(samples, k, amountIn)
  const estimateBefore = hyperbolaAt(samples, k - 2, amountIn)
  const estimateAfter = hyperbolaAt(samples, k - 1, amountIn)
  const estimate =
    estimateBefore === null || estimateAfter === null
      ? (estimateBefore ?? estimateAfter ?? low)
      : (estimateBefore + estimateAfter) >> 1n
  return max(low, min(high, estimate))
}

/**
 * Estimates the relative error of `outputAt`. Returns the relative difference of two estimates of the output. Each
 * estimate uses three samples: the first one uses two samples below the input, and the second one uses two samples
 * above it. Returns null if the input itself is a sample, or is above the last sample.
 */
export function estimateErrorAt(samples: readonly SampledAmount[], amountIn: bigint): number | null {
  if (amountIn <= 0n || amountIn > (samples.at(-1)?.[0] ?? 0n)) return null
  const k = firstIndexAtOrAbove(samples, amountIn)
  if (samples[k]![0] === amountIn) return null
  const [low, high] = concaveLimits(samples, k, amountIn)
  const estimates = [k - 2, k - 1].flatMap((first) => {
    const estimate = hyperbolaAt(samples, first, amountIn)
    return estimate === null ? [] : [max(low, min(high, estimate))]
  })
  const [estimateBefore = low, estimateAfter = estimates.length === 1 ? estimateBefore : high] = estimates
  const difference = estimateBefore > estimateAfter ? estimateBefore - estimateAfter : estimateAfter - estimateBefore
  return high > 0n ? Number(difference) / Number(high) : 1
}

/** Returns the index of the first sample at or above an input; the last index if there is none. */
function firstIndexAtOrAbove(samples: readonly SampledAmount[], amountIn: bigint): number {
  const k = samples.findIndex(([sampledIn]) => sampledIn >= amountIn)
  return k < 0 ? samples.length - 1 : k
}

/** Returns sample `k`; the origin for −1. */
const pointAt = (samples: readonly SampledAmount[], k: number): SampledAmount => (k < 0 ? [0n, 0n] : samples[k]!)

/**
 * Returns the limits of a concave function at an input between samples k − 1 and k. The lower limit is the chord
 * between the two samples. For the upper limit, the chords of both neighboring intervals are extended to the input, and
 * the lower one is taken. If the samples are not concave, both limits are the chord.
 */
function concaveLimits(
  samples: readonly SampledAmount[],
  k: number,
  amountIn: bigint,
): readonly [low: bigint, high: bigint] {
  const [from, to] = [pointAt(samples, k - 1), pointAt(samples, k)]
  const chord = lineAt(from, to, amountIn)
  let high: bigint | null = null
  if (k > 0) high = lineAt(pointAt(samples, k - 2), from, amountIn)
  if (k + 1 < samples.length) {
    const outputFromRight = lineAt(to, samples[k + 1]!, amountIn)
    high = high === null ? outputFromRight : min(high, outputFromRight)
  }
  return [chord, high === null ? to[1] : max(chord, min(high, to[1]))]
}

/** Returns the output at an input on the line through two samples, rounded down. */
function lineAt([fromIn, fromOut]: SampledAmount, [toIn, toOut]: SampledAmount, amountIn: bigint): bigint {
  const product = (toOut - fromOut) * (amountIn - fromIn)
  // Bigint division rounds toward zero, but a negative quotient must be rounded down. It is negative if the input is
  // below the first sample.
  const quotient = product / (toIn - fromIn)
  return fromOut + (product < 0n && product % (toIn - fromIn) !== 0n ? quotient - 1n : quotient)
}

/**
 * Returns the output of an input on the hyperbola through the samples `first` to `first` + 2. The hyperbola adds a·t /
 * (1 + b·t) to the output of sample `first`, where t is the input beyond this sample. The outputs of an x·y = k pool
 * lie on such a hyperbola. Returns null without three samples, or if they are not concave.
 */
function hyperbolaAt(samples: readonly SampledAmount[], first: number, amountIn: bigint): bigint | null {
  if (first < -1 || first + 2 >= samples.length) return null
  const [startIn, startOut] = pointAt(samples, first)
  const [nearIn, nearOut] = samples[first + 1]!
  const [farIn, farOut] = samples[first + 2]!
  const [nearX, nearY, farX, farY] = [nearIn - startIn, nearOut - startOut, farIn - startIn, farOut - startOut]
  // b is bNumerator / bDenominator, and 0 for a straight line.
  const bNumerator = nearY * farX - farY * nearX
  const bDenominator = nearX * farX * (farY - nearY)
  if (bNumerator < 0n || bDenominator <= 0n) return null
  const t = amountIn - startIn
  return startOut + (nearY * t * (bDenominator + bNumerator * nearX)) / (nearX * (bDenominator + bNumerator * t))
}

/** Returns the largest relative error of all intervals. The error of an interval is estimated at its middle. */
function estimateCurveError(samples: readonly SampledAmount[]): number {
  let error = MIN_OUTPUT_ERROR
  for (let k = 1; k < samples.length; k++) {
    const [from, to] = [samples[k - 1]![0], samples[k]![0]]
    error = Math.max(error, estimateErrorAt(samples, (from + to) >> 1n) ?? 0)
  }
  return Math.min(error, MAX_OUTPUT_ERROR)
}
