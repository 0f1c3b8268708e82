/** Builds price curves piece by piece, for families whose curves consist of hyperbolas and straight lines. */
import type { PriceCurve } from '../family.ts'
import { NARROW_FALL } from './curve-end.ts'

/**
 * Relative fall of √price along a straight line. The search needs strictly falling prices, so the line is bent by this
 * much. The price starts at the line's rate and falls, so the curve never pays more than the line.
 */
const LINE_FALL = 1e-7

/** Collects the pieces of one curve. Pieces must be added in order of falling prices. */
export class CurveBuilder {
  private readonly sqrtPrice: number[] = []
  private readonly liquidity: number[] = []
  private hasLines = false

  /**
   * Adds a piece of x·y = k between two prices (output per input).
   *
   * @param from - √price at the start
   * @param to - √price at the end
   * @param liquidity - 0 for a gap between pieces
   * @param input - input of the piece in base units, without the fee; give it if both prices are so close that their
   * difference loses too many digits; it then determines the liquidity
   */
  addHyperbola(from: number, to: number, liquidity: number, input?: number): void {
    const start = this.startPieceAt(from)
    if (input === undefined || liquidity === 0) {
      if (to < start) this.pushPiece(to, liquidity)
    } else if (input > 0) this.pushPieceOfInput(start, Math.min(to, start * (1 - NARROW_FALL)), input)
  }

  /** Adds a straight line. @param rate - output per input @param input - base units, without the fee */
  addLine(rate: number, input: number): void {
    if (!(rate > 0 && input > 0)) return
    this.hasLines = true
    const start = this.startPieceAt(Math.sqrt(rate))
    this.pushPieceOfInput(start, start * (1 - LINE_FALL), input)
  }

  /** Returns the curve. `keepIn` and `keepOut` are the fractions of the input and output that remain after the fees. */
  build(keepIn: number, keepOut = 1): PriceCurve {
    const sqrtPrice = this.sqrtPrice.length > 0 ? Float64Array.from(this.sqrtPrice) : new Float64Array(1)
    const liquidity = Float64Array.from(this.liquidity)
    // A bent line pays up to LINE_FALL less than a straight one. The other LINE_FALL is a margin for rounded rates.
    return { sqrtPrice, liquidity, keepIn, keepOut, ...(this.hasLines && { outputError: 2 * LINE_FALL }) }
  }

  /**
   * Returns the start √price of the next piece: `sqrtPrice`, or the end of the last piece if rounding made that lower.
   */
  private startPieceAt(sqrtPrice: number): number {
    const lastSqrtPrice = this.sqrtPrice.at(-1)
    if (lastSqrtPrice === undefined) this.sqrtPrice.push(sqrtPrice)
    else if (sqrtPrice < lastSqrtPrice) this.pushPiece(sqrtPrice, 0)
    return this.sqrtPrice.at(-1)!
  }

  private pushPieceOfInput(from: number, to: number, input: number): void {
    this.pushPiece(to, (input * from * to) / (from - to))
  }

  private pushPiece(to: number, liquidity: number): void {
    this.liquidity.push(liquidity)
    this.sqrtPrice.push(to)
  }
}
