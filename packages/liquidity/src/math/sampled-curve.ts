/** Curves of pools without a closed form, by points of them. */
import { FLOAT_PPM } from '@sluice/chains'
import { orRefused, type PriceCurve } from '../family.ts'
import { UNLIMITED_INPUT } from './capacity.ts'
import { curveEnd } from './curve-end.ts'
import { emptyCurve } from './curves.ts'
import { curveThrough, doubtBetween, type Points, predictedBetween } from './spline.ts'

export type SampledPool = {
  /** Output for an input, fee included. May refuse. */
  readonly quote: (amountIn: bigint) => bigint
  /** As `DexFamily.maxInput`, or below it by at most 2^−32 of it. */
  readonly maxInput: bigint | null
  /** Base units of the input that are much for this pool: about what it holds. */
  readonly scale: bigint
  /** Parts per million of the input that the curve states as its fee; the rest of the fee stays inside of the curve. */
  readonly feePpm: number
}

/** Inputs that are quoted at most; pools that bend little need a quarter of them. */
const MAX_QUOTES = 64
/** Relative error of the output at which an interval is not divided: a hundredth of a basis point. */
const TOLERANCE = 1e-6
/** Input of the smallest sample as a part of the scale, unless it buys less than so many base units, which rounding would show in. */
const SMALLEST_PART = 1e-5
const SMOOTH_OUTPUT = 1e7
/** Part of the whole output that the smallest sample buys at most. */
const FIRST_OUTPUT = 1e-3
/** Growth from one sample to the next at most; and of those that are sought for the first ones. */
const GROWTH = 8
const LITTLE = 1e-3
const SEARCH_GROWTH = 64
const MAX_FIRST_SAMPLES = 6
/** Base units of output below which rounding hides how an interval bends. */
const MIN_OUTPUT_STEP = 2_000
/** Input from which on a pool whose end is far is followed, as a multiple of the scale, and the part of the output that is left at its last sample. */
const FAR = 16
const FAR_REST = 2e-7
/** Relative rise of the output from one sample to the next at least. */
const LEAST_RISE = 1e-9
/** The least output beyond the last sample of such a pool, as a part of what is before: its curve never ends. */
const LEAST_REST = 1e-9
/** Error of both parts of a divided interval, as a part of its own; and the weight of a coarser prediction, since errors may be 0 by chance. */
const ERROR_LEFT = 1 / 6
const COARSE_WEIGHT = 0.3
const DOUBT_WEIGHT = 0.15
/** Factor on the expected error: in real states of all families the true one is up to seven times as large. */
const ERROR_SAFETY = 8
/** Place of a sample in an interval, and the growth from which on it is the geometric mean of both ends. */
const PLACE = 0.4
const WIDE = 3
const FIRST_PLACE = 0.25

/** A curve through points of the pool; the last of them is where it ends. */
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
  const kept = { keepIn, keepOut: 1, outputError: samples.outputError() }
  if (maxInput === null)
    return { ...curveThrough({ x: inputs, y }, Math.max(supremum - y[last]!, y[last]! * LEAST_REST)), ...kept }
  // The end, less the margin, and without samples that lie in it.
  const end = Math.min(inputs[last]!, curveEnd(maxInput, keepIn))
  const count = inputs.findIndex((input) => input >= end)
  const upTo = (values: readonly number[], final: number) => [...values.slice(0, count), final]
  return { ...curveThrough({ x: upTo(inputs, end), y: upTo(y, y[last]!) }), ...kept }
}

class Samples implements Points {
  readonly x = [0]
  readonly y = [0]
  /** Relative error that the output of the interval that ends at a point is expected to have. */
  private readonly error = [0]
  private quotes = 0
  private readonly quote: SampledPool['quote']

  constructor(quote: SampledPool['quote']) {
    this.quote = quote
  }

  private ask(input: number): number | null {
    this.quotes++
    const amountOut = orRefused(() => this.quote(BigInt(Math.ceil(input))))
    return amountOut === null ? null : Number(amountOut)
  }

  /** Adds the sample of an input. @returns its output; null where the pool refuses, or buys no more than for a smaller input */
  add(amountIn: number): number | null {
    const { x, y, error } = this
    const input = Math.ceil(amountIn)
    const output = this.ask(input)
    if (output === null) return null
    let place = x.length
    while (input < x[place - 1]!) place--
    if (!(input > x[place - 1]! && output > y[place - 1]!) || input === x[place]) return null
    // A pool whose fee rises with the trade may pay less for more: the curve stays level there.
    for (let later = place; later < y.length; later++)
      y[later] = Math.max(y[later]!, output * (1 + LEAST_RISE * (later - place + 1)))
    x.splice(place, 0, input)
    y.splice(place, 0, output)
    error.splice(place, 0, Number.POSITIVE_INFINITY)
    if (place < x.length - 1) error[place + 1] = Number.POSITIVE_INFINITY
    return output
  }

  /**
   * Adds the end of a pool, and follows one that ends far away, or never, until next to nothing is left.
   *
   * @returns all that it pays
   */
  addFar(size: number, maxInput: bigint | null): number {
    const { x, y, error } = this
    const end = maxInput ?? UNLIMITED_INPUT - 1n
    const all = Number(orRefused(() => this.quote(end)) ?? 0n)
    this.quotes++
    for (let input = size * FAR; input * GROWTH < Number(end); input *= SEARCH_GROWTH) {
      const output = this.add(input)
      if (output === null || output >= all * (1 - FAR_REST)) break
    }
    if (maxInput === null) return all
    x.push(Number(end))
    y.push(Math.max(all, y.at(-1)! * (1 + LEAST_RISE)))
    error.push(Number.POSITIVE_INFINITY)
    return all
  }

  /** Adds samples from the smallest that rounding leaves smooth to the largest. */
  addFirst(size: number): void {
    const { x, y } = this
    const end = x.at(-1)!
    let input = Math.min(size, end) * SMALLEST_PART
    // A pool that is short of the other token pays nearly all of it for far less than it holds.
    while (input > 1 && (this.ask(input) ?? 0) > FIRST_OUTPUT * y.at(-1)!) input /= SEARCH_GROWTH
    for (;;) {
      const output = this.add(input)
      if ((output !== null && output >= SMOOTH_OUTPUT) || input * SEARCH_GROWTH >= end) break
      input *= SEARCH_GROWTH
    }
    const largest = x[2] ?? end
    const count = Math.min(MAX_FIRST_SAMPLES, Math.floor(Math.log(largest / input) / Math.log(SEARCH_GROWTH / 4)))
    for (let i = 1; i < count; i++) this.add(input * (largest / input) ** (i / count))
  }

  /** Divides intervals where the curve is furthest off. */
  refine(): void {
    const { error } = this
    while (this.quotes < MAX_QUOTES) {
      let worst = 1
      for (let k = 2; k < error.length; k++) if (error[k]! > error[worst]!) worst = k
      if (!(error[worst]! > TOLERANCE)) return
      this.divide(worst)
    }
  }

  /** Relative error of the curve through the samples, about: the largest of all intervals but the first, which is tiny. */
  outputError(): number {
    let most = ERROR_SAFETY * TOLERANCE
    for (let k = 2; k < this.x.length; k++)
      most = Math.max(most, Math.min(ERROR_SAFETY * this.error[k]!, this.hullError(k)))
    return most
  }

  /** The most that a concave curve exceeds the line between two samples by, as a part of the output there. */
  private hullError(k: number): number {
    const { x, y } = this
    const slope = (end: number) => (end < x.length ? (y[end]! - y[end - 1]!) / (x[end]! - x[end - 1]!) : 0)
    const [before, own, after] = [slope(k - 1), slope(k), slope(k + 1)]
    const width = x[k]! - x[k - 1]!
    return before > own && own > after ? (width * (before - own) * (own - after)) / (before - after) / y[k]! : 0
  }

  private divide(k: number): void {
    const { x, y, error } = this
    const [from, to] = [x[k - 1]!, x[k]!]
    const place = from === 0 ? to * FIRST_PLACE : to > WIDE * from ? Math.sqrt(from * to) : from + (to - from) * PLACE
    const input = Math.round(place)
    error[k] = 0
    if (y[k]! - y[k - 1]! < MIN_OUTPUT_STEP || !(from < input && input < to)) return
    const [fine, coarse] = [predictedBetween(this, k, input, true), predictedBetween(this, k, input, false)]
    const output = this.add(input)
    if (output === null) return
    // A unit is rounding.
    const off = (predicted: number) => Math.max(0, Math.abs(predicted - output) - 1) / output
    const left = ERROR_LEFT * Math.max(off(fine), COARSE_WEIGHT * off(coarse))
    for (const part of [k, k + 1])
      error[part] = this.isWide(part)
        ? Number.POSITIVE_INFINITY
        : Math.max(left, DOUBT_WEIGHT * doubtBetween(this, part))
  }

  /** True of an interval that one sample says too little of. */
  private isWide(k: number): boolean {
    const { x, y } = this
    return k > 1 && x[k]! > GROWTH * x[k - 1]! && y[k]! - y[k - 1]! > LITTLE * y[k]!
  }
}
