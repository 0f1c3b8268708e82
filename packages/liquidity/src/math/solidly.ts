/**
 * Exact math of Solidly pairs and their forks: x·y = k, or x³y + y³x = k for tokens of similar value (stable pairs).
 */
import { PPM } from '@sluice/chains'
import { nullIfRefused, PoolRefusal } from '../family.ts'

const ONE = 10n ** 18n

/** State of a pair. */
export type SolidlyState = {
  /** Base units of the first token. */
  readonly reserve0: bigint
  /** Base units of the second token. */
  readonly reserve1: bigint
  /** Base units per whole token: 10^decimals. */
  readonly unit0: bigint
  readonly unit1: bigint
  /** True for the curve x³y + y³x = k, false for x·y = k. */
  readonly stable: boolean
  /** Fee in parts per million of the input. A swap sends it out of the pair. */
  readonly feePpm: number
  /** Set while the factory has paused the swaps of all pairs. */
  readonly paused?: true
  /** Set after a quoted swap if it is unknown whether the fee of that swap has left the pair. */
  readonly unsettled?: true
}

/**
 * Solves x³y + y³x = k for `y`, the reserve of the output token. `x` is the reserve of the input token, and `startY` is
 * the reserve at which the search starts. These numbers have 18 decimals. `invariantOfPair` is the invariant function
 * of the pair's contract, which expects base units of the first and the second token.
 */
export type SolveY = (x: bigint, k: bigint, startY: bigint, invariantOfPair: (x: bigint, y: bigint) => bigint) => bigint

const MAX_WORD = (1n << 256n) - 1n

/** Multiplies with the contract's overflow check. @throws PoolRefusal on an overflow of 256 bits */
function checkedProduct(a: bigint, b: bigint): bigint {
  const product = a * b
  if (product > MAX_WORD) throw tooLargeRefusal()
  return product
}

const tooLargeRefusal = () => new PoolRefusal('TOO_LARGE', 'reserves too large for the curve')

/** Returns x³y + y³x, 18 decimals. */
function invariant(x: bigint, y: bigint): bigint {
  return checkedProduct(checkedProduct(x, y) / ONE, checkedProduct(x, x) / ONE + checkedProduct(y, y) / ONE) / ONE
}

/** Returns the invariant of a stable pair, 18 decimals. Reserves are base units. */
const pairInvariant = ({ unit0, unit1 }: SolidlyState, reserve0: bigint, reserve1: bigint) =>
  invariant(checkedProduct(reserve0, ONE) / unit0, checkedProduct(reserve1, ONE) / unit1)

/**
 * True if a swap does not lower the invariant. The contract also quotes swaps that lower it by rounding down the new
 * reserve, but reverts when they are executed.
 */
export const keepsInvariant = (oldState: SolidlyState, newState: SolidlyState) =>
  !oldState.stable ||
  pairInvariant(newState, newState.reserve0, newState.reserve1) >=
    pairInvariant(oldState, oldState.reserve0, oldState.reserve1)

/** Returns the derivative of the invariant in y, by which the contract divides. @throws PoolRefusal if it is zero */
function derivativeByY(x: bigint, y: bigint): bigint {
  const derivative =
    checkedProduct(3n * x, checkedProduct(y, y) / ONE) / ONE + checkedProduct(checkedProduct(x, x) / ONE, x) / ONE
  if (derivative === 0n) throw new PoolRefusal('EMPTY', 'reserves too small for the curve')
  return derivative
}

const MAX_NEWTON_STEPS = 255

/** Solves the curve as Solidly does. @see BaseV1Pair._get_y, solidlyexchange/solidly */
export const solveSolidly: SolveY = (x, k, startY) => {
  const cube = (base: bigint) => checkedProduct(checkedProduct(base, base) / ONE, base) / ONE
  const curveValue = (y: bigint) => {
    const [xTimesCube, cubeTimesY] = [checkedProduct(x, cube(y)), checkedProduct(cube(x), y)]
    // Some forks add both terms before they divide, so the sum must not overflow.
    if (xTimesCube + cubeTimesY > MAX_WORD) throw tooLargeRefusal()
    return xTimesCube / ONE + cubeTimesY / ONE
  }
  let y = startY
  for (let i = 0; i < MAX_NEWTON_STEPS; i++) {
    const previousY = y
    const current = curveValue(y)
    const derivative = derivativeByY(x, y)
    y = current < k ? y + ((k - current) * ONE) / derivative : y - ((current - k) * ONE) / derivative
    const change = y > previousY ? y - previousY : previousY - y
    if (change <= 1n) break
  }
  return y
}

/** Solves the curve as Velodrome V2 does. @see Pool._get_y, velodrome-finance/contracts (v2) */
export const solveVelodrome: SolveY = (x, k, startY, invariantOfPair) => {
  let y = startY
  for (let i = 0; i < MAX_NEWTON_STEPS; i++) {
    const current = invariant(x, y)
    if (current < k) {
      let dy = ((k - current) * ONE) / derivativeByY(x, y)
      if (dy === 0n) {
        // The contract's invariant function scales its arguments to 18 decimals, but `x` and `y` already are scaled.
        // With tokens of fewer than 18 decimals, the solver therefore always stops here, or reverts because of an
        // overflow.
        if (invariantOfPair(x, y + 1n) > k) return y + 1n
        dy = 1n
      }
      y += dy
    } else {
      let dy = ((current - k) * ONE) / derivativeByY(x, y)
      if (dy === 0n) {
        if (current === k || invariant(x, y - 1n) < k) return y
        dy = 1n
      }
      y -= dy
    }
  }
  throw new PoolRefusal('UNSUPPORTED', 'the curve has no solution that the pair would find')
}

/**
 * Quotes an exact input with the contract's rounding.
 *
 * @throws PoolRefusal `EMPTY`, `TOO_SMALL` for no output, `TOO_LARGE` if it would buy the whole reserve
 */
export function quoteSolidly(
  state: SolidlyState,
  zeroForOne: boolean,
  amountIn: bigint,
  solve: SolveY,
): { readonly amountOut: bigint; readonly state: SolidlyState } {
  const { reserve0, reserve1, unit0, unit1, stable, feePpm } = state
  if (reserve0 === 0n || reserve1 === 0n) throw new PoolRefusal('EMPTY', `the pair holds ${reserve0} and ${reserve1}`)
  const netIn = amountIn - (amountIn * BigInt(feePpm)) / PPM
  const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0]
  let amountOut: bigint
  if (stable) {
    const [unitIn, unitOut] = zeroForOne ? [unit0, unit1] : [unit1, unit0]
    const x = (reserveIn * ONE) / unitIn
    const y = (reserveOut * ONE) / unitOut
    const k = invariant(x, y)
    if (k === 0n) throw new PoolRefusal('EMPTY', 'reserves too small for the curve')
    amountOut = ((y - solve((netIn * ONE) / unitIn + x, k, y, (a, b) => pairInvariant(state, a, b))) * unitOut) / ONE
  } else amountOut = (netIn * reserveOut) / (reserveIn + netIn)
  if (amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  if (amountOut >= reserveOut) throw new PoolRefusal('TOO_LARGE', `${amountIn} would buy the whole reserve`)
  return {
    amountOut,
    // The fee leaves the pair immediately, so the reserve grows by the net input only.
    state: zeroForOne
      ? { ...state, reserve0: reserve0 + netIn, reserve1: reserve1 - amountOut }
      : { ...state, reserve0: reserve0 - amountOut, reserve1: reserve1 + netIn },
  }
}

/**
 * Returns the approximate largest input of a stable pair: above it, x³y overflows 256 bits. Returns 0 if a reserve is
 * empty. Such pairs exist, because anyone can create a pair and send only one of its tokens to it.
 */
export function approximateStableLimit(state: SolidlyState, zeroForOne: boolean): bigint {
  const { reserve0, reserve1, unit0, unit1, feePpm } = state
  const [reserveIn, reserveOut, unitIn, unitOut] = zeroForOne
    ? [reserve0, reserve1, unit0, unit1]
    : [reserve1, reserve0, unit1, unit0]
  if (reserveIn === 0n || reserveOut === 0n) return 0n
  const [x, y] = [(Number(reserveIn) * 1e18) / Number(unitIn), (Number(reserveOut) * 1e18) / Number(unitOut)]
  const maxReserve = Math.cbrt((Number(MAX_WORD) * 1e36) / y)
  return BigInt(Math.floor(Math.max(1, ((maxReserve - x) * Number(unitIn)) / 1e18 / (1 - feePpm / 1e6))))
}

/** Fees of known forks, in parts per million. Common fees come first, because the first fee that fits is used. */
const KNOWN_FEES_PPM = [
  100, 300, 500, 1000, 1800, 2000, 2500, 3000, 4000, 5000, 10_000, 20_000, 30_000, 12_500, 9000, 8000, 7500, 7000, 6000,
  200, 400, 600, 700, 800, 900, 1200, 1500, 1700, 2200, 2700, 3500, 4500, 0, 50, 10, 40, 1, 15_000, 25_000, 50_000,
]

/** Quote that the pair's contract returned, in base units. */
export type PairQuote = { readonly zeroForOne: boolean; readonly amountIn: bigint; readonly amountOut: bigint }

/**
 * Returns the known fee with which this model reproduces the pair's own quotes. Null if no known fee does: the pair
 * then has different math and must not be quoted.
 */
export function feeFromSamples(
  state: Omit<SolidlyState, 'feePpm'>,
  samples: readonly PairQuote[],
  solve: SolveY,
): number | null {
  const reproducesSamples = (feePpm: number) =>
    samples.every(({ zeroForOne, amountIn, amountOut }) => {
      const quotedOutput = nullIfRefused(
        () => quoteSolidly({ ...state, feePpm }, zeroForOne, amountIn, solve).amountOut,
      )
      return (quotedOutput ?? 0n) === amountOut
    })
  return KNOWN_FEES_PPM.find(reproducesSamples) ?? null
}
