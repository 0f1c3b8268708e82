/** Two simple routing methods that many routers use. Quotes are those of the benchmark's evaluator. */

import { COMPARISON_GAS } from '../comparison-gas.ts'
import { PoolStates } from '../evaluate.ts'
import type { Scenario, ScenarioTrade } from '../scenario.ts'
import type { Hop, Peer, PeerRoute } from './peer.ts'

const MAX_HOPS = 3
/** Number of equal parts of the amount. The parts are routed one after the other. */
const PARTS = 20

/**
 * Creates a router that finds the best path hop by hop from exact quotes. With one part, it routes the whole amount on
 * one path. With more parts, each part gets the best path after the trades of the earlier parts.
 */
export function greedyPeer(scenario: Scenario, gasPrice: number, partCount: 1 | typeof PARTS): Peer {
  const poolsByToken = new Map<number, number[]>()
  for (const { id, token0, token1 } of scenario.pools)
    for (const token of [token0, token1]) poolsByToken.set(token, [...(poolsByToken.get(token) ?? []), id])
  const native = scenario.tokens.find(({ id }) => id === scenario.nativeToken)!
  const run = (trade: ScenarioTrade): PeerRoute | null => {
    const token = scenario.tokens.find(({ id }) => id === trade.tokenOut)!
    const outputPerGas = ((gasPrice / 10 ** native.decimals) * native.priceUsd * 10 ** token.decimals) / token.priceUsd
    const poolStates = new PoolStates(scenario)
    const usedPools = new Set<number>()
    const amount = BigInt(trade.amountIn)
    const paths: { amountIn: bigint; hops: readonly Hop[] }[] = []
    for (let part = 0; part < partCount; part++) {
      const amountIn =
        part === partCount - 1
          ? amount - (amount / BigInt(partCount)) * BigInt(partCount - 1)
          : amount / BigInt(partCount)
      const hops = bestPath(poolStates, trade, amountIn, poolsByToken, (pool) =>
        usedPools.has(pool) ? 0 : outputPerGas,
      )
      if (!hops) return null
      let hopAmount = amountIn
      for (const { pool, tokenIn, tokenOut } of hops) {
        usedPools.add(pool)
        hopAmount = poolStates.swap(pool, tokenIn, tokenOut, hopAmount).amountOut
      }
      paths.push({ amountIn, hops })
    }
    return { paths }
  }
  return { name: partCount === 1 ? 'best single path' : `greedy, ${PARTS} parts`, run }
}

/** A path from the input token, with its output before and after the cost of gas. */
type PartialPath = { readonly amount: bigint; readonly net: number; readonly hops: readonly Hop[] }

function bestPath(
  poolStates: PoolStates,
  { tokenIn, tokenOut }: ScenarioTrade,
  amountIn: bigint,
  poolsByToken: ReadonlyMap<number, readonly number[]>,
  outputPerGasOf: (pool: number) => number,
): readonly Hop[] | null {
  let frontier = new Map<number, PartialPath>([[tokenIn, { amount: amountIn, net: Number(amountIn), hops: [] }]])
  let best: PartialPath | null = null
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const nextFrontier = new Map<number, PartialPath>()
    for (const [from, path] of frontier) {
      for (const pool of poolsByToken.get(from) ?? []) {
        const to = poolStates.otherToken(pool, from)
        if (to === tokenIn || path.hops.some((earlier) => earlier.tokenIn === to)) continue
        // The last hop must have the output token as its output.
        if (hop === MAX_HOPS - 1 && to !== tokenOut) continue
        const { amountOut, gas, unspentInput } = poolStates.quote(pool, from, to, path.amount)
        if (amountOut <= 0n || unspentInput > 0n) continue
        const cost = to === tokenOut ? gasCostOfHops(poolStates, [...path.hops, { pool }], gas, outputPerGasOf) : 0
        const net = Number(amountOut) - cost
        const hops = [...path.hops, { pool, tokenIn: from, tokenOut: to }]
        if (to === tokenOut) {
          if (net > (best?.net ?? Number.NEGATIVE_INFINITY)) best = { amount: amountOut, net, hops }
        } else if (amountOut > (nextFrontier.get(to)?.amount ?? 0n))
          nextFrontier.set(to, { amount: amountOut, net, hops })
      }
    }
    frontier = nextFrontier
  }
  return best?.hops ?? null
}

/**
 * Returns the cost of gas in base units of the output. Counts crossed ticks only for the last hop, because the search
 * does not store those of earlier hops.
 */
function gasCostOfHops(
  poolStates: PoolStates,
  hops: readonly { readonly pool: number }[],
  lastGas: number,
  outputPerGasOf: (pool: number) => number,
): number {
  return hops.reduce((sum, { pool }, index) => {
    const gas = index === hops.length - 1 ? lastGas : COMPARISON_GAS.hop[poolStates.familyOf(pool)]
    return sum + gas * outputPerGasOf(pool)
  }, 0)
}
