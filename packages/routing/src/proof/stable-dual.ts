/**
 * The most that swaps of a StableSwap pool earn together at prices, by the dual of its optimal trade: for any μ, and any values q between
 * the prices that tokens are bought and sold at, no trade earns more than Σ q·x − D·v(μ, q). docs/certificates.md derives it.
 */
import type { TradingFunction } from '@sluice/liquidity'

const STEPS = 80
/** Logarithms between which t is sought; prices are parts of the largest. */
const LEAST_LOG = -80
const MOST_LOG = 20

/** Prices of a common unit: the least at which the pool takes a token, ∞ where it may not, and the most that one brings, or 0. */
type Ends = { readonly sold: readonly number[]; readonly bought: readonly number[] }

/** In the unit of the prices; at least 0. The rounding of floats is a few units in the last place of what the pool holds. */
export function stableEarnings({ balances, invariant }: TradingFunction, { sold, bought }: Ends): number {
  const n = balances.length
  const sum = balances.reduce((all, balance) => all + balance, 0)
  const logs = balances.reduce((all, balance) => all + Math.log(balance), 0)
  const ann = invariant.linear(sum, logs)
  const d = (ann * sum - invariant.logarithmic(sum, logs)) / (ann - 1)
  const scale = [...sold, ...bought].reduce(
    (most, price) => (price < Number.POSITIVE_INFINITY ? Math.max(most, price) : most),
    0,
  )
  const [high, low] = [sold.map((price) => price / scale), bought.map((price) => price / scale)]
  const x = Array.from(balances, (balance) => balance / d)
  /** q − μ·ann where q is as free as its bounds let it be. */
  const restAt = (mu: number, t: number) =>
    x.map((balance, k) => Math.max(low[k]! - mu * ann, Math.min(high[k]! - mu * ann, t / balance)))
  const bestT = (mu: number) => {
    const isBelow = (log: number) =>
      Math.log(restAt(mu, Math.exp(log)).reduce((all, part) => (all * part) / n, mu)) > (n + 1) * log
    return Math.exp(bisect(LEAST_LOG, MOST_LOG, isBelow))
  }
  const mu = bisect(0, Math.min(...high) / ann, (at) => {
    const t = bestT(at)
    return ann - 1 + t * restAt(at, t).reduce((all, part) => all - ann / part, 1 / at) > 0
  })
  const rest = restAt(mu, bestT(mu))
  const root = rest.reduce((all, part) => (all * part) / n, mu) ** (1 / (n + 1))
  const value = mu * (ann - 1) + (n + 1) * root
  const earned = rest.reduce((all, part, k) => all + (part + mu * ann) * x[k]!, -value)
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
