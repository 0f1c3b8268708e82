/**
 * Multi-token pools as one function of all balances, for the float search: a swap keeps `level` constant. The level of
 * every family depends on two sums over the balances: `sum` = Σ x and `logs` = Σ weight · ln x.
 */
export type Invariant = {
  /** True if the rate between two tokens depends only on their two balances. */
  readonly isPairwise: boolean
  /** Upper bound of `logs` for every pool of this kind; `level` is undefined above it. */
  readonly maxLogSum: number
  /** Constant along the trading function; increases with every balance. */
  level(sum: number, logs: number): number
  /** ∂level / ∂sum. */
  derivativeBySum(sum: number, logs: number): number
  /** ∂level / ∂logs. The marginal value of a token is `linear` + `logarithmic` · weight / balance. */
  derivativeByLogSum(sum: number, logs: number): number
}

/** A multi-token pool in the form that the float search uses. */
export type TradingFunction = {
  readonly invariant: Invariant
  /** Balances by token, in the pool's common unit. */
  readonly balances: Float64Array
  /** Common units per base unit, by token. */
  readonly units: Float64Array
  readonly weights: Float64Array
  /** Fractions of the input, and of the output, that remain after the fee. */
  readonly keepIn: number
  readonly keepOut: number
  /** False if the fee depends on the balances; then `keepIn` and `keepOut` hold at the current balances. */
  readonly hasFixedFee: boolean
  /** Maximum input of a token, as a fraction of its balance. */
  readonly maxInputShare: number
}

/** Returns the function of a pool with equal weights and unlimited inputs. */
export function evenTradingFunction(
  invariant: Invariant,
  pool: Omit<TradingFunction, 'invariant' | 'weights' | 'maxInputShare'>,
): TradingFunction {
  const weights = new Float64Array(pool.balances.length).fill(1)
  return { ...pool, invariant, weights, maxInputShare: Number.POSITIVE_INFINITY }
}

/** Level of a weighted pool: Σ weight · ln x. */
export const weightedLevel: Invariant = {
  isPairwise: true,
  maxLogSum: Number.POSITIVE_INFINITY,
  level: (_, logs) => logs,
  derivativeBySum: () => 0,
  derivativeByLogSum: () => 1,
}

/**
 * Returns the level of a StableSwap pool: A·n^n·(Σx − D) + D = D^(n+1) / (n^n·Πx).
 *
 * @param ann - A·n^n
 * @param d - D, in the common unit
 * @see M. Egorov, "StableSwap: efficient mechanism for stablecoin liquidity" (2019)
 */
export function stableLevel(ann: number, d: number, coins: number): Invariant {
  const balancedLog = coins * Math.log(d / coins)
  const product = (logs: number) => d * Math.exp(balancedLog - logs)
  return {
    isPairwise: false,
    maxLogSum: Number.POSITIVE_INFINITY,
    level: (sum, logs) => ann * (sum - d) + d - product(logs),
    derivativeBySum: () => ann,
    derivativeByLogSum: (_, logs) => product(logs),
  }
}

/**
 * Returns the level of a CryptoSwap pool, which satisfies K·(Σx / D − 1) + K0 = 1. Here K0 = n^n·Πx / D^n and K =
 * A·n^n·K0·γ² / (γ + 1 − K0)².
 *
 * @param ann - A·n^n
 * @see M. Egorov, "Automatic market-making with dynamic peg" (2021)
 */
export function cryptoLevel(ann: number, gamma: number, d: number, coins: number): Invariant {
  const balancedLog = coins * Math.log(d / coins)
  const k0 = (logs: number) => Math.exp(logs - balancedLog)
  const k = (product: number) => (ann * product * gamma * gamma) / (gamma + 1 - product) ** 2
  return {
    isPairwise: false,
    // Every pool has K0 ≤ 1; the function has a pole at 1 + γ.
    maxLogSum: balancedLog + Math.log1p(gamma / 2),
    level(sum, logs) {
      const product = k0(logs)
      return k(product) * (sum / d - 1) + product - 1
    },
    derivativeBySum: (_, logs) => k(k0(logs)) / d,
    derivativeByLogSum(sum, logs) {
      const product = k0(logs)
      return k(product) * (1 + (2 * product) / (gamma + 1 - product)) * (sum / d - 1) + product
    },
  }
}

const MAX_NEWTON_STEPS = 60
/** Minimum ratio of a balance after a Newton step. */
const MIN_STEP_RATIO = 1 / 16
const ROUNDING = 1e-15
const SMALL_STEP = 1e-9

/**
 * Swaps in place and returns the output.
 *
 * @param balances - in the common unit; updated
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
  const { sum, logs } = sumsOf(tradingFunction, balances)
  const level = invariant.level(sum, logs)
  const oldBalanceOut = balances[j]!
  const weight = weights[j]!
  // Input above `maxInputShare` of the balance buys nothing.
  const newBalanceIn = balances[i]! + Math.min(amountIn * keepIn * units[i]!, maxInputShare * balances[i]!)
  const otherSum = sum - oldBalanceOut + (newBalanceIn - balances[i]!)
  const otherLogs = logs - weight * Math.log(oldBalanceOut) + weights[i]! * Math.log(newBalanceIn / balances[i]!)
  const maxBalanceOut = Math.min(oldBalanceOut, Math.exp((invariant.maxLogSum - otherLogs) / weight))
  let [balanceOut, stepSize] = [maxBalanceOut, Number.POSITIVE_INFINITY]
  for (let step = 0; step < MAX_NEWTON_STEPS; step++) {
    const [sumAt, logsAt] = [otherSum + balanceOut, otherLogs + weight * Math.log(balanceOut)]
    const slope =
      invariant.derivativeBySum(sumAt, logsAt) + (invariant.derivativeByLogSum(sumAt, logsAt) * weight) / balanceOut
    const newton = balanceOut - (invariant.level(sumAt, logsAt) - level) / slope
    const nextBalance = Math.min(maxBalanceOut, Math.max(balanceOut * MIN_STEP_RATIO, newton))
    const previousStepSize = stepSize
    stepSize = Math.abs(nextBalance - balanceOut)
    balanceOut = nextBalance
    // Small steps that no longer shrink are rounding noise.
    if (stepSize <= ROUNDING * balanceOut || (stepSize < SMALL_STEP * balanceOut && stepSize >= previousStepSize)) break
  }
  const amountOut = Math.max(0, ((oldBalanceOut - balanceOut) * keepOut) / units[j]!)
  // The fee stays in the pool.
  balances[i]! += amountIn * units[i]!
  balances[j]! -= amountOut * units[j]!
  return amountOut
}

/** Returns Σ x and Σ weight · ln x. */
export function sumsOf(
  { weights }: Pick<TradingFunction, 'weights'>,
  balances: Float64Array,
): { readonly sum: number; readonly logs: number } {
  let sum = 0
  let logs = 0
  for (let k = 0; k < balances.length; k++) {
    sum += balances[k]!
    logs += weights[k]! * Math.log(balances[k]!)
  }
  return { sum, logs }
}

/** Returns the marginal value of one common unit of each token, in units of the level. */
export function marginalValues(tradingFunction: TradingFunction, balances: Float64Array): Float64Array {
  const { invariant, weights } = tradingFunction
  const { sum, logs } = sumsOf(tradingFunction, balances)
  const linear = invariant.derivativeBySum(sum, logs)
  const logarithmic = invariant.derivativeByLogSum(sum, logs)
  return balances.map((balance, k) => linear + (logarithmic * weights[k]!) / balance)
}
