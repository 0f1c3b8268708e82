/**
 * Exact math of Gyro E-CLP pools. The curve of a pool is a segment of an ellipse. The ellipse is a circle with radius
 * r, stretched by lambda and rotated. The rotation angle has cosine c and sine s. A parameter `r` contains two bounds
 * of the radius: the upper bound in `x`, and the lower bound in `y`. Follows GyroECLPMath and SignedFixedPoint of
 * balancer/balancer-v3-monorepo with their names and rounding, term by term. Live balances are balances scaled to 18
 * decimals and to one unit for both tokens. Functions with the suffix `Xp` take a number with 38 decimals. Checked
 * against real pools.
 */
import { PoolRefusal } from '../../family.ts'
import { sqrt } from '../../math/integers.ts'

type Vector = { readonly x: bigint; readonly y: bigint }

/** Parameters of a pool, 18 decimals. */
export type EclpParams = {
  /** Lowest price of token 0 in token 1. */
  readonly alpha: bigint
  /** Highest price of token 0 in token 1. */
  readonly beta: bigint
  /** Cosine of the rotation. */
  readonly c: bigint
  /** Sine of the rotation. */
  readonly s: bigint
  /** Stretch factor. */
  readonly lambda: bigint
}
/** Values derived from the parameters, 38 decimals. */
export type EclpDerived = {
  /** Points of the unit circle that correspond to the prices `alpha` and `beta`. */
  readonly tauAlpha: Vector
  readonly tauBeta: Vector
  /**
   * Terms of the vector A·chi in the contract's formulas. r·chi is the center of the ellipse, and A maps the ellipse to
   * the circle. The vector's x is w / lambda + z, and its y is lambda·u + v.
   */
  readonly u: bigint
  readonly v: bigint
  readonly w: bigint
  readonly z: bigint
  /** c² + s² as computed by the contract, which corrects the rounding of c and s. */
  readonly dSq: bigint
}
/** Kind-specific state of an E-CLP pool. */
export type GyroEclp = {
  readonly kind: 'gyro-eclp'
  readonly params: EclpParams
  readonly derived: EclpDerived
}

const ONE = 10n ** 18n
const ONE_XP = 10n ** 38n
/** Square root of `ONE_XP`. */
const SQRT_XP = 10n ** 19n

// The suffix `Down` rounds toward zero, and `Up` away from zero. Bigint division truncates, like division in Solidity.
const mulDown = (a: bigint, b: bigint) => (a * b) / ONE
function mulUp(a: bigint, b: bigint): bigint {
  const product = a * b
  return product > 0n ? (product - 1n) / ONE + 1n : product < 0n ? (product + 1n) / ONE - 1n : 0n
}
const divDown = (a: bigint, b: bigint) => (a * ONE) / b
function divUp(a: bigint, b: bigint): bigint {
  if (a === 0n) return 0n
  const [numerator, denominator] = b < 0n ? [-a, -b] : [a, b]
  return numerator > 0n ? (numerator * ONE - 1n) / denominator + 1n : (numerator * ONE + 1n) / denominator - 1n
}
const mulXp = (a: bigint, b: bigint) => (a * b) / ONE_XP
const divXp = (a: bigint, b: bigint) => (a * ONE_XP) / b

/**
 * Multiplies an 18-decimal number by a 38-decimal number. The result has 18 decimals, and is rounded toward negative
 * infinity. `mulUpXp` rounds toward positive infinity.
 */
function mulDownXp(a: bigint, b: bigint): bigint {
  const [first, second] = [a * (b / SQRT_XP), a * (b % SQRT_XP)]
  const sum = first + second / SQRT_XP
  return first >= 0n && second >= 0n ? sum / SQRT_XP : (sum + 1n) / SQRT_XP - 1n
}
function mulUpXp(a: bigint, b: bigint): bigint {
  const [first, second] = [a * (b / SQRT_XP), a * (b % SQRT_XP)]
  const sum = first + second / SQRT_XP
  return first <= 0n && second <= 0n ? sum / SQRT_XP : (sum - 1n) / SQRT_XP + 1n
}

const sqrtFixed = (value: bigint) => (value > 0n ? sqrt(value * ONE) : 0n)
const pow4 = (dSq: bigint) => mulXp(mulXp(mulXp(dSq, dSq), dSq), dSq)

/** Returns the output of an input of token `i` without fees. Both amounts have 18 decimals. */
export function gyroEclpOut(
  { params, derived }: GyroEclp,
  liveBalances: readonly bigint[],
  i: number,
  amountIn: bigint,
): bigint {
  const [invariant, error] = invariantWithError(liveBalances, params, derived)
  const r: Vector = { x: invariant + 2n * error, y: invariant }
  const balanceIn = liveBalances[i]! + amountIn
  if (balanceIn > maxBalance(params, derived, r, i)) throw new PoolRefusal('TOO_LARGE', 'beyond the range of the pool')
  const balanceOutAfter = i === 0 ? yGivenX(balanceIn, params, derived, r) : xGivenY(balanceIn, params, derived, r)
  const amountOut = liveBalances[1 - i]! - balanceOutAfter
  if (balanceOutAfter < 0n) throw new PoolRefusal('TOO_LARGE', 'more than the pool has')
  if (amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  return amountOut
}

/**
 * Returns the approximate largest input of token `i`, 18 decimals. It moves the price to the end of the price range.
 */
export function gyroEclpLimit({ params, derived }: GyroEclp, liveBalances: readonly bigint[], i: number): bigint {
  const [invariant, error] = invariantWithError(liveBalances, params, derived)
  return maxBalance(params, derived, { x: invariant + 2n * error, y: invariant }, i) - liveBalances[i]!
}

/**
 * Returns the prices of token 0 in token 1 at several pairs of live balances, 18 decimals. All pairs are points of the
 * ellipse that the pair `first` determines.
 */
export function gyroEclpPrices(
  { params, derived }: GyroEclp,
  first: readonly bigint[],
  ...otherBalances: readonly (readonly bigint[])[]
): readonly bigint[] {
  const [invariant, error] = invariantWithError(first, params, derived)
  const r: Vector = { x: invariant + 2n * error, y: invariant }
  const [a, b] = [offset0(params, derived, r), offset1(params, derived, r)]
  return [first, ...otherBalances].map((liveBalances) => priceAt(params, liveBalances[0]! - a, liveBalances[1]! - b))
}

/** Returns the price at a point of the ellipse, computed on the circle before stretching and rotation. */
function priceAt({ alpha, beta, c, s, lambda }: EclpParams, x: bigint, y: bigint): bigint {
  const [u, v] = [(x * c - y * s) / lambda, (x * s + y * c) / ONE]
  const denominator = mulDown(v, c) - (u * s) / lambda
  if (denominator === 0n) throw new PoolRefusal('TOO_LARGE', 'beyond the range of the pool')
  const price = divDown(mulDown(v, s) + (u * c) / lambda, denominator)
  if (price < 0n) throw new PoolRefusal('TOO_LARGE', 'beyond the range of the pool')
  return clamp(price, alpha, beta)
}

export const clamp = (value: bigint, low: bigint, high: bigint): bigint =>
  value < low ? low : value > high ? high : value

/** Returns the invariant, rounded down, and an upper bound of its error. */
function invariantWithError(
  [x, y]: readonly bigint[],
  p: EclpParams,
  d: EclpDerived,
): readonly [invariant: bigint, error: bigint] {
  const value = minAtx(x!, y!, p, d) + twiceAtxAty(x!, y!, p, d) + minAty(x!, y!, p, d)
  const term = sqrtFixed(value)
  let error = (mulUp(x!, x!) + mulUp(y!, y!)) / ONE_XP
  error = term > 0n ? divUp(error + 1n, 2n * term) : error > 0n ? sqrtFixed(error) : 10n ** 9n
  error = (mulUp(p.lambda, x! + y!) / ONE_XP + error + 1n) * 20n
  const factor = divXp(ONE_XP, achiAchi(p, d) - ONE_XP)
  const invariant = mulDownXp(atAchi(x!, y!, p, d) + term - error, factor)
  error = mulUpXp(error, factor)
  error += (mulUpXp(invariant, factor) * ((p.lambda * p.lambda) / 10n ** 36n) * 40n) / ONE_XP + 1n
  return [invariant, error]
}

function atAchi(x: bigint, y: bigint, { c, s, lambda }: EclpParams, { dSq, u, v, w, z }: EclpDerived): bigint {
  const dSq2 = mulXp(dSq, dSq)
  const first = divXp(divDown(divDown(w, lambda) + z, lambda), dSq2)
  const second = mulDown(mulDown(x, lambda), s) + mulDown(mulDown(y, lambda), c)
  return (
    mulDownXp(mulDown(x, c) - mulDown(y, s), first) +
    mulDownXp(second, divXp(u, dSq2)) +
    mulDownXp(mulDown(x, s) + mulDown(y, c), divXp(v, dSq2))
  )
}

function achiAchi({ lambda }: EclpParams, { dSq, u, v, w, z }: EclpDerived): bigint {
  const dSq3 = mulXp(mulXp(dSq, dSq), dSq)
  const last = divUp(w, lambda) + z
  return (
    mulUp(lambda, divXp(mulXp(2n * u, v), dSq3)) +
    mulUp(mulUp(divXp(mulXp(u + 1n, u + 1n), dSq3), lambda), lambda) +
    divXp(mulXp(v, v), dSq3) +
    divXp(mulXp(last, last), dSq3)
  )
}

function minAtx(x: bigint, y: bigint, { c, s, lambda }: EclpParams, { dSq, u, v }: EclpDerived): bigint {
  const np =
    mulUp(mulUp(mulUp(x, x), c), c) + mulUp(mulUp(mulUp(y, y), s), s) - mulDown(mulDown(mulDown(x, y), 2n * c), s)
  const xp = mulXp(u, u) + divDown(mulXp(2n * u, v), lambda) + divDown(divDown(mulXp(v, v), lambda), lambda)
  return mulDownXp(-np, divXp(xp, pow4(dSq))) + mulDownXp(divDown(divDown(np - 9n, lambda), lambda), divXp(ONE_XP, dSq))
}

function twiceAtxAty(x: bigint, y: bigint, { c, s, lambda }: EclpParams, { dSq, u, v, w, z }: EclpDerived): bigint {
  const xy = mulDown(y, 2n * x)
  const np =
    mulDown(mulDown(mulDown(x, x) - mulUp(y, y), 2n * c), s) + mulDown(mulDown(xy, c), c) - mulDown(mulDown(xy, s), s)
  const xp = mulXp(z, u) + divDown(divDown(mulXp(w, v), lambda), lambda) + divDown(mulXp(w, u) + mulXp(z, v), lambda)
  return mulDownXp(np, divXp(xp, pow4(dSq)))
}

function minAty(x: bigint, y: bigint, { c, s, lambda }: EclpParams, { dSq, w, z }: EclpDerived): bigint {
  const np = mulUp(mulUp(mulUp(x, x), s), s) + mulUp(mulUp(mulUp(y, y), c), c) + mulUp(mulUp(mulUp(x, y), 2n * s), c)
  const xp = mulXp(z, z) + divDown(divDown(mulXp(w, w), lambda), lambda) + divDown(mulXp(2n * z, w), lambda)
  return mulDownXp(-np, divXp(xp, pow4(dSq))) + mulDownXp(np - 9n, divXp(ONE_XP, dSq))
}

function offset0({ c, s, lambda }: EclpParams, { dSq, tauBeta }: EclpDerived, r: Vector): bigint {
  const xp = divXp(tauBeta.x, dSq)
  const first =
    tauBeta.x > 0n ? mulUpXp(mulUp(mulUp(r.x, lambda), c), xp) : mulUpXp(mulDown(mulDown(r.y, lambda), c), xp)
  return first + mulUpXp(mulUp(r.x, s), divXp(tauBeta.y, dSq))
}

function offset1({ c, s, lambda }: EclpParams, { dSq, tauAlpha }: EclpDerived, r: Vector): bigint {
  const xp = divXp(tauAlpha.x, dSq)
  const first =
    tauAlpha.x < 0n ? mulUpXp(mulUp(mulUp(r.x, lambda), s), -xp) : mulUpXp(mulDown(mulDown(-r.y, lambda), s), xp)
  return first + mulUpXp(mulUp(r.x, c), divXp(tauAlpha.y, dSq))
}

/** Returns the maximum balance of token `i`. */
function maxBalance(
  { c, s, lambda }: EclpParams,
  { dSq, tauAlpha, tauBeta }: EclpDerived,
  r: Vector,
  i: number,
): bigint {
  const [first, second] = i === 0 ? [c, s] : [s, c]
  const xp = divXp(tauBeta.x - tauAlpha.x, dSq)
  const yDifference = divXp(i === 0 ? tauBeta.y - tauAlpha.y : tauAlpha.y - tauBeta.y, dSq)
  const firstTerm = mulDownXp(mulDown(mulDown(r.y, lambda), first), xp)
  return (
    firstTerm +
    (yDifference > 0n ? mulDownXp(mulDown(r.y, second), yDifference) : mulDownXp(mulUp(r.x, second), yDifference))
  )
}

function yGivenX(x: bigint, p: EclpParams, d: EclpDerived, r: Vector): bigint {
  return solve(p.lambda, x, p.s, p.c, r, { x: offset0(p, d, r), y: offset1(p, d, r) }, d.tauBeta, d.dSq)
}

function xGivenY(y: bigint, p: EclpParams, d: EclpDerived, r: Vector): bigint {
  const tau = { x: -d.tauAlpha.x, y: d.tauAlpha.y }
  return solve(p.lambda, y, p.c, p.s, r, { x: offset1(p, d, r), y: offset0(p, d, r) }, tau, d.dSq)
}

/**
 * Returns the other balance on the curve, as the root of a quadratic.
 *
 * @param x - the given balance
 * @param ab - center of the ellipse: `x` is its coordinate on the axis of the given balance, `y` on that of the other
 */
function solve(
  lambda: bigint,
  x: bigint,
  s: bigint,
  c: bigint,
  r: Vector,
  ab: Vector,
  tauBeta: Vector,
  dSq: bigint,
): bigint {
  const barX = ONE_XP - divDown(divDown(ONE_XP, lambda), lambda)
  const barY = ONE_XP - divUp(divUp(ONE_XP, lambda), lambda)
  const xp = x - ab.x
  const b =
    xp > 0n
      ? mulUpXp(mulDown(mulDown(-xp, s), c), divXp(barY, dSq))
      : mulUpXp(mulUp(mulUp(-xp, s), c), divXp(barX, dSq) + 1n)
  const termX = ONE_XP - divXp(mulDown(mulDown(barY, s), s), dSq)
  const termY = ONE_XP - (divXp(mulUp(mulUp(barX, s), s), dSq + 1n) + 1n)
  const rootTerm = sqrtFixed(mulDownXp(mulDown(r.y, r.y), termY) - xpXp(x, r, lambda, s, c, tauBeta, dSq))
  const numerator = b - rootTerm
  return (
    (numerator > 0n ? mulUpXp(numerator, divXp(ONE_XP, termY) + 1n) : mulUpXp(numerator, divXp(ONE_XP, termX))) + ab.y
  )
}

/** Returns the contract's term (x − a)² / lambda², rounded up. */
function xpXp(x: bigint, r: Vector, lambda: bigint, s: bigint, c: bigint, tauBeta: Vector, dSq: bigint): bigint {
  const dSq2 = mulXp(dSq, dSq)
  const square = mulUp(r.x, r.x)
  const cross = divXp(mulXp(tauBeta.x, tauBeta.y), dSq2)
  const mixedTerm =
    cross > 0n
      ? mulUpXp(mulUp(mulUp(square, 2n * s), c), cross + 7n)
      : mulUpXp(mulDown(mulDown(mulDown(r.y, r.y), 2n * s), c), cross)
  const linear =
    tauBeta.x < 0n
      ? mulUpXp(mulUp(mulUp(r.x, x), 2n * c), -divXp(tauBeta.x, dSq) + 3n)
      : mulUpXp(mulDown(mulDown(-r.y, x), 2n * c), divXp(tauBeta.x, dSq))
  const divAwayFromZero = (value: bigint) => (value > 0n ? divUp(value, lambda) : divDown(value, lambda))
  const inner =
    mulUpXp(mulUp(mulUp(square, s), s), divXp(mulXp(tauBeta.y, tauBeta.y), dSq2) + 7n) +
    mulUpXp(mulDown(mulDown(-r.y, x), 2n * s), divXp(tauBeta.y, dSq)) +
    mulUp(x, x)
  const outer = divAwayFromZero(mixedTerm + linear + divAwayFromZero(inner))
  return mulUpXp(mulUp(mulUp(square, c), c), divXp(mulXp(tauBeta.x, tauBeta.x), dSq2) + 7n) + outer
}
