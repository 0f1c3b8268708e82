/** Pairs of solidly and its descendants: x·y = k, or x³y + y³x = k for tokens of like value. */
import { PPM } from '@sluice/chains'
import { orRefused, PoolRefusal } from '../family.ts'

const ONE = 10n ** 18n

export type SolidlyState = {
  /** Base units of the pair's first token. */
  readonly reserve0: bigint
  /** Base units of the pair's second token. */
  readonly reserve1: bigint
  /** Base units in a whole token: 10^decimals. */
  readonly unit0: bigint
  readonly unit1: bigint
  readonly stable: boolean
  /** Parts per million of the input, which leave the pair. */
  readonly feePpm: number
  /** After a swap of a pair of which it is not known whether the fee has left it. */
  readonly unsettled?: true
}

/**
 * Solves the stable curve for the reserve of the token bought: `(x, k, y)` in 18 decimals, `y` where to start. `pairs` is the pair's own
 * function of its reserves, which takes both for base units of the first and the second token, whatever they are.
 */
export type SolveY = (x: bigint, k: bigint, y: bigint, pairs: (x: bigint, y: bigint) => bigint) => bigint

const MOST = (1n << 256n) - 1n

/** As the pair multiplies. @throws PoolRefusal where a word does not hold it */
function times(a: bigint, b: bigint): bigint {
  const product = a * b
  if (product > MOST) throw tooLarge()
  return product
}

const tooLarge = () => new PoolRefusal('TOO_LARGE', 'reserves too large for the curve')

/** x³y + y³x in 18 decimals. */
function invariant(x: bigint, y: bigint): bigint {
  return times(times(x, y) / ONE, times(x, x) / ONE + times(y, y) / ONE) / ONE
}

/** The same of reserves of a stable pair. */
const pairInvariant = ({ unit0, unit1 }: SolidlyState, reserve0: bigint, reserve1: bigint) =>
  invariant(times(reserve0, ONE) / unit0, times(reserve1, ONE) / unit1)

/** False of a swap of a stable pair that the pair reverts after it has quoted it itself: its solution was rounded down. */
export const keepsInvariant = (before: SolidlyState, after: SolidlyState) =>
  !before.stable ||
  pairInvariant(after, after.reserve0, after.reserve1) >= pairInvariant(before, before.reserve0, before.reserve1)

/** Its derivative in y, by which the pair divides. @throws PoolRefusal where it is zero */
function slope(x: bigint, y: bigint): bigint {
  const d = times(3n * x, times(y, y) / ONE) / ONE + times(times(x, x) / ONE, x) / ONE
  if (d === 0n) throw new PoolRefusal('EMPTY', 'reserves too small for the curve')
  return d
}

const MAX_STEPS = 255

/** @see BaseV1Pair._get_y, solidlyexchange/solidly */
export const solveSolidly: SolveY = (x, k, start) => {
  const cubed = (value: bigint) => times(times(value, value) / ONE, value) / ONE
  const value = (y: bigint) => {
    const [first, second] = [times(x, cubed(y)), times(cubed(x), y)]
    // Some forks add both up before they divide.
    if (first + second > MOST) throw tooLarge()
    return first / ONE + second / ONE
  }
  let y = start
  for (let i = 0; i < MAX_STEPS; i++) {
    const before = y
    const at = value(y)
    const d = slope(x, y)
    y = at < k ? y + ((k - at) * ONE) / d : y - ((at - k) * ONE) / d
    const moved = y > before ? y - before : before - y
    if (moved <= 1n) break
  }
  return y
}

/** @see Pool._get_y, velodrome-finance/contracts (v2) */
export const solveVelodrome: SolveY = (x, k, start, pairs) => {
  let y = start
  for (let i = 0; i < MAX_STEPS; i++) {
    const at = invariant(x, y)
    if (at < k) {
      let dy = ((k - at) * ONE) / slope(x, y)
      if (dy === 0n) {
        // The one place where it asks the function that scales by decimals, of what is scaled already. Where a token has fewer
        // than 18, it stops here always, or reverts, since the product is too large.
        if (pairs(x, y + 1n) > k) return y + 1n
        dy = 1n
      }
      y += dy
    } else {
      let dy = ((at - k) * ONE) / slope(x, y)
      if (dy === 0n) {
        if (at === k || invariant(x, y - 1n) < k) return y
        dy = 1n
      }
      y -= dy
    }
  }
  throw new PoolRefusal('UNSUPPORTED', 'the curve has no solution that the pair would find')
}

/**
 * The output of an exact input, rounded as the pair does.
 *
 * @throws PoolRefusal `EMPTY`, `TOO_SMALL` where nothing would come out, `TOO_LARGE` where it would be the whole reserve
 */
export function quoteSolidly(
  state: SolidlyState,
  zeroForOne: boolean,
  amountIn: bigint,
  solve: SolveY,
): { readonly amountOut: bigint; readonly state: SolidlyState } {
  const { reserve0, reserve1, unit0, unit1, stable, feePpm } = state
  if (reserve0 === 0n || reserve1 === 0n) throw new PoolRefusal('EMPTY', `the pair holds ${reserve0} and ${reserve1}`)
  const kept = amountIn - (amountIn * BigInt(feePpm)) / PPM
  const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0]
  let amountOut: bigint
  if (stable) {
    const [unitIn, unitOut] = zeroForOne ? [unit0, unit1] : [unit1, unit0]
    const x = (reserveIn * ONE) / unitIn
    const y = (reserveOut * ONE) / unitOut
    const k = invariant(x, y)
    if (k === 0n) throw new PoolRefusal('EMPTY', 'reserves too small for the curve')
    amountOut = ((y - solve((kept * ONE) / unitIn + x, k, y, (a, b) => pairInvariant(state, a, b))) * unitOut) / ONE
  } else amountOut = (kept * reserveOut) / (reserveIn + kept)
  if (amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  if (amountOut >= reserveOut) throw new PoolRefusal('TOO_LARGE', `${amountIn} would buy the whole reserve`)
  return {
    amountOut,
    // The fee goes out of the pair at once.
    state: zeroForOne
      ? { ...state, reserve0: reserve0 + kept, reserve1: reserve1 - amountOut }
      : { ...state, reserve0: reserve0 - amountOut, reserve1: reserve1 + kept },
  }
}

/** About the largest input of a stable pair: it leaves nothing of the other token, or more than x³y fits into a word. */
export function limitOfStable(state: SolidlyState, zeroForOne: boolean): bigint {
  const { reserve0, reserve1, unit0, unit1, feePpm } = state
  const [reserveIn, reserveOut, unitIn, unitOut] = zeroForOne
    ? [reserve0, reserve1, unit0, unit1]
    : [reserve1, reserve0, unit1, unit0]
  const [x, y] = [(Number(reserveIn) * 1e18) / Number(unitIn), (Number(reserveOut) * 1e18) / Number(unitOut)]
  const most = Math.cbrt((Number(MOST) * 1e36) / y)
  return BigInt(Math.floor(Math.max(1, ((most - x) * Number(unitIn)) / 1e18 / (1 - feePpm / 1e6))))
}

/** Fees, in parts per million, that forks are known to take. */
const FEES_PPM = [
  100, 300, 500, 1000, 1800, 2000, 2500, 3000, 4000, 5000, 10_000, 20_000, 30_000, 12_500, 9000, 8000, 7500, 7000, 6000,
  200, 400, 600, 700, 800, 900, 1200, 1500, 1700, 2200, 2700, 3500, 4500, 0, 50, 10, 40, 1, 15_000, 25_000, 50_000,
]

/** The pair's own quote for a sample of each token. */
export type Sample = { readonly zeroForOne: boolean; readonly amountIn: bigint; readonly amountOut: bigint }

/**
 * The fee with which this model quotes exactly what the pair does. Null where none does: the pair is of another kind and
 * must not be quoted.
 */
export function feeFromSamples(
  state: Omit<SolidlyState, 'feePpm'>,
  samples: readonly Sample[],
  solve: SolveY,
): number | null {
  const agrees = (feePpm: number) =>
    samples.every(({ zeroForOne, amountIn, amountOut }) => {
      const paid = orRefused(() => quoteSolidly({ ...state, feePpm }, zeroForOne, amountIn, solve).amountOut)
      return (paid ?? 0n) === amountOut
    })
  return FEES_PPM.find(agrees) ?? null
}
