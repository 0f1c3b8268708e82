/** Curves put together piece by piece, of pools whose arithmetic has pieces of its own. */
import type { PriceCurve } from '../family.ts'
import { NARROW_FALL } from './curve-end.ts'

/** Relative fall of √price over a straight line, from its rate on: the search needs prices that fall, and no gain by a way there and back. */
const FALL = 1e-7

export class CurveBuilder {
  private readonly sqrtPrice: number[] = []
  private readonly liquidity: number[] = []

  /**
   * Adds x·y = k between two prices; liquidity 0 for a gap.
   *
   * @param from - square root of the price, output per input
   * @param input - of the piece, which the difference of two prices that are all but equal would not tell
   */
  hyperbola(from: number, to: number, liquidity: number, input?: number): void {
    const start = this.startAt(from)
    if (input === undefined || liquidity === 0) {
      if (to < start) this.push(to, liquidity)
    } else if (input > 0) this.steep(start, Math.min(to, start * (1 - NARROW_FALL)), input)
  }

  /** Adds a straight line. @param rate - output per input */
  line(rate: number, input: number): void {
    if (!(rate > 0 && input > 0)) return
    const start = this.startAt(Math.sqrt(rate))
    this.steep(start, start * (1 - FALL), input)
  }

  build(keepIn: number, keepOut = 1): PriceCurve {
    const sqrtPrice = this.sqrtPrice.length > 0 ? Float64Array.from(this.sqrtPrice) : new Float64Array(1)
    return { sqrtPrice, liquidity: Float64Array.from(this.liquidity), keepIn, keepOut }
  }

  /** The price at which the next piece begins: below that of the last one, where rounding would have it rise. */
  private startAt(sqrtPrice: number): number {
    const last = this.sqrtPrice.at(-1)
    if (last === undefined) this.sqrtPrice.push(sqrtPrice)
    else if (sqrtPrice < last) this.push(sqrtPrice, 0)
    return this.sqrtPrice.at(-1)!
  }

  private steep(from: number, to: number, input: number): void {
    this.push(to, (input * from * to) / (from - to))
  }

  private push(to: number, liquidity: number): void {
    this.liquidity.push(liquidity)
    this.sqrtPrice.push(to)
  }
}
