/**
 * Finds the best allocation of a trade over all simple paths of a small graph by hill climbing from random starts.
 * Exact quotes, slow.
 */
import type { Address } from '@sluice/chains'
import { familyOf, type Pool, PoolRefusal } from '@sluice/liquidity'
import { request } from './graphs.ts'

type Hop = { readonly pool: Pool; readonly tokenIn: Address; readonly tokenOut: Address }

const STARTS = 3
const MAX_HOPS = 3

export function bestByTrial(pools: readonly Pool[], amountIn: bigint, random: () => number): bigint {
  const { tokenIn, tokenOut } = request()
  const paths = pathsBetween(pools, tokenIn, tokenOut)
  let best = 0n
  for (let start = 0; start < STARTS; start++) {
    let weights = paths.map((_, index) => (start === 0 ? Number(index === 0) : random() ** 3))
    let value = evaluate(paths, weights, amountIn)
    for (let step = 0.5; step > 1e-7; ) {
      let improved = false
      for (let a = 0; a < paths.length; a++) {
        for (let b = 0; b < paths.length; b++) {
          const total = weights.reduce((sum, weight) => sum + weight, 0)
          const shift = Math.min(weights[a]!, step * total)
          if (a === b || shift === 0) continue
          const candidate = weights.with(a, weights[a]! - shift)
          candidate[b]! += shift
          const result = evaluate(paths, candidate, amountIn)
          if (result <= value) continue
          weights = candidate
          value = result
          improved = true
        }
      }
      if (!improved) step /= 3
    }
    if (value > best) best = value
  }
  return best
}

function pathsBetween(pools: readonly Pool[], from: Address, to: Address, path: readonly Hop[] = []): Hop[][] {
  if (from === to) return [[...path]]
  if (path.length === MAX_HOPS) return []
  return pools.flatMap((pool) =>
    pool.tokens.flatMap((tokenOut) => {
      const visited = tokenOut === path[0]?.tokenIn || path.some((hop) => hop.tokenOut === tokenOut)
      if (!pool.tokens.includes(from) || tokenOut === from || visited || path.some((hop) => hop.pool === pool))
        return []
      return pathsBetween(pools, tokenOut, to, [...path, { pool, tokenIn: from, tokenOut }])
    }),
  )
}

/** Executes path after path, each on the pools as earlier paths left them. */
function evaluate(paths: readonly (readonly Hop[])[], weights: readonly number[], amountIn: bigint): bigint {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const states = new Map<string, Pool>()
  let restAmount = amountIn
  let out = 0n
  const used = paths.map((path, index) => ({ path, part: weights[index]! / total })).filter(({ part }) => part > 0)
  used.forEach(({ path, part }, index) => {
    let amount = index === used.length - 1 ? restAmount : (amountIn * BigInt(Math.round(part * 2 ** 48))) >> 48n
    if (amount > restAmount) amount = restAmount
    restAmount -= amount
    for (const { pool, tokenIn, tokenOut } of path) {
      if (amount === 0n) break
      try {
        const now = states.get(pool.id) ?? pool
        const quote = familyOf(pool.family)!.quoteExactInput(now, tokenIn, tokenOut, amount)
        states.set(pool.id, { ...now, state: quote.state })
        amount = quote.amountOut
      } catch (error) {
        if (!(error instanceof PoolRefusal)) throw error
        amount = 0n
      }
    }
    out += amount
  })
  return out
}
