/** Builds price curves piece by piece, for pools whose math is piecewise. */
import type { PriceCurve } from '../family.ts'
import { NARROW_FALL } from './curve-end.ts'

/**
 * Relative fall of √price along a straight line. The search needs strictly falling prices, and a round trip must not
 * gain.
 */
const FALL = 1e-7

export class CurveBuilder {
  private readonly sqrtPrice: number[] = []
  private readonly liquidity: number[] = []
  private hasLines = false

  /**
   * Adds x·y = k between two prices; liquidity 0 is a gap.
   *
   * @param from - square root of the price, output per input
   * @param input - input of the piece; needed if the prices are too close to compute it from their difference
   */
  hyperbola(from: number, to: number, liquidity: number, input?: number): void {
    const start = this.startAt(from)
    if (input === undefined || liquidity === 0) {
      if (to < start) this.push(to, liquidity)
    } else if (input > 0) this.pushPieceOfInput(start, Math.min(to, start * (1 - NARROW_FALL)), input)
  }

  /** Adds a straight line. @param rate - output per input */
  line(rate: number, input: number): void {
    if (!(rate > 0 && input > 0)) return
    this.hasLines = true
    const start = this.startAt(Math.sqrt(rate))
    this.pushPieceOfInput(start, start * (1 - FALL), input)
  }

  build(keepIn: number, keepOut = 1): PriceCurve {
    const sqrtPrice = this.sqrtPrice.length > 0 ? Float64Array.from(this.sqrtPrice) : new Float64Array(1)
    const liquidity = Float64Array.from(this.liquidity)
    // Twice the fall, because the rates are rounded too.
    return { sqrtPrice, liquidity, keepIn, keepOut, ...(this.hasLines && { outputError: 2 * FALL }) }
  }

  /** Returns the start price of the next piece, which rounding must not raise above the end of the last one. */
  private startAt(sqrtPrice: number): number {
    const last = this.sqrtPrice.at(-1)
    if (last === undefined) this.sqrtPrice.push(sqrtPrice)
    else if (sqrtPrice < last) this.push(sqrtPrice, 0)
    return this.sqrtPrice.at(-1)!
  }

  private pushPieceOfInput(from: number, to: number, input: number): void {
    this.push(to, (input * from * to) / (from - to))
  }

  private push(to: number, liquidity: number): void {
    this.liquidity.push(liquidity)
    this.sqrtPrice.push(to)
  }
}
