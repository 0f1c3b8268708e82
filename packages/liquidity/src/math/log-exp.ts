/**
 * Computes powers of 18-decimal numbers with the rounding of Balancer's LogExpMath. Exponentials and logarithms first
 * divide out known powers of e, then sum a fixed number of series terms. Checked against LogExpMath.sol of
 * balancer/balancer-v2-monorepo.
 */
import { PoolRefusal } from '../family.ts'

const ONE_18 = 10n ** 18n
const ONE_20 = 10n ** 20n
const ONE_36 = 10n ** 36n
/** Largest and smallest exponent of e^exponent, 18 decimals. */
const MAX_EXPONENT = 130n * ONE_18
const MIN_EXPONENT = -41n * ONE_18
/** Exclusive upper bound of y in x^y, 18 decimals. The contract has the same name for it. */
const MILD_EXPONENT_BOUND = (1n << 254n) / ONE_20
/** Numbers between these bounds (exclusive, 18 decimals) are near 1. Their logarithm is computed with 36 decimals. */
const LN_36_LOWER = ONE_18 - 10n ** 17n
const LN_36_UPPER = ONE_18 + 10n ** 17n

/** Exponents 2^7 and 2^6 with 18 decimals, and e^exponent without decimals. */
const LARGE_POWERS: readonly (readonly [exponent: bigint, power: bigint])[] = [
  [128_000_000_000_000_000_000n, 38_877_084_059_945_950_922_200_000_000_000_000_000_000_000_000_000_000_000n],
  [64_000_000_000_000_000_000n, 6_235_149_080_811_616_882_910_000_000n],
]
/** Exponents 2^5 to 2^−4 with 20 decimals, and e^exponent with 20 decimals. */
const SMALL_POWERS: readonly (readonly [exponent: bigint, power: bigint])[] = [
  [3_200_000_000_000_000_000_000n, 7_896_296_018_268_069_516_100_000_000_000_000n],
  [1_600_000_000_000_000_000_000n, 888_611_052_050_787_263_676_000_000n],
  [800_000_000_000_000_000_000n, 298_095_798_704_172_827_474_000n],
  [400_000_000_000_000_000_000n, 5_459_815_003_314_423_907_810n],
  [200_000_000_000_000_000_000n, 738_905_609_893_065_022_723n],
  [100_000_000_000_000_000_000n, 271_828_182_845_904_523_536n],
  [50_000_000_000_000_000_000n, 164_872_127_070_012_814_685n],
  [25_000_000_000_000_000_000n, 128_402_541_668_774_148_407n],
  [12_500_000_000_000_000_000n, 113_314_845_306_682_631_683n],
  [6_250_000_000_000_000_000n, 106_449_445_891_785_942_956n],
]

/** Returns x^y, 18 decimals. @param x - 18 decimals, not negative @param y - 18 decimals, not negative */
export function pow(x: bigint, y: bigint): bigint {
  if (y === 0n) return ONE_18
  if (x === 0n) return 0n
  if (x >> 255n || y >= MILD_EXPONENT_BOUND) throw new PoolRefusal('TOO_LARGE', 'a power out of bounds')
  let logarithm: bigint
  if (LN_36_LOWER < x && x < LN_36_UPPER) {
    const ln36 = lnAroundOne(x)
    logarithm = (ln36 / ONE_18) * y + ((ln36 % ONE_18) * y) / ONE_18
  } else logarithm = ln(x) * y
  logarithm /= ONE_18
  if (logarithm < MIN_EXPONENT || logarithm > MAX_EXPONENT) throw new PoolRefusal('TOO_LARGE', 'a power out of bounds')
  return exp(logarithm)
}

/** Returns e^exponent, 18 decimals. */
function exp(exponent: bigint): bigint {
  if (exponent < 0n) return (ONE_18 * ONE_18) / exp(-exponent)
  let x = exponent
  let largePower = 1n
  for (const [step, power] of LARGE_POWERS) {
    if (x < step) continue
    x -= step
    largePower = power
    break
  }
  x *= 100n
  let product = ONE_20
  // The contract skips the last two powers here, because the series below is accurate enough without them.
  for (const [step, power] of SMALL_POWERS.slice(0, 8)) {
    if (x < step) continue
    x -= step
    product = (product * power) / ONE_20
  }
  let sum = ONE_20
  let term = x
  sum += term
  for (let n = 2n; n <= 12n; n++) {
    term = (term * x) / ONE_20 / n
    sum += term
  }
  return (((product * sum) / ONE_20) * largePower) / 100n
}

/** Returns ln(value), 18 decimals. */
function ln(value: bigint): bigint {
  if (value < ONE_18) return -ln((ONE_18 * ONE_18) / value)
  let rest = value
  let sum = 0n
  for (const [step, power] of LARGE_POWERS) {
    if (rest < power * ONE_18) continue
    rest /= power
    sum += step
  }
  sum *= 100n
  rest *= 100n
  for (const [step, power] of SMALL_POWERS) {
    if (rest < power) continue
    rest = (rest * ONE_20) / power
    sum += step
  }
  const z = ((rest - ONE_20) * ONE_20) / (rest + ONE_20)
  return (sum + oddSeries(z, ONE_20, 11n)) / 100n
}

/** Returns ln(value) with 36 decimals, for a value near 1 with 18 decimals. */
function lnAroundOne(value: bigint): bigint {
  const x = value * ONE_18
  const z = ((x - ONE_36) * ONE_36) / (x + ONE_36)
  return oddSeries(z, ONE_36, 15n)
}

/** Returns 2 × (z + z³/3 + z⁵/5 + …) up to z^lastPower. @param scale - fixed-point one of `z` and of the result */
function oddSeries(z: bigint, scale: bigint, lastPower: bigint): bigint {
  const square = (z * z) / scale
  let term = z
  let sum = z
  for (let n = 3n; n <= lastPower; n += 2n) {
    term = (term * square) / scale
    sum += term / n
  }
  return sum * 2n
}
