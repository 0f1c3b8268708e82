/**
 * Solves the CryptoSwap equation for one balance in closed form. NG pools use it instead of Newton's method. It rounds
 * exactly as the contracts do. The equation is a cubic with the coefficients a, b, c, and d. Names follow the
 * contracts. A parameter named `d` is the invariant, not the coefficient. Balances are at the price scale: in units of
 * the first coin, 18 decimals.
 *
 * @see get_y of CurveCryptoMathOptimized2, curvefi/twocrypto-ng, and CurveCryptoMathOptimized3, curvefi/tricrypto-ng
 */
import { PoolRefusal } from '../../family.ts'
import { min, sqrt } from '../../math/integers.ts'

const ONE = 10n ** 18n
const INT256_END = 1n << 255n

const abs = (value: bigint) => (value < 0n ? -value : value)

/**
 * Returns a value unless it overflows int256, like the contract's checked arithmetic.
 *
 * @throws PoolRefusal `TOO_LARGE`
 */
function checkInt256(value: bigint): bigint {
  if (value < -INT256_END || value >= INT256_END) throw new PoolRefusal('TOO_LARGE', 'the pool would overflow')
  return value
}
/** Wraps to int256, like the contract's unchecked arithmetic. */
const wrapInt256 = (value: bigint) => BigInt.asIntN(256, value)

/** Divides. @throws PoolRefusal if `b` is zero */
function quotient(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new PoolRefusal('UNSUPPORTED', 'the pool would divide by zero')
  return a / b
}

/**
 * 2^256 / 10^36, rounded down. From here on, x × 10^36 overflows. From 10^18 times this value on, x × 10^18 overflows.
 */
const OVERFLOW_BOUND = 115792089237316195423570985008687907853269n

/** Returns ∛(x × 10^36) with the contract's seven Newton steps. */
export function cubeRoot(x: bigint): bigint {
  if (x === 0n) return 0n
  const scaled = x >= OVERFLOW_BOUND * ONE ? x : x >= OVERFLOW_BOUND ? x * ONE : x * ONE * ONE
  const log2 = scaled.toString(2).length - 1
  const exponentRest = BigInt(log2 % 3)
  let root = (2n ** BigInt(Math.floor(log2 / 3)) * 1260n ** exponentRest) / 1000n ** exponentRest
  for (let step = 0; step < 7; step++) root = (2n * root + scaled / (root * root)) / 3n
  return x >= OVERFLOW_BOUND * ONE ? root * 10n ** 12n : x >= OVERFLOW_BOUND ? root * 10n ** 6n : root
}

const signedCubeRoot = (value: bigint) => (value < 0n ? -cubeRoot(-value) : cubeRoot(value))

/**
 * Divisors that keep the coefficients small, by descending thresholds. For a value, the first divisor whose threshold
 * is below the value is used. If the value exceeds no threshold, the divisor is 1.
 */
type Divisors = readonly (readonly [threshold: bigint, divisor: bigint])[]
/** Builds divisors from the exponents of ten of thresholds and divisors. */
const toDivisors = (exponents: readonly (readonly [threshold: number, divisor: number])[]): Divisors =>
  exponents.map(([threshold, divisor]) => [10n ** BigInt(threshold), 10n ** BigInt(divisor)])
const DIVISORS_TWO = toDivisors([...Array.from({ length: 13 }, (_, i) => [48 - 2 * i, 30 - 2 * i] as const), [20, 2]])
const DIVISORS_THREE = toDivisors([...Array.from({ length: 8 }, (_, i) => [48 - 4 * i, 30 - 4 * i] as const)])

const divisorOf = (divisors: Divisors, value: bigint) => divisors.find(([threshold]) => value > threshold)?.[1] ?? 1n

/**
 * Solved balance `y`. After the swap, the contract searches the new invariant by Newton's method, and computes the
 * start value from `k0`. Null if the contract solves for the balance by Newton's method instead.
 */
export type CubicSolution = { readonly y: bigint; readonly k0: bigint } | null

/** Coefficients of the cubic equation. */
type Coefficients = { readonly a: bigint; readonly b: bigint; readonly c: bigint; readonly d: bigint }

/** Returns the contract's `delta0`: 3·a·c / b − b. */
const delta0Of = ({ a, b, c }: Coefficients) => quotient(wrapInt256(3n * a * c), b) - b
/** Returns the last term of the contract's `delta1`: 27·a²·d / b². */
const lastTermOf = ({ a, b, d }: Coefficients) => quotient(wrapInt256(quotient(wrapInt256(27n * a * a), b) * d), b)

/**
 * Returns the contract's `C1`, a cube root of Cardano's formula. Null if the radicand of its square root is not
 * positive.
 */
function cardano(b: bigint, delta0: bigint, delta1: bigint): bigint | null {
  const square = checkInt256(
    checkInt256(delta1 * delta1) + wrapInt256(quotient(checkInt256(4n * delta0 * delta0), b) * delta0),
  )
  if (square <= 0n) return null
  const root = sqrt(square)
  const secondRoot = delta1 > 0n ? cubeRoot((delta1 + root) / 2n) : -cubeRoot((root - delta1) / 2n)
  const cubeRootOfB = signedCubeRoot(b)
  return wrapInt256((checkInt256(cubeRootOfB * cubeRootOfB) / ONE) * secondRoot) / ONE
}

/**
 * Solves for one balance of a two-coin pool.
 *
 * @param ann - A·n^n × 10,000
 * @param gamma - 18 decimals
 * @param otherBalance - balance of the other coin
 */
export function solveTwo(ann: bigint, gamma: bigint, otherBalance: bigint, d: bigint): CubicSolution {
  const gamma2 = gamma * gamma
  const annGamma2 = checkInt256(ann * gamma2)
  const a = 10n ** 32n
  const b = checkInt256(d * annGamma2) / 400_000_000n / otherBalance - 3n * 10n ** 32n - 2n * gamma * 10n ** 14n
  const quarter = (4n * annGamma2) / 400_000_000n
  const c =
    3n * 10n ** 32n + 4n * gamma * 10n ** 14n + gamma2 / 10n ** 4n + checkInt256(quarter * otherBalance) / d - quarter
  const coefficients = { a, b, c, d: -((ONE + gamma) ** 2n / 10n ** 4n) }
  const delta0 = quotient(checkInt256(3n * a * c), b) - b
  const delta1 = 3n * delta0 + b - lastTermOf(coefficients)
  const divisor = divisorOf(DIVISORS_TWO, min(min(abs(delta0), abs(delta1)), a))
  const reduced = {
    a: coefficients.a / divisor,
    b: coefficients.b / divisor,
    c: coefficients.c / divisor,
    d: coefficients.d / divisor,
  }
  const reducedDelta0 = delta0Of(reduced)
  const reducedDelta1 = 3n * reducedDelta0 + reduced.b - lastTermOf(reduced)
  const c1 = cardano(reduced.b, reducedDelta0, reducedDelta1)
  if (c1 === null) return null
  const sum = checkInt256(
    ONE * c1 - ONE * reduced.b - checkInt256(quotient(wrapInt256(ONE * reduced.b), c1) * reducedDelta0),
  )
  const k0 = quotient(sum, 3n * reduced.a)
  return { y: wrapInt256(((d * d) / otherBalance) * k0) / 4n / ONE, k0 }
}

/**
 * Solves for one balance of a three-coin pool.
 *
 * @param ann - A·n^n × 10,000
 * @param gamma - 18 decimals
 * @param xj - balance of the first other coin, in the order of the coins
 * @param xk - balance of the second other coin
 */
export function solveThree(ann: bigint, gamma: bigint, xj: bigint, xk: bigint, d: bigint): CubicSolution {
  const gamma2 = gamma * gamma
  const a = 10n ** 36n / 27n
  const b =
    10n ** 36n / 9n +
    (2n * ONE * gamma) / 27n -
    checkInt256(wrapInt256(((d * d) / xj) * gamma2) * ann) / 729n / 10_000n / xk
  const c =
    10n ** 36n / 9n +
    (gamma * (gamma + 4n * ONE)) / 27n +
    wrapInt256((checkInt256(gamma2 * (xj + xk - d)) / d) * ann) / 27n / 10_000n
  const coefficientD = (ONE + gamma) ** 2n / 27n
  const divisor = divisorOf(DIVISORS_THREE, abs(quotient(checkInt256(3n * a * c), b) - b))
  let reduced: Coefficients
  if (abs(a) > abs(b)) {
    const factor = abs(quotient(a, b))
    const scale = (value: bigint) => checkInt256(value * factor) / divisor
    reduced = { a: scale(a), b: scale(b), c: scale(c), d: scale(coefficientD) }
  } else {
    const factor = abs(b / a)
    const scale = (value: bigint) => value / factor / divisor
    reduced = { a: scale(a), b: scale(b), c: scale(c), d: scale(coefficientD) }
  }
  const triple = checkInt256(3n * reduced.a * reduced.c)
  const delta0 = quotient(triple, reduced.b) - reduced.b
  const delta1 = checkInt256(3n * triple) / reduced.b - 2n * reduced.b - lastTermOf(reduced)
  const c1 = cardano(reduced.b, delta0, delta1)
  if (c1 === null) return null
  const k0 = (reduced.b + quotient(checkInt256(reduced.b * delta0), c1) - c1) / 3n
  const y = quotient(checkInt256(((((d * d) / 27n / xk) * d) / xj) * k0), reduced.a)
  return { y, k0: quotient(wrapInt256(ONE * k0), reduced.a) }
}
