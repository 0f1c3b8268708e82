/**
 * Builds price curves of pools whose curve has no closed form. The curve goes through samples: quotes of our exact
 * integer math at a few inputs. A point is an input and its output. An interval lies between two neighboring points,
 * and has the index of the point at its end. Called by `dexes/common/capacity-family.ts`.
 */
import { FLOAT_PPM } from '@sluice/chains'
import { nullIfRefused, type PriceCurve } from '../family.ts'
import { UNLIMITED_INPUT } from './capacity.ts'
import { curveEnd } from './curve-end.ts'
import { emptyCurve } from './curves.ts'
import { curveThrough, type Points, predictionDifference, predictOutput } from './spline.ts'

/** One direction of a pool that `sampledCurve` samples. */
export type SamplingInput = {
  /** Returns the output of an input, after fees. Can throw a `PoolRefusal`. */
  readonly quote: (amountIn: bigint) => bigint
  /** Largest input in base units, or less than it by a fraction of at most 2^−32; null for no limit. */
  readonly maxInput: bigint | null
  /** Approximate reserve of the input token, in base units. The inputs of the first samples are multiples of it. */
  readonly scale: bigint
  /**
   * Part of the fee that `keepIn` of the curve contains, in ppm of the input. The pieces contain the rest of the fee.
   */
  readonly feePpm: number
}

/** Maximum quotes per curve. A pool with little curvature needs a quarter of them. */
const MAX_QUOTES = 64
/** Relative output error of an interval up to which it is not divided: a hundredth of a basis point. */
const TOLERANCE = 1e-6
/** Smallest input that is sampled, as a fraction of the pool's `scale`. */
const SMALLEST_INPUT_SHARE = 1e-5
/** Minimum output, in base units, that rounding does not distort. Larger samples are added until one reaches it. */
const MIN_SMOOTH_OUTPUT = 1e7
/** Maximum output of the smallest sample, as a fraction of the output of the largest sample. */
const MAX_FIRST_OUTPUT_SHARE = 1e-3
/**
 * Maximum ratio of the inputs at the end and at the start of an interval. Above it, the interval is divided even if its
 * estimated error is small.
 */
const MAX_INTERVAL_RATIO = 8
/**
 * Minimum rise of the output along an interval above `MAX_INTERVAL_RATIO`, as a fraction of the output at its end. An
 * interval with a smaller rise is not divided for its ratio.
 */
const MIN_WIDE_RISE = 1e-3
/** Ratio of the inputs of consecutive first samples. */
const SEARCH_GROWTH = 64
/** Maximum number of intervals into which the range between the smallest sample and the next sample is divided. */
const MAX_FIRST_INTERVALS = 6
/** Rise of the output along an interval, in base units, below which rounding hides the curvature. */
const MIN_OUTPUT_STEP = 2_000
/**
 * Input of the first sample above the pool's `scale`, as a multiple of the scale. Samples above the scale are added
 * only if the largest input is far above it.
 */
const FAR_START = 16
/** Fraction of the total output that may remain after the last sample below the largest input. */
const MAX_FAR_REST_SHARE = 2e-7
/** Minimum relative rise of the output from one sample to the next. */
const MIN_STEP_RISE = 1e-9
/**
 * Minimum output of the last piece of a pool without an input limit, as a fraction of the output up to the last sample.
 * This piece starts at the last sample and has no end.
 */
const MIN_REST_SHARE = 1e-9
/** Expected error of each part of a divided interval, relative to the error of the undivided interval. */
const REMAINING_ERROR_SHARE = 1 / 6
/**
 * Weight of the error of the coarse prediction, which uses fewer points than the fine prediction. The error of the fine
 * prediction has weight 1. It can be zero by chance, so it does not suffice.
 */
const COARSE_WEIGHT = 0.3
/** Weight of the difference between the fine and the coarse prediction. */
const DISAGREEMENT_WEIGHT = 0.15
/**
 * Safety factor of the estimated error. In real states of all families the true error is up to seven times the
 * estimate.
 */
const ERROR_SAFETY_FACTOR = 8
/**
 * Maximum relative rise of the output along an interval that counts as level. Must be above `MIN_STEP_RISE` times the
 * maximum number of samples.
 */
const LEVEL_RISE = 1e-7
/** Relative error that float arithmetic adds to the curve. */
const FLOAT_ERROR = 1e-8
/** Position of a new sample within an interval, as a fraction of its width. */
const SPLIT_POSITION = 0.4
/** Position of a new sample in the first interval, which starts at zero. */
const FIRST_SPLIT_POSITION = 0.25
/**
 * Ratio of the inputs at the end and at the start of an interval, above which it is divided at their geometric mean.
 */
const GEOMETRIC_SPLIT_RATIO = 3

/** Returns a curve through samples of a pool. It ends at `maxInput`, less `END_MARGIN`; for null, it has no end. */
export function sampledCurve({ quote, maxInput, scale, feePpm }: SamplingInput): PriceCurve {
  const keepIn = 1 - feePpm / FLOAT_PPM
  if (maxInput === 0n) return emptyCurve(keepIn)
  const scaleAsFloat = Math.max(1, Number(scale))
  const samples = new Samples(quote)
  const totalOutput = samples.addTowardEnd(scaleAsFloat, maxInput)
  samples.addSmallest(scaleAsFloat)
  samples.divideWorst()
  const { x, y } = samples
  if (x.length < 2) return emptyCurve(keepIn)
  const lastIndex = x.length - 1
  const inputs = x.map((input) => input * keepIn)
  const errors = samples.outputErrors()
  const sharedFields = { keepIn, keepOut: 1, outputError: Math.max(...errors) }
  if (maxInput === null)
    return {
      ...curveThrough({ x: inputs, y }, Math.max(totalOutput - y[lastIndex]!, y[lastIndex]! * MIN_REST_SHARE), errors),
      ...sharedFields,
    }
  // Apply the end margin, and drop samples after the new end.
  const end = Math.min(inputs[lastIndex]!, curveEnd(maxInput, keepIn))
  const keptCount = inputs.findIndex((input) => input >= end)
  const cutAtEnd = (values: readonly number[], lastValue: number) => [...values.slice(0, keptCount), lastValue]
  const lastError = Math.max(...errors.slice(keptCount))
  return {
    ...curveThrough(
      { x: cutAtEnd(inputs, end), y: cutAtEnd(y, y[lastIndex]!) },
      undefined,
      cutAtEnd(errors, lastError),
    ),
    ...sharedFields,
  }
}

/** Samples of one pool, in ascending order of inputs. */
class Samples implements Points {
  /** Inputs in base units. */
  readonly x = [0]
  /** Outputs in base units. */
  readonly y = [0]
  /**
   * Estimated relative output error of the interval that ends at each point. Infinite until it is estimated; 0 if the
   * interval cannot be divided.
   */
  private readonly errors = [0]
  private quoteCount = 0
  private readonly quote: SamplingInput['quote']

  constructor(quote: SamplingInput['quote']) {
    this.quote = quote
  }

  /** Returns the output of an input; null if the pool refuses it. */
  private quoteAt(input: number): number | null {
    this.quoteCount++
    const amountOut = nullIfRefused(() => this.quote(BigInt(Math.ceil(input))))
    return amountOut === null ? null : Number(amountOut)
  }

  /** Adds a sample. @returns its output; null if the pool refuses the input or pays no more than for a smaller one */
  add(amountIn: number): number | null {
    const { x, y, errors } = this
    const input = Math.ceil(amountIn)
    const output = this.quoteAt(input)
    if (output === null) return null
    let index = x.length
    while (input < x[index - 1]!) index--
    if (!(input > x[index - 1]! && output > y[index - 1]!) || input === x[index]) return null
    // A pool with a rising fee can pay less for a larger input. Raise the outputs of the larger inputs to just above
    // this output, so that the curve never falls.
    for (let k = index; k < y.length; k++) y[k] = Math.max(y[k]!, output * (1 + MIN_STEP_RISE * (k - index + 1)))
    x.splice(index, 0, input)
    y.splice(index, 0, output)
    errors.splice(index, 0, Number.POSITIVE_INFINITY)
    if (index < x.length - 1) errors[index + 1] = Number.POSITIVE_INFINITY
    return output
  }

  /**
   * Adds samples with inputs far above `scale` until almost no output remains, then a sample of the largest input. An
   * unlimited pool gets no sample of the largest input.
   *
   * @returns output of the largest input
   */
  addTowardEnd(scale: number, maxInput: bigint | null): number {
    const { x, y, errors } = this
    const end = maxInput ?? UNLIMITED_INPUT - 1n
    const totalOutput = Number(nullIfRefused(() => this.quote(end)) ?? 0n)
    this.quoteCount++
    for (let input = scale * FAR_START; input * MAX_INTERVAL_RATIO < Number(end); input *= SEARCH_GROWTH) {
      const output = this.add(input)
      if (output === null || output >= totalOutput * (1 - MAX_FAR_REST_SHARE)) break
    }
    if (maxInput === null) return totalOutput
    x.push(Number(end))
    y.push(Math.max(totalOutput, y.at(-1)! * (1 + MIN_STEP_RISE)))
    errors.push(Number.POSITIVE_INFINITY)
    return totalOutput
  }

  /** Adds samples with small inputs, up to the first sample with an output of `MIN_SMOOTH_OUTPUT`. */
  addSmallest(scale: number): void {
    const { x, y } = this
    const end = x.at(-1)!
    let input = Math.min(scale, end) * SMALLEST_INPUT_SHARE
    // If the pool's reserve of the output token is small, a small input can buy nearly all of it.
    while (input > 1 && (this.quoteAt(input) ?? 0) > MAX_FIRST_OUTPUT_SHARE * y.at(-1)!) input /= SEARCH_GROWTH
    for (;;) {
      const output = this.add(input)
      if ((output !== null && output >= MIN_SMOOTH_OUTPUT) || input * SEARCH_GROWTH >= end) break
      input *= SEARCH_GROWTH
    }
    // Fill the gap between the smallest input and the next sample.
    const nextInput = x[2] ?? end
    const count = Math.min(MAX_FIRST_INTERVALS, Math.floor(Math.log(nextInput / input) / Math.log(SEARCH_GROWTH / 4)))
    for (let i = 1; i < count; i++) this.add(input * (nextInput / input) ** (i / count))
  }

  /** Divides the interval with the largest error, again and again, until all errors are small or no quotes are left. */
  divideWorst(): void {
    const { errors } = this
    while (this.quoteCount < MAX_QUOTES) {
      let worstInterval = 1
      for (let k = 2; k < errors.length; k++) if (errors[k]! > errors[worstInterval]!) worstInterval = k
      if (!(errors[worstInterval]! > TOLERANCE)) return
      this.divide(worstInterval)
    }
  }

  /** Returns the approximate relative error of the curve in the interval that ends at each point. */
  outputErrors(): readonly number[] {
    const errors = this.x.map((_, k) => FLOAT_ERROR + Math.min(this.estimateNear(k), this.hullError(k)))
    // An error is infinite if it was never estimated and the samples are not concave.
    const largestError = Math.max(ERROR_SAFETY_FACTOR * TOLERANCE, ...errors.filter(Number.isFinite))
    return errors.map((error) => Math.min(error, largestError))
  }

  /**
   * Returns the largest estimated error of an interval and its two neighbors, since the error of a single interval can
   * be small by chance.
   */
  private estimateNear(k: number): number {
    const { errors } = this
    return Math.max(TOLERANCE, ERROR_SAFETY_FACTOR * Math.max(errors[k - 1] ?? 0, errors[k]!, errors[k + 1] ?? 0))
  }

  /**
   * Returns the maximum by which a concave curve can exceed the chord of interval `k`, relative to the output at its
   * end. The chords of the neighboring intervals bound the curve. Infinite if they give no bound.
   */
  private hullError(k: number): number {
    const { x, y } = this
    const slopeOf = (end: number) => (end < x.length ? (y[end]! - y[end - 1]!) / (x[end]! - x[end - 1]!) : 0)
    const [slopeBefore, slopeHere, slopeAfter] = [slopeOf(k - 1), slopeOf(k), slopeOf(k + 1)]
    const width = x[k]! - x[k - 1]!
    // The output of a level interval may have been raised by `add`, so its slope gives no bound.
    const isConcave = slopeBefore > slopeHere && slopeHere > slopeAfter && y[k]! > y[k - 1]! * (1 + LEVEL_RISE)
    return isConcave
      ? (width * (slopeBefore - slopeHere) * (slopeHere - slopeAfter)) / (slopeBefore - slopeAfter) / y[k]!
      : Number.POSITIVE_INFINITY
  }

  /** Adds a sample within the interval that ends at point `k`, and estimates the errors of both parts. */
  private divide(k: number): void {
    const { x, y, errors } = this
    const [from, to] = [x[k - 1]!, x[k]!]
    const splitPoint =
      from === 0
        ? to * FIRST_SPLIT_POSITION
        : to > GEOMETRIC_SPLIT_RATIO * from
          ? Math.sqrt(from * to)
          : from + (to - from) * SPLIT_POSITION
    const input = Math.round(splitPoint)
    errors[k] = 0
    if (y[k]! - y[k - 1]! < MIN_OUTPUT_STEP || !(from < input && input < to)) return
    const [finePrediction, coarsePrediction] = [
      predictOutput(this, k, input, true),
      predictOutput(this, k, input, false),
    ]
    const output = this.add(input)
    if (output === null) return
    // Ignore an error of one unit, which is rounding.
    const relativeErrorOf = (predictedOutput: number) => Math.max(0, Math.abs(predictedOutput - output) - 1) / output
    const remainingError =
      REMAINING_ERROR_SHARE *
      Math.max(relativeErrorOf(finePrediction), COARSE_WEIGHT * relativeErrorOf(coarsePrediction))
    for (const interval of [k, k + 1])
      errors[interval] = this.isWide(interval)
        ? Number.POSITIVE_INFINITY
        : Math.max(remainingError, DISAGREEMENT_WEIGHT * predictionDifference(this, interval))
  }

  /** True if an interval is so wide that one sample cannot estimate its error. */
  private isWide(k: number): boolean {
    const { x, y } = this
    return k > 1 && x[k]! > MAX_INTERVAL_RATIO * x[k - 1]! && y[k]! - y[k - 1]! > MIN_WIDE_RISE * y[k]!
  }
}
