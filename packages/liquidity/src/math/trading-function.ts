/**
 * Pools of several tokens as one function over all of them, for the float search. What such a pool may hold lies on a
 * trading function, and the invariants of all families depend on two sums over the balances alone: on Σ x and on Σ weight ·
 * ln x.
 */
export type Invariant = {
  /** True where the rate between two tokens depends on their balances alone. */
  readonly pairwise: boolean
  /** Above these logs no pool of the kind stands, and `level` may not be asked for. */
  readonly mostLogs: number
  /** The same wherever the pool may stand; rises with every balance. */
  level(sum: number, logs: number): number
  /** ∂level / ∂sum */
  linear(sum: number, logs: number): number
  /** ∂level / ∂logs: a token's marginal value is `linear` + `logarithmic` · weight / balance. */
  logarithmic(sum: number, logs: number): number
}

export type TradingFunction = {
  readonly invariant: Invariant
  /** By token, in the pool's common unit. */
  readonly balances: Float64Array
  /** Common units of a base unit, by token. */
  readonly units: Float64Array
  readonly weights: Float64Array
  /** The parts that the fee leaves of an input, and of an output. */
  readonly keepIn: number
  readonly keepOut: number
  /** False where the fee moves with the balances: then it is that of the balances as they stand. */
  readonly fixedFee: boolean
  /** Part of its own balance by which a token may be sold at most. */
  readonly mostSold: number
}

/** A pool of tokens that weigh the same, and that may be sold without limit. */
export function evenTradingFunction(
  invariant: Invariant,
  pool: Omit<TradingFunction, 'invariant' | 'weights' | 'mostSold'>,
): TradingFunction {
  const weights = new Float64Array(pool.balances.length).fill(1)
  return { ...pool, invariant, weights, mostSold: Number.POSITIVE_INFINITY }
}

/** Σ weight · ln x = constant */
export const weightedLevel: Invariant = {
  pairwise: true,
  mostLogs: Number.POSITIVE_INFINITY,
  level: (_, logs) => logs,
  linear: () => 0,
  logarithmic: () => 1,
}

/**
 * A·n^n·(Σx − D) + D = D^(n+1) / (n^n·Πx)
 *
 * @param ann - A·n^n
 * @param d - D, in the common unit
 * @see M. Egorov, "StableSwap: efficient mechanism for stablecoin liquidity" (2019)
 */
export function stableLevel(ann: number, d: number, coins: number): Invariant {
  const balanced = coins * Math.log(d / coins)
  const product = (logs: number) => d * Math.exp(balanced - logs)
  return {
    pairwise: false,
    mostLogs: Number.POSITIVE_INFINITY,
    level: (sum, logs) => ann * (sum - d) + d - product(logs),
    linear: () => ann,
    logarithmic: (_, logs) => product(logs),
  }
}

/**
 * K·(Σx / D − 1) + K0 = 1, where K0 = n^n·Πx / D^n and K = A·n^n·K0·γ² / (γ + 1 − K0)²
 *
 * @param ann - A·n^n
 * @see M. Egorov, "Automatic market-making with dynamic peg" (2021)
 */
export function cryptoLevel(ann: number, gamma: number, d: number, coins: number): Invariant {
  const balanced = coins * Math.log(d / coins)
  const k0 = (logs: number) => Math.exp(logs - balanced)
  const k = (product: number) => (ann * product * gamma * gamma) / (gamma + 1 - product) ** 2
  return {
    pairwise: false,
    // No pool stands above K0 = 1; at 1 + γ lies a pole.
    mostLogs: balanced + Math.log1p(gamma / 2),
    level(sum, logs) {
      const product = k0(logs)
      return k(product) * (sum / d - 1) + product - 1
    },
    linear: (_, logs) => k(k0(logs)) / d,
    logarithmic(sum, logs) {
      const product = k0(logs)
      return k(product) * (1 + (2 * product) / (gamma + 1 - product)) * (sum / d - 1) + product
    },
  }
}

const MAX_STEPS = 60
/** A balance falls to this part of itself in a step at most. */
const LEAST_PART = 1 / 16
const ROUNDING = 1e-15
const SMALL = 1e-9

/**
 * The output of an input to a pool that stands at some balances, which move.
 *
 * @param balances - in the common unit
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
  const { invariant, units, weights, keepIn, keepOut, mostSold } = tradingFunction
  const { sum, logs } = sumsOf(tradingFunction, balances)
  const level = invariant.level(sum, logs)
  const before = balances[j]!
  const weight = weights[j]!
  // What the pool cannot take buys nothing more.
  const grown = balances[i]! + Math.min(amountIn * keepIn * units[i]!, mostSold * balances[i]!)
  const otherSum = sum - before + (grown - balances[i]!)
  const otherLogs = logs - weight * Math.log(before) + weights[i]! * Math.log(grown / balances[i]!)
  const most = Math.min(before, Math.exp((invariant.mostLogs - otherLogs) / weight))
  let [after, moved] = [most, Number.POSITIVE_INFINITY]
  for (let step = 0; step < MAX_STEPS; step++) {
    const [sumAt, logsAt] = [otherSum + after, otherLogs + weight * Math.log(after)]
    const slope = invariant.linear(sumAt, logsAt) + (invariant.logarithmic(sumAt, logsAt) * weight) / after
    const newton = after - (invariant.level(sumAt, logsAt) - level) / slope
    const next = Math.min(most, Math.max(after * LEAST_PART, newton))
    const before = moved
    moved = Math.abs(next - after)
    after = next
    // Steps that no longer shrink are rounding.
    if (moved <= ROUNDING * after || (moved < SMALL * after && moved >= before)) break
  }
  const amountOut = Math.max(0, ((before - after) * keepOut) / units[j]!)
  // What the fee takes stays in the pool.
  balances[i]! += amountIn * units[i]!
  balances[j]! -= amountOut * units[j]!
  return amountOut
}

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

/** The marginal value of a common unit of each token, in units of the level. */
export function marginalValues(tradingFunction: TradingFunction, balances: Float64Array): Float64Array {
  const { invariant, weights } = tradingFunction
  const { sum, logs } = sumsOf(tradingFunction, balances)
  const linear = invariant.linear(sum, logs)
  const logarithmic = invariant.logarithmic(sum, logs)
  return balances.map((balance, k) => linear + (logarithmic * weights[k]!) / balance)
}
