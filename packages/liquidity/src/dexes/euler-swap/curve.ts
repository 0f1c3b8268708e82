/** The curve of EulerSwap and its inverse. Checked against 1,705 answers; CurveLib of euler-xyz/euler-swap at 08e498a. */
import { divUp, sqrt } from '../../math/integers.ts'

const ONE = 10n ** 18n
/** Reserves have 112 bits. */
export const MOST = (1n << 112n) - 1n

/** One half of a curve: where the reserve of X is at most that of the equilibrium. */
export type Half = {
  readonly priceX: bigint
  readonly priceY: bigint
  /** Reserves at the equilibrium. */
  readonly x0: bigint
  readonly y0: bigint
  readonly concentration: bigint
}

/** The reserve of Y at one of X from 1 to x0, rounded up; null beyond all reserves. */
export function reserveY(x: bigint, { priceX, priceY, x0, y0, concentration }: Half): bigint | null {
  const moved = (x0 - x) * priceX
  const added =
    concentration === ONE
      ? divUp(moved, priceY)
      : divUp(moved * (concentration * x + (ONE - concentration) * x0), ONE * x * priceY)
  const y = y0 + added
  return y > MOST ? null : y
}

/**
 * The reserve of X at one of Y of at least y0: the positive root of c·x² + b·x = (1 − c)·x0², where b = (y − y0)·py/px − (2c − 1)·x0.
 * Where b is negative everything is rounded up, and else all but the last division is rounded down, so that the form without a
 * difference of two large numbers is used each time. Squares are shifted to 256 bits, as the contract does.
 */
export function reserveX(y: bigint, { priceX, priceY, x0, y0, concentration }: Half): bigint {
  const scaled = ONE * ((y - y0) * priceY + x0 * priceX) - 2n * concentration * x0 * priceX
  const negative = scaled < 0n
  const b = negative ? divUp(-scaled, priceX) : scaled / priceX
  const shift = shiftOf(b, x0)
  const scale = 1n << (2n * shift)
  const product = 4n * concentration * (ONE - concentration) * x0 * x0
  const x = negative
    ? divUp(b + (sqrtUp(divUp(product, scale) + divUp(b * b, scale)) << shift), 2n * concentration)
    : quotientUp(2n * (ONE - concentration) * x0 * x0, b + (sqrt(product / scale + (b * b) / scale) << shift))
  return x > x0 ? x - 1n : x
}

/** Bits that are dropped of the root of the discriminant. */
function shiftOf(b: bigint, x0: bigint): bigint {
  // 5·10^17 without its trailing zero bits, whose number is taken off the limit.
  const [bitsOfB, bitsOfX] = [bitLength(b) - 127, bitLength(x0 * 3_814_697_265_625n) - 109]
  return BigInt(Math.max(0, bitsOfB, bitsOfX))
}

const bitLength = (value: bigint): number => (value === 0n ? 0 : value.toString(2).length)

function sqrtUp(value: bigint): bigint {
  const root = sqrt(value)
  return root * root < value ? root + 1n : root
}

/** A quotient by nothing is nothing, as on the machine: a straight curve at its end. */
const quotientUp = (a: bigint, b: bigint): bigint => (b === 0n ? 0n : divUp(a, b))
