/** Exact math of Curve's StableSwap invariant. */
import { PoolRefusal } from '../family.ts'
import { isConverged } from './integers.ts'

/** Fixed-point one of fees. */
export const FEE_UNIT = 10n ** 10n
const MAX_NEWTON_STEPS = 255
const WORD_RANGE = 1n << 256n

/**
 * Returns `product`, after checking that it fits in 256 bits. Contracts revert on an overflow, which happens if a
 * balance is almost zero.
 *
 * @throws PoolRefusal `TOO_LARGE`
 */
export function checkedProduct(product: bigint): bigint {
  if (product >= WORD_RANGE) throw new PoolRefusal('TOO_LARGE', 'a product overflows 256 bits')
  return product
}

/** Place where a contract divides by n^n, and thus rounds, when it computes the product of the balances. */
export type ProductRounding =
  /** Older pools divide by balance × n for each coin. */
  | 'each'
  /** NG and newer factory pools divide by the balance of each coin, and by n^n at the end. */
  | 'end'

/** Amplification coefficient of a pool. */
export type Amplification = {
  /** A × n^(n−1) as stored by the pool, in units of 1 / `precision`. */
  readonly a: bigint
  /** Fixed-point one of `a`: 1 or 100. */
  readonly precision: bigint
}

/** Returns A·n^n in units of 1 / `precision`. The contract calls it Ann. */
const annOf = ({ a }: Amplification, coins: number) => a * BigInt(coins)

/** Returns the invariant D. @see StableSwap.get_D, curvefi/curve-contract and stableswap-ng */
export function stableInvariant(
  balances: readonly bigint[],
  amplification: Amplification,
  rounding: ProductRounding,
): bigint {
  const n = BigInt(balances.length)
  const sum = balances.reduce((total, balance) => total + balance, 0n)
  if (sum === 0n) return 0n
  if (balances.includes(0n)) throw new PoolRefusal('EMPTY', 'the pool lacks one of its coins')
  const { precision } = amplification
  const ann = annOf(amplification, balances.length)
  let d = sum
  for (let i = 0; i < MAX_NEWTON_STEPS; i++) {
    let product = d
    for (const balance of balances)
      product = checkedProduct(product * d) / (rounding === 'each' ? balance * n : balance)
    if (rounding === 'end') product /= n ** n
    const previousD = d
    d =
      checkedProduct(((ann * sum) / precision + product * n) * d) /
      (((ann - precision) * d) / precision + (n + 1n) * product)
    if (isConverged(d, previousD)) return d
  }
  throw new PoolRefusal('UNSUPPORTED', 'the invariant does not converge')
}

/**
 * Returns the balance y of coin `j` that keeps the invariant `d`, given the other balances. Solves y² + (b − d)·y = c
 * by Newton's method.
 *
 * @see StableSwap.get_y
 */
export function stableBalance(j: number, balances: readonly bigint[], amplification: Amplification, d: bigint): bigint {
  const n = BigInt(balances.length)
  const ann = annOf(amplification, balances.length)
  let sum = 0n
  let c = d
  for (let k = 0; k < balances.length; k++) {
    if (k === j) continue
    const balance = balances[k]!
    sum += balance
    c = checkedProduct(c * d) / (balance * n)
  }
  c = checkedProduct(c * d * amplification.precision) / (ann * n)
  const b = sum + (d * amplification.precision) / ann
  let y = d
  for (let i = 0; i < MAX_NEWTON_STEPS; i++) {
    const previousY = y
    y = checkedProduct(y * y + c) / (2n * y + b - d)
    if (isConverged(y, previousY)) return y
  }
  throw new PoolRefusal('UNSUPPORTED', 'the balance does not converge')
}

/**
 * Returns the fee of a swap, in units of 10^−10. The fee rises with the difference between the two coins' balances.
 *
 * @param xpI - balance of the input coin, scaled to 18 decimals and to one unit for all coins
 * @param xpJ - balance of the output coin, scaled in the same way
 * @param fee - fee at equal balances, in units of 10^−10
 * @param multiplier - `offpeg_fee_multiplier`, in units of 10^−10; at 10^10 or less, the fee does not rise
 */
export function dynamicFee(xpI: bigint, xpJ: bigint, fee: bigint, multiplier: bigint): bigint {
  if (multiplier <= FEE_UNIT) return fee
  const sum = xpI + xpJ
  return (multiplier * fee) / (((multiplier - FEE_UNIT) * 4n * xpI * xpJ) / (sum * sum) + FEE_UNIT)
}
