/**
 * Exact math of the curve of the proactive market maker (PMM), with the contract's names. V is the reserve of a token,
 * and V0 is its target: the reserve at which the pool trades at `price`. `price` and `k` have 18 decimals. `k` is
 * `slippage` in `DodoV2State`. Checked against DODOMath, PMMPricing, and DecimalMath of DODOEX/contractV2. Refuses
 * products that overflow 256 bits in the contract.
 */
import { PoolRefusal } from '../../family.ts'
import { divUp, sqrt } from '../../math/integers.ts'

const ONE = 10n ** 18n
/** Fixed-point one of products of two numbers with 18 decimals. */
const ONE2 = ONE * ONE
const WORD_LIMIT = 1n << 256n

/** Returns `value`, after checking that it fits in 256 bits. @throws PoolRefusal `TOO_LARGE` */
function checkedUint256(value: bigint): bigint {
  if (value >= WORD_LIMIT) throw new PoolRefusal('TOO_LARGE', 'the curve overflows')
  return value
}

/** Returns a − b. @throws PoolRefusal `EMPTY` if the result would be negative */
function subtract(a: bigint, b: bigint): bigint {
  if (b > a) throw new PoolRefusal('EMPTY', 'the pool is beyond its targets')
  return a - b
}

/** Returns floor(a·b / 10¹⁸). */
export const mulFloor = (a: bigint, b: bigint): bigint => checkedUint256(a * b) / ONE
/** Returns floor(10³⁶ / price). */
export const reciprocal = (price: bigint): bigint => ONE2 / price

/** Returns a target, after checking that it is not zero. @throws PoolRefusal `EMPTY` */
function checkedTarget(value: bigint): bigint {
  if (value === 0n) throw new PoolRefusal('EMPTY', 'the target is zero')
  return value
}

/**
 * Returns the output of an input that raises the reserve V of the input token from `from` to `to`, rounded down. It is
 * the integral of price·(1 − k + k·(V0 / V)²) over V.
 *
 * @param v0 - target of the input token
 * @throws PoolRefusal
 */
export function integrate(v0: bigint, from: bigint, to: bigint, price: bigint, k: bigint): bigint {
  checkedTarget(v0)
  const fair = checkedUint256(price * (to - from))
  if (k === 0n) return fair / ONE
  if (from === 0n) throw new PoolRefusal('EMPTY', 'the pool holds nothing of one token')
  const ratio = checkedUint256((checkedUint256(v0 * v0) / to) * ONE) / from
  return checkedUint256((ONE - k + mulFloor(k, ratio)) * fair) / ONE2
}

/**
 * Returns the target of a token. `v1` is its reserve, and `delta` is the amount by which the reserve of the other token
 * exceeds its target. The result is v1·(1 + (√(1 + 4·k·price·delta / v1) − 1) / (2·k)).
 */
export function solveTarget(v1: bigint, delta: bigint, price: bigint, k: bigint): bigint {
  if (k === 0n) return v1 + mulFloor(price, delta)
  if (v1 === 0n) return 0n
  const ki = checkedUint256(4n * k * price)
  const product = ki * delta
  const inside = product < WORD_LIMIT ? product / v1 : checkedUint256((ki / v1) * delta)
  const root = ki === 0n ? ONE : sqrt(checkedUint256(inside + ONE2))
  return mulFloor(v1, checkedUint256((root - ONE) * ONE) / (k * 2n) + ONE)
}

/**
 * Returns the output of an input `delta`, rounded down. `v1` is the reserve of the output token, and `v0` is its
 * target. The reserve v2 after the trade solves (1 − k)·v2² − b·v2 − k·v0² = 0, where b = (1 − k)·v1 − k·v0² / v1 −
 * price·delta.
 *
 * @param price - of the input token in the output token, 18 decimals
 * @throws PoolRefusal
 */
export function solveTrade(v0: bigint, v1: bigint, delta: bigint, price: bigint, k: bigint): bigint {
  checkedTarget(v0)
  if (delta === 0n) return 0n
  if (k === 0n) {
    const fair = mulFloor(price, delta)
    return fair > v1 ? v1 : fair
  }
  const value = checkedUint256(price * delta)
  if (k === ONE) {
    const product = value * v1
    const part =
      product < WORD_LIMIT
        ? product / checkedUint256(v0 * v0)
        : checkedUint256((checkedUint256(delta * v1) / v0) * price) / v0
    return checkedUint256(v1 * part) / (part + ONE)
  }
  if (v1 === 0n) throw new PoolRefusal('EMPTY', 'the pool holds nothing of the token')
  const part2 = checkedUint256(checkedUint256((checkedUint256(k * v0) / v1) * v0) + value)
  const part1 = checkedUint256((ONE - k) * v1)
  const isBPositive = part1 >= part2
  // The absolute value of b.
  const b = (isBPositive ? part1 - part2 : part2 - part1) / ONE
  const square = mulFloor((ONE - k) * 4n, checkedUint256(mulFloor(k, v0) * v0))
  const root = sqrt(checkedUint256(checkedUint256(b * b) + square))
  const numerator = isBPositive ? b + root : root - b
  // Later releases revert here, and earlier releases pay out the whole reserve. The release is unknown, so refuse.
  if (numerator === 0n) throw new PoolRefusal('TOO_LARGE', 'the curve has no solution')
  const v2 = divUp(checkedUint256(numerator * ONE), (ONE - k) * 2n)
  return subtract(v1, v2 > v1 ? v1 : v2)
}
