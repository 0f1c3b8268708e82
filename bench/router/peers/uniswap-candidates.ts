/**
 * Selects candidate pools by the rules of AlphaRouter for Ethereum. The package reads the values of pools from a
 * subgraph; here they are those of the scenario. The fields of `Limits` have the package's names.
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
const V3_LIMITS: Limits = {
  topN: 2,
  topNDirectSwaps: 2,
  topNTokenInOut: 3,
  topNSecondHop: 1,
  topNWithEachBaseToken: 3,
  topNWithBaseToken: 5,
}
const V2_LIMITS: Limits = {
  topN: 3,
  topNDirectSwaps: 1,
  topNTokenInOut: 5,
  topNSecondHop: 2,
  topNWithEachBaseToken: 2,
  topNWithBaseToken: 6,
}

export type FindCandidates = (tokenIn: number, tokenOut: number) => readonly ScenarioPool[]

/**
 * Returns a function that selects the candidate pools of two tokens. The package does not support stable pools. Here
 * they are selected like V2 pools, which is to the package's advantage.
 */
export function candidateFinder({ pools, tokens, nativeToken }: Scenario): FindCandidates {
  const poolsByDepth = pools.toSorted((a, b) => b.tvlUsd - a.tvlUsd)
  const poolsByToken = new Map<number, ScenarioPool[]>(tokens.map(({ id }) => [id, []]))
  for (const pool of poolsByDepth) for (const token of [pool.token0, pool.token1]) poolsByToken.get(token)!.push(pool)
  const baseTokens = tokens.filter(({ hub }) => hub).map(({ id }) => id)

  const choosePools = (tokenIn: number, tokenOut: number, limits: Limits, isKind: (pool: ScenarioPool) => boolean) => {
    const chosenPools = new Set<ScenarioPool>()
    const choose = (
      from: readonly ScenarioPool[],
      max: number,
      isRequested: (pool: ScenarioPool) => boolean = () => true,
    ) => {
      let count = 0
      for (const pool of from) {
        if (count >= max) break
        if (chosenPools.has(pool) || !isKind(pool) || !isRequested(pool)) continue
        chosenPools.add(pool)
        count++
      }
      return count
    }
    const hasToken = (token: number) => (pool: ScenarioPool) => pool.token0 === token || pool.token1 === token
    for (const end of [tokenIn, tokenOut]) {
      let remaining = limits.topNWithBaseToken
      for (const base of baseTokens)
        if (base !== end)
          remaining -= choose(poolsByToken.get(end)!, Math.min(remaining, limits.topNWithEachBaseToken), hasToken(base))
    }
    choose(poolsByToken.get(tokenIn)!, limits.topNDirectSwaps, hasToken(tokenOut))
    for (const end of [tokenIn, tokenOut]) choose(poolsByToken.get(end)!, 1, hasToken(nativeToken))
    choose(poolsByDepth, limits.topN)
    for (const end of [tokenIn, tokenOut]) choose(poolsByToken.get(end)!, limits.topNTokenInOut)
    for (const end of [tokenIn, tokenOut])
      for (const pool of [...chosenPools].filter(hasToken(end)))
        choose(poolsByToken.get(pool.token0 === end ? pool.token1 : pool.token0)!, limits.topNSecondHop)
    return chosenPools
  }
  return (tokenIn, tokenOut) => [
    ...choosePools(tokenIn, tokenOut, V3_LIMITS, ({ type }) => type === 'v3'),
    ...choosePools(tokenIn, tokenOut, V2_LIMITS, ({ type }) => type !== 'v3'),
  ]
}
