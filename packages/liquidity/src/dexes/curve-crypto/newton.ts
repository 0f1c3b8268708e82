/**
 * Solves the CryptoSwap invariant for D or for one balance by Newton's method, as the contracts do. `xp` are the
 * balances at the price scale: in units of the first coin, 18 decimals. n is the number of coins. K0 = n^n·Πx / D^n is
 * 1 if all balances are equal, and less otherwise. The parameter `a` is A·n^n in units of 1 / `A_UNIT`. γ is `gamma`,
 * 18 decimals. The loops use the contracts' names, such as `mul1` and `mul2`.
 *
 * @see CurveCryptoMath3 and CurveCryptoSwap2, curvefi/curve-crypto-contract; CurveCryptoMathOptimized2 and 3
 */
import { PoolRefusal } from '../../family.ts'
import { max, sqrt } from '../../math/integers.ts'
import { cubeRoot } from './cubic.ts'
import type { CryptoKind } from './types.ts'

/** Fixed-point one. */
export const ONE = 10n ** 18n
/** Fixed-point one of A. */
const A_UNIT = 10_000n
const MAX_NEWTON_STEPS = 255
/** Inverse of the relative change of the result at which Newton's method ends. */
const PRECISION = 10n ** 14n

/** Smallest and largest invariant at which the contracts trade. */
const MIN_INVARIANT = 10n ** 17n
const MAX_INVARIANT = 10n ** 33n

/** Returns |a − b|. */
const distance = (a: bigint, b: bigint) => (a > b ? a - b : b - a)
const sortedDescending = (xs: readonly bigint[]) => [...xs].sort((a, b) => (a < b ? 1 : a > b ? -1 : 0))

const unsolvedRefusal = () => new PoolRefusal('UNSUPPORTED', "Newton's method of the pool would not converge")
const outOfRangeRefusal = () => new PoolRefusal('TOO_LARGE', 'balances would leave the range that the pool allows')

/** Checks the invariant. @throws PoolRefusal if it is out of range */
export function checkInvariant(d: bigint): void {
  if (d < MIN_INVARIANT) throw new PoolRefusal('EMPTY', 'the pool is too small to trade')
  if (d > MAX_INVARIANT) throw outOfRangeRefusal()
}

/** Range of a balance relative to the invariant, 18 decimals. */
export type BalanceRange = { readonly from: bigint; readonly to: bigint }

/** Checks balance `x` of a pool with invariant `d`. @throws PoolRefusal if it is out of range */
export function checkBalance(x: bigint, d: bigint, { from, to }: BalanceRange): void {
  const share = (x * ONE) / d
  if (share < from || share > to) throw outOfRangeRefusal()
}

/** Returns |γ + 1 − K0| + 10^−18, with 18 decimals. */
const gapOf = (gamma: bigint, k0: bigint) => distance(gamma + ONE, k0) + 1n

/** Returns the term `mul1`: D × A_UNIT / A × (gap / γ)², 18 decimals. */
const firstTerm = (d: bigint, a: bigint, gamma: bigint, gap: bigint) =>
  (((((ONE * d) / gamma) * gap) / gamma) * gap * A_UNIT) / a

/** Returns the balance of coin `i` that keeps the invariant. @throws PoolRefusal if the contract would revert */
export function newtonBalance(a: bigint, gamma: bigint, xp: readonly bigint[], d: bigint, i: number): bigint {
  const n = BigInt(xp.length)
  const otherBalances = sortedDescending(xp.toSpliced(i, 1))
  const tolerance = max(max(otherBalances[0]! / PRECISION, d / PRECISION), 100n)
  const sum = otherBalances.reduce((total, x) => total + x, 0n)
  let y = xp.length === 2 ? (d * d) / (otherBalances[0]! * n * n) : d / n
  let product = ONE
  if (xp.length > 2) for (const x of otherBalances.toReversed()) y = (y * d) / (x * n)
  for (const x of otherBalances) product = (product * x * n) / d
  for (let step = 0; step < MAX_NEWTON_STEPS; step++) {
    const previousY = y
    const k0 = (product * y * n) / d
    const s = sum + y
    const gap = gapOf(gamma, k0)
    const mul1 = firstTerm(d, a, gamma, gap)
    const mul2 = ONE + (2n * ONE * k0) / gap
    const slope = ONE * y + s * mul2 + mul1 - d * mul2
    if (slope < 0n) {
      y = previousY / 2n
      continue
    }
    if (y === 0n || k0 === 0n) throw unsolvedRefusal()
    const derivative = slope / y
    if (derivative === 0n) throw unsolvedRefusal()
    const correction = mul1 / derivative
    const plus = (slope + ONE * d) / derivative + (correction * ONE) / k0
    const minus = correction + (ONE * s) / derivative
    y = plus < minus ? previousY / 2n : plus - minus
    if (distance(y, previousY) < max(tolerance, y / PRECISION)) return y
  }
  throw unsolvedRefusal()
}

/** Returns the invariant of balances. @param startK0 - `k0` of the closed-form solution; 0 for none */
export function newtonInvariant(
  kind: CryptoKind,
  a: bigint,
  gamma: bigint,
  unsortedAmounts: readonly bigint[],
  startK0: bigint,
): bigint {
  const xp = sortedDescending(unsortedAmounts)
  const n = BigInt(xp.length)
  if (xp.some((x) => x <= 0n)) throw new PoolRefusal('EMPTY', 'the pool lacks one of its coins')
  if (kind !== 'tri-ng') checkSpread(xp)
  const sum = xp.reduce((total, x) => total + x, 0n)
  let d = initialInvariant(kind, xp, sum, startK0)
  for (let step = 0; step < MAX_NEWTON_STEPS; step++) {
    const previousD = d
    if (d === 0n) throw unsolvedRefusal()
    let k0 = xp.length === 2 ? n * n * ONE : ONE
    for (const x of xp) k0 = xp.length === 2 ? (k0 * x) / d : (k0 * x * n) / d
    if (k0 === 0n) throw unsolvedRefusal()
    const gap = gapOf(gamma, k0)
    const mul1 = firstTerm(d, a, gamma, gap)
    const mul2 = (2n * ONE * n * k0) / gap
    const slope = sum + (sum * mul2) / ONE + (mul1 * n) / k0 - (mul2 * d) / ONE
    if (slope <= 0n) throw unsolvedRefusal()
    const plus = (d * (slope + sum)) / slope
    const correction = ((((d * (mul1 / slope)) / ONE) * distance(ONE, k0)) / k0) * (ONE > k0 ? 1n : -1n)
    const minus = (d * d) / slope + correction
    if (minus < 0n) throw unsolvedRefusal()
    d = plus > minus ? plus - minus : (minus - plus) / 2n
    if (distance(d, previousD) * PRECISION < max(10n ** 16n, d)) return d
  }
  throw unsolvedRefusal()
}

/** Checks that no balance is too small compared with the largest one. @throws PoolRefusal `TOO_LARGE` */
function checkSpread(xp: readonly bigint[]): void {
  const [largestBalance] = xp as [bigint]
  if (largestBalance < 10n ** 9n || largestBalance > MAX_INVARIANT) throw outOfRangeRefusal()
  const minRatio = xp.length === 2 ? 10n ** 14n : 10n ** 11n
  if (xp.some((x) => (x * ONE) / largestBalance < minRatio)) throw outOfRangeRefusal()
}

/** Returns the value of D at which Newton's method starts. @param k0 - of the closed-form solution; 0 for none */
function initialInvariant(kind: CryptoKind, xp: readonly bigint[], sum: bigint, k0: bigint): bigint {
  const [x, y, z] = xp as [bigint, bigint, bigint]
  if (k0 === 0n) return BigInt(xp.length) * geometricMean(kind, xp)
  if (kind === 'two-ng') {
    const d = sqrt(((4n * x * y) / k0) * ONE)
    return sum < d ? sum : d
  }
  const [unit, rescale] =
    sum > 10n ** 36n ? [10n ** 36n, 10n ** 12n] : sum > 10n ** 24n ? [10n ** 24n, 10n ** 6n] : [ONE, 1n]
  return cubeRoot(((((x * y) / unit) * z) / k0) * 27n * rescale)
}

/** Returns the geometric mean of two or three amounts, 18 decimals. */
export function geometricMean(kind: CryptoKind, unsortedAmounts: readonly bigint[]): bigint {
  const xs = sortedDescending(unsortedAmounts)
  if (kind === 'two-ng') return sqrt(xs[0]! * xs[1]!)
  if (kind === 'tri-ng') return cubeRoot((((xs[0]! * xs[1]!) / ONE) * xs[2]!) / ONE)
  const n = BigInt(xs.length)
  let mean = xs[0]!
  for (let step = 0; step < MAX_NEWTON_STEPS; step++) {
    const previousMean = mean
    if (mean === 0n) throw unsolvedRefusal()
    if (kind === 'two') mean = (mean + (xs[0]! * xs[1]!) / mean) / 2n
    else {
      let ratio = ONE
      for (const x of xs) ratio = (ratio * x) / mean
      mean = (mean * ((n - 1n) * ONE + ratio)) / (n * ONE)
    }
    const change = distance(mean, previousMean)
    if (change <= 1n || change * ONE < mean) return mean
  }
  throw unsolvedRefusal()
}
