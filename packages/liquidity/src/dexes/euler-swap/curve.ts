/**
 * Exact math of the EulerSwap curve and its inverse. Follows CurveLib of euler-xyz/euler-swap at 08e498a. Checked
 * against 1,705 results of the contract.
 */
import { divUp, sqrt } from '../../math/integers.ts'

const ONE = 10n ** 18n
/** Maximum reserve. The contract stores reserves as uint112. */
export const MAX_RESERVE = (1n << 112n) - 1n

/**
 * Half of a curve. The two halves meet at the equilibrium. On this half, the reserve of token X is at most its reserve
 * at the equilibrium. On the other half, the tokens X and Y are exchanged.
 */
export type CurveHalf = {
  /** Prices of the tokens at the equilibrium, 18 decimals. */
  readonly priceX: bigint
  readonly priceY: bigint
  /** Reserves at the equilibrium, in base units. */
  readonly x0: bigint
  readonly y0: bigint
  /** 0 for x·y = k, 10¹⁸ for a straight line. */
  readonly concentration: bigint
}

/** Returns the reserve of Y, rounded up, for a reserve of X from 1 to x0; null if it exceeds uint112. */
export function reserveY(x: bigint, { priceX, priceY, x0, y0, concentration }: CurveHalf): bigint | null {
  const value = (x0 - x) * priceX
  const addedTerm =
    concentration === ONE
      ? divUp(value, priceY)
      : divUp(value * (concentration * x + (ONE - concentration) * x0), ONE * x * priceY)
  const y = y0 + addedTerm
  return y > MAX_RESERVE ? null : y
}

/**
 * Returns the reserve of X for a reserve of Y of at least y0. It is the positive root of c·x² + b·x = (1 − c)·x0²,
 * where c is the concentration and b = (y − y0)·priceY/priceX − (2c − 1)·x0. If b is negative, all divisions round up.
 * Otherwise, the last division rounds up, and the other divisions round down. Each case uses the form of the root that
 * subtracts no large numbers. As in the contract, squares are shifted right so that they fit in 256 bits.
 */
export function reserveX(y: bigint, { priceX, priceY, x0, y0, concentration }: CurveHalf): bigint {
  const scaledB = ONE * ((y - y0) * priceY + x0 * priceX) - 2n * concentration * x0 * priceX
  const isBNegative = scaledB < 0n
  const b = isBNegative ? divUp(-scaledB, priceX) : scaledB / priceX
  const shift = shiftOf(b, x0)
  const scale = 1n << (2n * shift)
  const product = 4n * concentration * (ONE - concentration) * x0 * x0
  const x = isBNegative
    ? divUp(b + (sqrtUp(divUp(product, scale) + divUp(b * b, scale)) << shift), 2n * concentration)
    : quotientUp(2n * (ONE - concentration) * x0 * x0, b + (sqrt(product / scale + (b * b) / scale) << shift))
  return x > x0 ? x - 1n : x
}

/** Returns the number of low bits that are dropped from the root of the discriminant, so that squares fit 256 bits. */
function shiftOf(b: bigint, x0: bigint): bigint {
  // The second factor is 5·10^17 without its 17 trailing zero bits. So the limit of the product is 126 − 17 = 109 bits.
  const [bitsOfB, bitsOfX] = [bitLength(b) - 127, bitLength(x0 * 3_814_697_265_625n) - 109]
  return BigInt(Math.max(0, bitsOfB, bitsOfX))
}

const bitLength = (value: bigint): number => (value === 0n ? 0 : value.toString(2).length)

function sqrtUp(value: bigint): bigint {
  const root = sqrt(value)
  return root * root < value ? root + 1n : root
}

/** Divides and rounds up. Like the EVM, returns 0 for a division by 0, which occurs at the end of a straight curve. */
const quotientUp = (a: bigint, b: bigint): bigint => (b === 0n ? 0n : divUp(a, b))
