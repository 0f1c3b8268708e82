/**
 * Represents a multi-token pool as one function of all its balances, for the route search (`packages/routing`). All
 * numbers are floats. Balances of different tokens are scaled to one common unit of the pool.
 */

/**
 * Function of a pool's balances whose value, the level, stays constant in a swap without a fee. The level depends only
 * on two sums over the balances x: `sum` = Σ x and `logSum` = Σ weight · ln x.
 */
export type Invariant = {
  /** True if the rate between two tokens depends only on their two balances. */
  readonly isPairwise: boolean
  /** Upper bound of `logSum`. Real balances of such a pool stay below it, and `level` is defined up to it. */
  readonly maxLogSum: number
  /** Returns the level, which increases with every balance. */
  level(sum: number, logSum: number): number
  /** Returns ∂level / ∂sum. */
  derivativeBySum(sum: number, logSum: number): number
  /**
   * Returns ∂level / ∂logSum. By the chain rule, ∂level / ∂balance of a token is `derivativeBySum` +
   * `derivativeByLogSum` · weight / balance.
   */
  derivativeByLogSum(sum: number, logSum: number): number
}

/** A multi-token pool in the form that the route search uses. */
export type TradingFunction = {
  readonly invariant: Invariant
  /** Balances by token, in the pool's common unit. */
  readonly balances: Float64Array
  /** Common units per base unit, by token. */
  readonly units: Float64Array
  /** Weights by token, as in `Invariant`. */
  readonly weights: Float64Array
  /** Fraction of the input that remains after the fee. */
  readonly keepIn: number
  /** Fraction of the output that remains after the fee. */
  readonly keepOut: number
  /** False if the fee depends on the balances. `keepIn` and `keepOut` then contain the fee at the current balances. */
  readonly hasFixedFee: boolean
  /** Maximum input of a token, as a fraction of its balance. */
  readonly maxInputShare: number
}

/** Returns the trading function of a pool with equal weights and unlimited inputs. */
export function equalWeightTradingFunction(
  invariant: Invariant,
  pool: Omit<TradingFunction, 'invariant' | 'weights' | 'maxInputShare'>,
): TradingFunction {
  const weights = new Float64Array(pool.balances.length).fill(1)
  return { ...pool, invariant, weights, maxInputShare: Number.POSITIVE_INFINITY }
}

/** Invariant of weighted pools. The level is Σ weight · ln x. */
export const weightedInvariant: Invariant = {
  isPairwise: true,
  maxLogSum: Number.POSITIVE_INFINITY,
  level: (_, logSum) => logSum,
  derivativeBySum: () => 0,
  derivativeByLogSum: () => 1,
}

/**
 * Returns the invariant of a StableSwap pool with n coins, balances x, and amplification A. The level is 0 at the
 * current balances: A·n^n·(Σx − D) + D − D^(n+1) / (n^n·Πx).
 *
 * @param ann - A·n^n
 * @param d - D, the total balance at equal prices, in the common unit
 * @param coins - n
 * @see M. Egorov, "StableSwap: efficient mechanism for stablecoin liquidity" (2019)
 */
export function stableSwapInvariant(ann: number, d: number, coins: number): Invariant {
  // `logSum` of a pool with equal balances.
  const balancedLog = coins * Math.log(d / coins)
  const lastTermOf = (logSum: number) => d * Math.exp(balancedLog - logSum)
  return {
    isPairwise: false,
    maxLogSum: Number.POSITIVE_INFINITY,
    level: (sum, logSum) => ann * (sum - d) + d - lastTermOf(logSum),
    derivativeBySum: () => ann,
    derivativeByLogSum: (_, logSum) => lastTermOf(logSum),
  }
}

/**
 * Returns the invariant of a CryptoSwap pool with n coins, scaled balances x, and amplification A. The level is 0 at
 * the current balances: K·(Σx / D − 1) + K0 − 1, where K0 = n^n·Πx / D^n and K = A·n^n·K0·γ² / (γ + 1 − K0)².
 *
 * @param ann - A·n^n
 * @param gamma - γ
 * @param d - D, the total balance at equal prices, in the common unit
 * @param coins - n
 * @see M. Egorov, "Automatic market-making with dynamic peg" (2021)
 */
export function cryptoSwapInvariant(ann: number, gamma: number, d: number, coins: number): Invariant {
  const balancedLog = coins * Math.log(d / coins)
  const k0Of = (logSum: number) => Math.exp(logSum - balancedLog)
  const kOf = (k0: number) => (ann * k0 * gamma * gamma) / (gamma + 1 - k0) ** 2
  return {
    isPairwise: false,
    // Every pool has K0 ≤ 1, and K has a pole at K0 = 1 + γ. This bound is in between: K0 = 1 + γ / 2.
    maxLogSum: balancedLog + Math.log1p(gamma / 2),
    level(sum, logSum) {
      const k0 = k0Of(logSum)
      return kOf(k0) * (sum / d - 1) + k0 - 1
    },
    derivativeBySum: (_, logSum) => kOf(k0Of(logSum)) / d,
    derivativeByLogSum(sum, logSum) {
      const k0 = k0Of(logSum)
      return kOf(k0) * (1 + (2 * k0) / (gamma + 1 - k0)) * (sum / d - 1) + k0
    },
  }
}

const MAX_NEWTON_STEPS = 60
/** Minimum output balance after a Newton step, as a fraction of the balance before the step. Keeps it positive. */
const MIN_STEP_RATIO = 1 / 16
/** Newton step, as a fraction of the output balance, up to which the iteration has converged. */
const ROUNDING_STEP = 1e-15
/** Newton step, as a fraction of the output balance, below which the iteration ends when the steps stop shrinking. */
const SMALL_STEP = 1e-9

/**
 * Swaps in floats: solves for the output balance by Newton's method, updates `balances`, and returns the output.
 *
 * @param balances - current balances in the common unit; changed by the swap
 * @param i - index of the input token
 * @param j - index of the output token
 * @param amountIn - base units
 * @returns base units
 */
export function swapOn(
  tradingFunction: TradingFunction,
  balances: Float64Array,
  i: number,
  j: number,
  amountIn: number,
): number {
  const { invariant, units, weights, keepIn, keepOut, maxInputShare } = tradingFunction
  const { sum, logSum } = sumsOf(tradingFunction, balances)
  const level = invariant.level(sum, logSum)
  const oldBalanceOut = balances[j]!
  const weight = weights[j]!
  // The part of the input above `maxInputShare` of the balance buys nothing.
  const newBalanceIn = balances[i]! + Math.min(amountIn * keepIn * units[i]!, maxInputShare * balances[i]!)
  const otherSum = sum - oldBalanceOut + (newBalanceIn - balances[i]!)
  const otherLogSum = logSum - weight * Math.log(oldBalanceOut) + weights[i]! * Math.log(newBalanceIn / balances[i]!)
  const maxBalanceOut = Math.min(oldBalanceOut, Math.exp((invariant.maxLogSum - otherLogSum) / weight))
  let [balanceOut, stepSize] = [maxBalanceOut, Number.POSITIVE_INFINITY]
  for (let step = 0; step < MAX_NEWTON_STEPS; step++) {
    const [trialSum, trialLogSum] = [otherSum + balanceOut, otherLogSum + weight * Math.log(balanceOut)]
    const slope =
      invariant.derivativeBySum(trialSum, trialLogSum) +
      (invariant.derivativeByLogSum(trialSum, trialLogSum) * weight) / balanceOut
    const newtonBalance = balanceOut - (invariant.level(trialSum, trialLogSum) - level) / slope
    const nextBalance = Math.min(maxBalanceOut, Math.max(balanceOut * MIN_STEP_RATIO, newtonBalance))
    const previousStepSize = stepSize
    stepSize = Math.abs(nextBalance - balanceOut)
    balanceOut = nextBalance
    // Small steps that no longer shrink are rounding noise.
    if (stepSize <= ROUNDING_STEP * balanceOut || (stepSize < SMALL_STEP * balanceOut && stepSize >= previousStepSize))
      break
  }
  const amountOut = Math.max(0, ((oldBalanceOut - balanceOut) * keepOut) / units[j]!)
  // Add the whole input: its fee stays in the pool.
  balances[i]! += amountIn * units[i]!
  balances[j]! -= amountOut * units[j]!
  return amountOut
}

/** Returns Σ x and Σ weight · ln x. */
export function sumsOf(
  { weights }: Pick<TradingFunction, 'weights'>,
  balances: Float64Array,
): { readonly sum: number; readonly logSum: number } {
  let sum = 0
  let logSum = 0
  for (let k = 0; k < balances.length; k++) {
    sum += balances[k]!
    logSum += weights[k]! * Math.log(balances[k]!)
  }
  return { sum, logSum }
}

/** Returns ∂level / ∂balance of each token: the marginal value of one common unit. */
export function marginalValues(tradingFunction: TradingFunction, balances: Float64Array): Float64Array {
  const { invariant, weights } = tradingFunction
  const { sum, logSum } = sumsOf(tradingFunction, balances)
  const bySum = invariant.derivativeBySum(sum, logSum)
  const byLogSum = invariant.derivativeByLogSum(sum, logSum)
  return balances.map((balance, k) => bySum + (byLogSum * weights[k]!) / balance)
}
