/** Price curves of pools without a closed form, through sampled quotes. */
import { FLOAT_PPM } from '@sluice/chains'
import { nullIfRefused, type PriceCurve } from '../family.ts'
import { UNLIMITED_INPUT } from './capacity.ts'
import { curveEnd } from './curve-end.ts'
import { emptyCurve } from './curves.ts'
import { curveThrough, disagreementBetween, type Points, predictedBetween } from './spline.ts'

/** One direction of a pool, to be sampled. */
export type SampledPool = {
  /** Returns the output of an input, after fees. Can throw a `PoolRefusal`. */
  readonly quote: (amountIn: bigint) => bigint
  /** As `DexFamily.maxInput`, or below it by a fraction of at most 2^−32. */
  readonly maxInput: bigint | null
  /** Large input for this pool, in base units: about its reserve. */
  readonly scale: bigint
  /** Part of the fee, in ppm of the input, that the curve states as its fee; the rest is contained in the curve. */
  readonly feePpm: number
}

/** Maximum quotes per curve; pools with little curvature need a quarter of them. */
const MAX_QUOTES = 64
/** Relative output error below which an interval is not divided: a hundredth of a basis point. */
const TOLERANCE = 1e-6
/**
 * Smallest sample as a fraction of the scale, unless its output has fewer base units than `SMOOTH_OUTPUT`, so that
 * rounding would be visible.
 */
const SMALLEST_SHARE = 1e-5
const SMOOTH_OUTPUT = 1e7
/** Maximum output of the smallest sample, as a fraction of the total output. */
const FIRST_OUTPUT = 1e-3
/** Maximum growth of the input between two samples, and relative output rise below which wider gaps are accepted. */
const GROWTH = 8
const MIN_RISE = 1e-3
/** Growth of the input between two of the first samples, and their maximum number. */
const SEARCH_GROWTH = 64
const MAX_FIRST_SAMPLES = 6
/** Base units of output below which rounding hides the curvature of an interval. */
const MIN_OUTPUT_STEP = 2_000
/**
 * First sample toward a distant end, as a multiple of the scale, and the fraction of the output that may remain after
 * the last one.
 */
const FAR_START = 16
const MAX_FAR_REST = 2e-7
/** Minimum relative rise of the output from one sample to the next. */
const MIN_STEP_RISE = 1e-9
/**
 * Minimum output after the last sample of an unlimited pool, as a fraction of the output before it, because its curve
 * has no end.
 */
const MIN_REST = 1e-9
/** Expected error of the halves of a divided interval, relative to its error. */
const ERROR_LEFT = 1 / 6
/** Weights of the coarser predictions: the error of the finer one can be zero by chance. */
const COARSE_WEIGHT = 0.3
const DOUBT_WEIGHT = 0.15
/** Factor on the estimated error: in real states of all families the true error is up to seven times as large. */
const ERROR_SAFETY = 8
/** Relative rise of an interval up to which it is level. Must be above `MIN_STEP_RISE` times the maximum samples. */
const LEVEL_RISE = 1e-7
/** Relative error of the curve's own floats. */
const FLOAT_ERROR = 1e-8
/** Position of a new sample within an interval, as a fraction of its width. */
const SPLIT_POSITION = 0.4
/** Position of a new sample in the first interval, which starts at zero. */
const FIRST_SPLIT_POSITION = 0.25
/** Ratio of the ends of an interval above which it is divided at their geometric mean. */
const WIDE_RATIO = 3

/** Returns a curve through samples of a pool; it ends at the last one. */
export function sampledCurve({ quote, maxInput, scale, feePpm }: SampledPool): PriceCurve {
  const keepIn = 1 - feePpm / FLOAT_PPM
  if (maxInput === 0n) return emptyCurve(keepIn)
  const size = Math.max(1, Number(scale))
  const samples = new Samples(quote)
  const supremum = samples.addFar(size, maxInput)
  samples.addFirst(size)
  samples.refine()
  const { x, y } = samples
  if (x.length < 2) return emptyCurve(keepIn)
  const last = x.length - 1
  const inputs = x.map((input) => input * keepIn)
  const errors = samples.outputErrors()
  const fees = { keepIn, keepOut: 1, outputError: Math.max(...errors) }
  if (maxInput === null)
    return { ...curveThrough({ x: inputs, y }, Math.max(supremum - y[last]!, y[last]! * MIN_REST), errors), ...fees }
  // Apply the end margin, and drop samples inside it.
  const end = Math.min(inputs[last]!, curveEnd(maxInput, keepIn))
  const count = inputs.findIndex((input) => input >= end)
  const cutAtEnd = (values: readonly number[], final: number) => [...values.slice(0, count), final]
  const lastError = Math.max(...errors.slice(count))
  return {
    ...curveThrough({ x: cutAtEnd(inputs, end), y: cutAtEnd(y, y[last]!) }, undefined, cutAtEnd(errors, lastError)),
    ...fees,
  }
}

class Samples implements Points {
  readonly x = [0]
  readonly y = [0]
  /** Expected relative output error of the interval that ends at each point. */
  private readonly error = [0]
  private quotes = 0
  private readonly quote: SampledPool['quote']

  constructor(quote: SampledPool['quote']) {
    this.quote = quote
  }

  private sample(input: number): number | null {
    this.quotes++
    const amountOut = nullIfRefused(() => this.quote(BigInt(Math.ceil(input))))
    return amountOut === null ? null : Number(amountOut)
  }

  /** Adds a sample. @returns its output; null if the pool refuses or buys no more than with a smaller input */
  add(amountIn: number): number | null {
    const { x, y, error } = this
    const input = Math.ceil(amountIn)
    const output = this.sample(input)
    if (output === null) return null
    let index = x.length
    while (input < x[index - 1]!) index--
    if (!(input > x[index - 1]! && output > y[index - 1]!) || input === x[index]) return null
    // A pool with a rising fee can pay less for a larger input: keep the curve level there.
    for (let later = index; later < y.length; later++)
      y[later] = Math.max(y[later]!, output * (1 + MIN_STEP_RISE * (later - index + 1)))
    x.splice(index, 0, input)
    y.splice(index, 0, output)
    error.splice(index, 0, Number.POSITIVE_INFINITY)
    if (index < x.length - 1) error[index + 1] = Number.POSITIVE_INFINITY
    return output
  }

  /**
   * Adds the end of the pool, and samples toward a distant or infinite end until almost no output remains.
   *
   * @returns the total output
   */
  addFar(size: number, maxInput: bigint | null): number {
    const { x, y, error } = this
    const end = maxInput ?? UNLIMITED_INPUT - 1n
    const totalOutput = Number(nullIfRefused(() => this.quote(end)) ?? 0n)
    this.quotes++
    for (let input = size * FAR_START; input * GROWTH < Number(end); input *= SEARCH_GROWTH) {
      const output = this.add(input)
      if (output === null || output >= totalOutput * (1 - MAX_FAR_REST)) break
    }
    if (maxInput === null) return totalOutput
    x.push(Number(end))
    y.push(Math.max(totalOutput, y.at(-1)! * (1 + MIN_STEP_RISE)))
    error.push(Number.POSITIVE_INFINITY)
    return totalOutput
  }

  /** Adds samples from the smallest input whose output hides rounding, up to the largest sample so far. */
  addFirst(size: number): void {
    const { x, y } = this
    const end = x.at(-1)!
    let input = Math.min(size, end) * SMALLEST_SHARE
    // A pool with little of the output token pays nearly all of it for a small input.
    while (input > 1 && (this.sample(input) ?? 0) > FIRST_OUTPUT * y.at(-1)!) input /= SEARCH_GROWTH
    for (;;) {
      const output = this.add(input)
      if ((output !== null && output >= SMOOTH_OUTPUT) || input * SEARCH_GROWTH >= end) break
      input *= SEARCH_GROWTH
    }
    const largest = x[2] ?? end
    const count = Math.min(MAX_FIRST_SAMPLES, Math.floor(Math.log(largest / input) / Math.log(SEARCH_GROWTH / 4)))
    for (let i = 1; i < count; i++) this.add(input * (largest / input) ** (i / count))
  }

  /** Divides the intervals with the largest errors. */
  refine(): void {
    const { error } = this
    while (this.quotes < MAX_QUOTES) {
      let worstInterval = 1
      for (let k = 2; k < error.length; k++) if (error[k]! > error[worstInterval]!) worstInterval = k
      if (!(error[worstInterval]! > TOLERANCE)) return
      this.divide(worstInterval)
    }
  }

  /** Returns the approximate relative error of the curve in the interval that ends at each point. */
  outputErrors(): readonly number[] {
    const errors = this.x.map((_, k) => FLOAT_ERROR + Math.min(this.estimateNear(k), this.hullError(k)))
    // An error is infinite if the interval was never judged and its samples are not concave.
    const largest = Math.max(ERROR_SAFETY * TOLERANCE, ...errors.filter(Number.isFinite))
    return errors.map((error) => Math.min(error, largest))
  }

  /**
   * Returns the estimated error of an interval and its neighbors, since the error of a single interval can be small by
   * chance.
   */
  private estimateNear(k: number): number {
    const { error } = this
    return Math.max(TOLERANCE, ERROR_SAFETY * Math.max(error[k - 1] ?? 0, error[k]!, error[k + 1] ?? 0))
  }

  /**
   * Returns the bound by which a concave curve can exceed the chord between two samples, relative to the output at the
   * end. Infinite if the neighbors do not bound it.
   */
  private hullError(k: number): number {
    const { x, y } = this
    const slope = (end: number) => (end < x.length ? (y[end]! - y[end - 1]!) / (x[end]! - x[end - 1]!) : 0)
    const [before, slopeHere, after] = [slope(k - 1), slope(k), slope(k + 1)]
    const width = x[k]! - x[k - 1]!
    // The output of a level interval may have been raised, so it says nothing.
    const isConcave = before > slopeHere && slopeHere > after && y[k]! > y[k - 1]! * (1 + LEVEL_RISE)
    return isConcave
      ? (width * (before - slopeHere) * (slopeHere - after)) / (before - after) / y[k]!
      : Number.POSITIVE_INFINITY
  }

  private divide(k: number): void {
    const { x, y, error } = this
    const [from, to] = [x[k - 1]!, x[k]!]
    const splitPoint =
      from === 0
        ? to * FIRST_SPLIT_POSITION
        : to > WIDE_RATIO * from
          ? Math.sqrt(from * to)
          : from + (to - from) * SPLIT_POSITION
    const input = Math.round(splitPoint)
    error[k] = 0
    if (y[k]! - y[k - 1]! < MIN_OUTPUT_STEP || !(from < input && input < to)) return
    const [fine, coarse] = [predictedBetween(this, k, input, true), predictedBetween(this, k, input, false)]
    const output = this.add(input)
    if (output === null) return
    // Ignore an error of one unit, which is rounding.
    const relativeError = (predictedOutput: number) => Math.max(0, Math.abs(predictedOutput - output) - 1) / output
    const remainingError = ERROR_LEFT * Math.max(relativeError(fine), COARSE_WEIGHT * relativeError(coarse))
    for (const interval of [k, k + 1])
      error[interval] = this.isWide(interval)
        ? Number.POSITIVE_INFINITY
        : Math.max(remainingError, DOUBT_WEIGHT * disagreementBetween(this, interval))
  }

  /** True if an interval is too wide to be judged by one sample. */
  private isWide(k: number): boolean {
    const { x, y } = this
    return k > 1 && x[k]! > GROWTH * x[k - 1]! && y[k]! - y[k - 1]! > MIN_RISE * y[k]!
  }
}
