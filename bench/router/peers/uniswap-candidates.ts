/**
 * Selects the pools that AlphaRouter would consider, by its rules for Ethereum. The scenario's liquidity replaces the
 * package's subgraph. Limits have the package's names.
 */
import type { Scenario, ScenarioPool } from '../scenario.ts'

type Limits = {
  readonly topN: number
  readonly topNDirectSwaps: number
  readonly topNTokenInOut: number
  readonly topNSecondHop: number
  readonly topNWithEachBaseToken: number
  readonly topNWithBaseToken: number
}
/** DEFAULT_ROUTING_CONFIG_BY_CHAIN of smart-order-router 4.31.10. */
const V3: Limits = {
  topN: 2,
  topNDirectSwaps: 2,
  topNTokenInOut: 3,
  topNSecondHop: 1,
  topNWithEachBaseToken: 3,
  topNWithBaseToken: 5,
}
const V2: Limits = {
  topN: 3,
  topNDirectSwaps: 1,
  topNTokenInOut: 5,
  topNSecondHop: 2,
  topNWithEachBaseToken: 2,
  topNWithBaseToken: 6,
}

export type Candidates = (tokenIn: number, tokenOut: number) => readonly ScenarioPool[]

/**
 * Returns the candidates. Stable pools, which the package does not support, are offered like V2 pools, which favors it.
 */
export function candidatesOf({ pools, tokens, nativeToken }: Scenario): Candidates {
  const byDepth = pools.toSorted((a, b) => b.tvlUsd - a.tvlUsd)
  const ofToken = new Map<number, ScenarioPool[]>(tokens.map(({ id }) => [id, []]))
  for (const pool of byDepth) for (const token of [pool.token0, pool.token1]) ofToken.get(token)!.push(pool)
  const bases = tokens.filter(({ hub }) => hub).map(({ id }) => id)

  const choose = (tokenIn: number, tokenOut: number, limits: Limits, kind: (pool: ScenarioPool) => boolean) => {
    const chosenPools = new Set<ScenarioPool>()
    const take = (
      from: readonly ScenarioPool[],
      max: number,
      isRequested: (pool: ScenarioPool) => boolean = () => true,
    ) => {
      let count = 0
      for (const pool of from) {
        if (count >= max) break
        if (chosenPools.has(pool) || !kind(pool) || !isRequested(pool)) continue
        chosenPools.add(pool)
        count++
      }
      return count
    }
    const trades = (token: number) => (pool: ScenarioPool) => pool.token0 === token || pool.token1 === token
    for (const end of [tokenIn, tokenOut]) {
      let remaining = limits.topNWithBaseToken
      for (const base of bases)
        if (base !== end)
          remaining -= take(ofToken.get(end)!, Math.min(remaining, limits.topNWithEachBaseToken), trades(base))
    }
    take(ofToken.get(tokenIn)!, limits.topNDirectSwaps, trades(tokenOut))
    for (const end of [tokenIn, tokenOut]) take(ofToken.get(end)!, 1, trades(nativeToken))
    take(byDepth, limits.topN)
    for (const end of [tokenIn, tokenOut]) take(ofToken.get(end)!, limits.topNTokenInOut)
    for (const end of [tokenIn, tokenOut])
      for (const pool of [...chosenPools].filter(trades(end)))
        take(ofToken.get(pool.token0 === end ? pool.token1 : pool.token0)!, limits.topNSecondHop)
    return chosenPools
  }
  return (tokenIn, tokenOut) => [
    ...choose(tokenIn, tokenOut, V3, ({ type }) => type === 'v3'),
    ...choose(tokenIn, tokenOut, V2, ({ type }) => type !== 'v3'),
  ]
}
