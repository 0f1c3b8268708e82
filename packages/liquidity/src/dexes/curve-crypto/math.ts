/**
 * Exact math of Curve CryptoSwap pools. `i` and `j` are the indices of the input and the output coin. `xp` are balances
 * at the price scale: in units of the first coin, 18 decimals. `d` is their invariant.
 */
import { nullIfRefused, PoolRefusal } from '../../family.ts'
import { min } from '../../math/integers.ts'
import { cryptoSwapInvariant, equalWeightTradingFunction, type TradingFunction } from '../../math/trading-function.ts'
import { solveThree, solveTwo } from './cubic.ts'
import {
  type BalanceRange,
  checkBalance,
  checkInvariant,
  geometricMean,
  newtonBalance,
  newtonInvariant,
  ONE,
} from './newton.ts'
import type { CurveCryptoState } from './types.ts'

const FEE_UNIT = 10n ** 10n
/** Fixed-point one of A. */
const A_PRECISION = 10_000

/** Widest range of balances that pools allow: from a hundredth of the invariant to a hundred times the invariant. */
const FULL_RANGE: BalanceRange = { from: 10n ** 16n, to: 10n ** 20n }
/** Gamma above which the allowed range of balances narrows, in pools whose range depends on gamma. */
const NARROWING_GAMMA = 2n * 10n ** 16n

/**
 * Quotes an exact input with the rounding and the checks of `exchange`.
 *
 * @throws PoolRefusal `EMPTY`; `TOO_SMALL` for no output, or if the swap would lower the value of a share; `TOO_LARGE`
 * if balances would leave the pool's range; `UNSUPPORTED` after a swap that may have moved the price scale
 * @see CurveCryptoSwap and CurveCryptoSwap2, curvefi/curve-crypto-contract; CurveTwocryptoOptimized,
 * CurveTricryptoOptimized
 */
export function quote(
  state: CurveCryptoState,
  i: number,
  j: number,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: CurveCryptoState } {
  if (!state.settled) throw new PoolRefusal('UNSUPPORTED', 'the pool may have moved its price scale')
  const { amountOut, k0 } = computeOutput(state, i, j, amountIn)
  const { balances } = state
  const balancesAfter = balances.with(i, balances[i]! + amountIn).with(j, balances[j]! - amountOut)
  return { amountOut, state: stateAfterSwap({ ...state, balances: balancesAfter }, k0) }
}

/**
 * Quotes like the contract's `get_dy`, without the checks of the state after the swap.
 *
 * @returns the output, and `k0` of the closed-form solution (0 for none), which `newtonInvariant` needs after the swap
 * @throws PoolRefusal as `quote`
 */
export function computeOutput(
  state: CurveCryptoState,
  i: number,
  j: number,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly k0: bigint } {
  const noOutputRefusal = () => new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  if (amountIn <= 0n) throw noOutputRefusal()
  const { balances } = state
  const d = invariantBeforeSwap(state)
  const xp = balancesAtPriceScale(state, balances.with(i, balances[i]! + amountIn))
  const { y, k0 } = solveBalance(state, xp, d, j)
  const grossOutput = toBaseUnits(state, j, xp[j]! - y - 1n)
  if (grossOutput <= 0n) throw noOutputRefusal()
  const amountOut = grossOutput - (feeOf(state, xp.with(j, y)) * grossOutput) / FEE_UNIT
  if (amountOut <= 0n) throw noOutputRefusal()
  return { amountOut, k0 }
}

/** Returns the invariant before a swap. During a ramp, it is computed from the current parameters. */
const invariantBeforeSwap = (state: CurveCryptoState): bigint =>
  state.ramping ? invariant(state, balancesAtPriceScale(state, state.balances), 0n) : state.invariant

/** Converts balances in base units to balances at the price scale. */
export function balancesAtPriceScale(
  { precisions, priceScale }: CurveCryptoState,
  balances: readonly bigint[],
): bigint[] {
  return balances.map((balance, k) =>
    k === 0 ? balance * precisions[0]! : (balance * priceScale[k - 1]! * precisions[k]!) / ONE,
  )
}

const toBaseUnits = ({ precisions, priceScale }: CurveCryptoState, j: number, amount: bigint) =>
  (j === 0 ? amount : (amount * ONE) / priceScale[j - 1]!) / precisions[j]!

/** Returns the fee in units of 10^−10 of the output. The fee grows as the balances move apart. */
export function feeOf({ midFeeE10, outFeeE10, feeGamma }: CurveCryptoState, xp: readonly bigint[]): bigint {
  const sum = xp.reduce((total, x) => total + x, 0n)
  let k = xp.length === 2 ? 4n * ONE : ONE
  for (const x of xp) k = xp.length === 2 ? (k * x) / sum : (k * 3n * x) / sum
  if (xp.length === 2 || feeGamma > 0n) k = (feeGamma * ONE) / (feeGamma + ONE - k)
  return (midFeeE10 * k + outFeeE10 * (ONE - k)) / ONE
}

/** True for NG (next generation) pools. */
const isNg = ({ kind }: CurveCryptoState) => kind === 'two-ng' || kind === 'tri-ng'

/** Returns the allowed range of the known balances when the contract solves for another balance. */
function knownBalanceRange({ rangeByGamma, gamma }: CurveCryptoState): BalanceRange {
  if (!rangeByGamma) return FULL_RANGE
  const fullLimit = 100n * ONE
  const limit = gamma > NARROWING_GAMMA ? (fullLimit * NARROWING_GAMMA) / gamma : fullLimit
  return { from: ONE ** 2n / 2n / limit, to: limit / 2n }
}

/** Returns the allowed range of the solved balance. In NG pools, the full range starts one unit lower for it. */
function solvedBalanceRange(state: CurveCryptoState): BalanceRange {
  const range = knownBalanceRange(state)
  return isNg(state) && !state.rangeByGamma ? { ...range, from: range.from - 1n } : range
}

/** Returns the balance of coin `j` that keeps the invariant, and `k0` of the closed-form solution (0 for none). */
export function solveBalance(
  state: CurveCryptoState,
  xp: readonly bigint[],
  d: bigint,
  j: number,
): { readonly y: bigint; readonly k0: bigint } {
  const { a, gamma } = state
  checkInvariant(d)
  const otherBalances = xp.toSpliced(j, 1)
  for (const x of otherBalances) checkBalance(x, d, knownBalanceRange(state))
  const closedForm = solveInClosedForm(state, otherBalances, d)
  if (closedForm && closedForm.k0 < 0n) throw new PoolRefusal('TOO_LARGE', 'the pool would find no balance')
  const solution = closedForm ?? { y: newtonBalance(a, gamma, xp, d, j), k0: 0n }
  // Two-coin NG pools do not check a solution of Newton's method.
  if (closedForm || state.kind !== 'two-ng') checkBalance(solution.y, d, solvedBalanceRange(state))
  return solution
}

/** Solves for a balance in closed form. Returns null if the pool's contract uses Newton's method. */
function solveInClosedForm({ kind, a, gamma }: CurveCryptoState, otherBalances: readonly bigint[], d: bigint) {
  if (kind === 'two-ng') return solveTwo(a, gamma, otherBalances[0]!, d)
  return kind === 'tri-ng' ? solveThree(a, gamma, otherBalances[0]!, otherBalances[1]!, d) : null
}

/**
 * Returns the approximate largest input in base units. It brings the balance of coin `j` to the minimum of its range,
 * or the balance of coin `i` to the maximum of its range.
 */
export function approximateMaxInput(state: CurveCryptoState, i: number, j: number): bigint {
  const { a, gamma, balances } = state
  const xp = balancesAtPriceScale(state, balances)
  const solution = nullIfRefused(() => {
    const d = invariantBeforeSwap(state)
    const minJ = (d * solvedBalanceRange(state).from) / ONE
    const maxI = (d * knownBalanceRange(state).to) / ONE
    const balanceI = newtonBalance(a, gamma, xp.with(j, minJ), d, i)
    return toBaseUnits(state, i, min(balanceI, maxI) - xp[i]!)
  })
  return solution ?? balances[i]!
}

/** Returns the invariant of balances. @param k0 - of the closed-form solution; 0 for none */
function invariant(state: CurveCryptoState, xp: readonly bigint[], k0: bigint): bigint {
  const d = newtonInvariant(state.kind, state.a, state.gamma, xp, k0)
  const range = state.rangeByGamma ? { from: 5n * 10n ** 15n, to: 5n * 10n ** 19n } : solvedBalanceRange(state)
  for (const x of xp) checkBalance(x, d, range)
  return d
}

/** Returns the state after a swap, with a new invariant. @throws PoolRefusal if the value of a share would fall */
function stateAfterSwap(state: CurveCryptoState, k0: bigint): CurveCryptoState {
  const { kind, priceScale, totalSupply, profit, allowedExtraProfit, ramping } = state
  const n = BigInt(state.balances.length)
  const d = invariant(state, balancesAtPriceScale(state, state.balances), k0)
  const balancedAmounts = [d / n, ...priceScale.map((price) => (d * ONE) / (n * price))]
  const virtualPrice = (ONE * geometricMean(kind, balancedAmounts)) / totalSupply
  const losesValue = isNg(state) ? virtualPrice <= state.virtualPrice : virtualPrice < state.virtualPrice
  if (losesValue && !ramping) throw new PoolRefusal('TOO_SMALL', 'the swap would lower the value of a share')
  const earnedProfit = (profit * virtualPrice) / state.virtualPrice
  // A settled state has a known price scale. In pools of the first generation, no getter returns the data that decides
  // whether the price scale moves. So their state is never settled after a swap.
  const isSettled = isNg(state) && !ramping && virtualPrice * 2n - ONE <= earnedProfit + 2n * allowedExtraProfit
  return { ...state, invariant: d, virtualPrice, profit: earnedProfit, settled: isSettled }
}

/** Returns the pool as one function of its balances; null if a balance is empty or the price scale may have moved. */
export function tradingFunction(state: CurveCryptoState): TradingFunction | null {
  const { balances, precisions, priceScale, a, gamma, midFeeE10, outFeeE10 } = state
  if (balances.includes(0n) || !state.settled) return null
  const xp = balancesAtPriceScale(state, balances)
  const coins = balances.length
  return equalWeightTradingFunction(
    cryptoSwapInvariant(Number(a) / A_PRECISION, Number(gamma) / 1e18, Number(invariantBeforeSwap(state)), coins),
    {
      balances: Float64Array.from(xp, Number),
      units: Float64Array.from(precisions, (precision, k) =>
        k === 0 ? Number(precision) : (Number(precision) * Number(priceScale[k - 1]!)) / 1e18,
      ),
      keepIn: 1,
      keepOut: 1 - Number(feeOf(state, xp)) / Number(FEE_UNIT),
      hasFixedFee: midFeeE10 === outFeeE10,
    },
  )
}
