/**
 * Maximum total earnings of swaps in a StableSwap pool at given prices, by the dual of its optimal trade: for any μ,
 * and any values q between the bid and ask prices of the tokens, no trade earns more than Σ q·x − D·v(μ, q).
 * Derivation: docs/certificates.md.
 */
import type { TradingFunction } from '@sluice/liquidity'

/** Bisection steps. */
const STEPS = 80
/** Range of ln t in the search; prices are fractions of the largest. */
const MIN_LOG = -80
const MAX_LOG = 20

/**
 * Prices of a common unit: the lowest at which the pool takes a token (∞ if it must not be sold), and the highest that
 * it brings (0 if it must not be bought).
 */
type EndPrices = { readonly sold: readonly number[]; readonly bought: readonly number[] }

/**
 * Bounds the earnings, in the unit of the prices; at least 0. The float error is a few units in the last place of the
 * pool's balances.
 */
export function stableEarnings({ balances, invariant }: TradingFunction, { sold, bought }: EndPrices): number {
  const n = balances.length
  const sum = balances.reduce((total, balance) => total + balance, 0)
  const logs = balances.reduce((total, balance) => total + Math.log(balance), 0)
  const ann = invariant.derivativeBySum(sum, logs)
  const d = (ann * sum - invariant.derivativeByLogSum(sum, logs)) / (ann - 1)
  const scale = [...sold, ...bought].reduce(
    (max, price) => (price < Number.POSITIVE_INFINITY ? Math.max(max, price) : max),
    0,
  )
  const [high, low] = [sold.map((price) => price / scale), bought.map((price) => price / scale)]
  const x = Array.from(balances, (balance) => balance / d)
  /** q − μ·ann for the best q within its bounds. */
  const restAt = (mu: number, t: number) =>
    x.map((balance, k) => Math.max(low[k]! - mu * ann, Math.min(high[k]! - mu * ann, t / balance)))
  const bestT = (mu: number) => {
    const isBelow = (log: number) =>
      Math.log(restAt(mu, Math.exp(log)).reduce((total, netPrice) => (total * netPrice) / n, mu)) > (n + 1) * log
    return Math.exp(bisect(MIN_LOG, MAX_LOG, isBelow))
  }
  const mu = bisect(0, Math.min(...high) / ann, (trialMu) => {
    const t = bestT(trialMu)
    return ann - 1 + t * restAt(trialMu, t).reduce((total, netPrice) => total - ann / netPrice, 1 / trialMu) > 0
  })
  const netPrices = restAt(mu, bestT(mu))
  const root = netPrices.reduce((total, netPrice) => (total * netPrice) / n, mu) ** (1 / (n + 1))
  const value = mu * (ann - 1) + (n + 1) * root
  const earned = netPrices.reduce((total, netPrice, k) => total + (netPrice + mu * ann) * x[k]!, -value)
  return Math.max(0, earned * d * scale)
}

function bisect(low: number, high: number, isBelow: (value: number) => boolean): number {
  let [from, size] = [low, high - low]
  for (let step = 0; step < STEPS; step++) {
    size /= 2
    if (isBelow(from + size)) from += size
  }
  return from
}
