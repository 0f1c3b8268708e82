/**
 * Maximum total earnings of swaps in a StableSwap pool at given prices, by the dual of its optimal trade. Let D be the
 * invariant, n the number of tokens, ann = A·n, and x the balances as multiples of D. Take any number μ > 0, and for
 * each token any value q between its price out and its price in. Let root = (μ·Π (q − μ·ann) / nⁿ)^(1 / (n + 1)), and v
 * = μ·(ann − 1) + (n + 1)·root. Then no trade earns more than D·(Σ q·x − v). `stableEarnings` searches the μ and q with
 * the lowest bound. Derivation: packages/certificate/README.md.
 */
import type { TradingFunction } from '@sluice/liquidity'

/** Number of bisection steps of each search. */
const STEPS = 80
/** Range of ln t in the search, where t is a trial value of `root`, and all prices are divided by the largest one. */
const MIN_LOG = -80
const MAX_LOG = 20

/**
 * Prices of one common unit of each token. `pricesIn` is the cost of a unit that is sold to the pool; ∞ if the token
 * must not be sold. `pricesOut` is the value of a unit that is bought from the pool; 0 if the token must not be bought.
 */
type CommonPrices = { readonly pricesIn: readonly number[]; readonly pricesOut: readonly number[] }

/**
 * Returns an upper bound on the earnings, in the unit of the prices; at least 0. The float error is a few units in the
 * last place of the value of the pool's balances.
 */
export function stableEarnings(
  { balances, invariant }: TradingFunction,
  { pricesIn, pricesOut }: CommonPrices,
): number {
  const n = balances.length
  const sum = balances.reduce((total, balance) => total + balance, 0)
  const logSum = balances.reduce((total, balance) => total + Math.log(balance), 0)
  // In the equation ann·Σx = (ann − 1)·D + D^(n+1) / (nⁿ·Πx), the two derivatives are ann and the last term.
  const ann = invariant.derivativeBySum(sum, logSum)
  const d = (ann * sum - invariant.derivativeByLogSum(sum, logSum)) / (ann - 1)
  const scale = [...pricesIn, ...pricesOut].reduce(
    (max, price) => (price < Number.POSITIVE_INFINITY ? Math.max(max, price) : max),
    0,
  )
  const [maxQ, minQ] = [pricesIn.map((price) => price / scale), pricesOut.map((price) => price / scale)]
  const x = Array.from(balances, (balance) => balance / d)
  /** Net prices q − μ·ann, for the best q between `minQ` and `maxQ` if `root` is t. */
  const netPricesAt = (mu: number, t: number) =>
    x.map((balance, k) => Math.max(minQ[k]! - mu * ann, Math.min(maxQ[k]! - mu * ann, t / balance)))
  const bestT = (mu: number) => {
    const isBelow = (logT: number) =>
      Math.log(netPricesAt(mu, Math.exp(logT)).reduce((total, netPrice) => (total * netPrice) / n, mu)) > (n + 1) * logT
    return Math.exp(bisect(MIN_LOG, MAX_LOG, isBelow))
  }
  const mu = bisect(0, Math.min(...maxQ) / ann, (trialMu) => {
    const t = bestT(trialMu)
    return ann - 1 + t * netPricesAt(trialMu, t).reduce((total, netPrice) => total - ann / netPrice, 1 / trialMu) > 0
  })
  const netPrices = netPricesAt(mu, bestT(mu))
  const root = netPrices.reduce((total, netPrice) => (total * netPrice) / n, mu) ** (1 / (n + 1))
  const v = mu * (ann - 1) + (n + 1) * root
  const earnedPerD = netPrices.reduce((total, netPrice, k) => total + (netPrice + mu * ann) * x[k]!, -v)
  return Math.max(0, earnedPerD * d * scale)
}

/** Returns the number between two limits up to which `isBelow` is true. */
function bisect(low: number, high: number, isBelow: (value: number) => boolean): number {
  let [from, size] = [low, high - low]
  for (let step = 0; step < STEPS; step++) {
    size /= 2
    if (isBelow(from + size)) from += size
  }
  return from
}
