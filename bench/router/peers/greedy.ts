/** Two simple methods on which many routers are based, using the evaluator's arithmetic. */

import { COMPARISON_GAS } from '../comparison-gas.ts'
import { Executor } from '../evaluate.ts'
import type { Scenario, ScenarioTrade } from '../scenario.ts'
import type { Hop, Peer, PeerRoute } from './peer.ts'

const MAX_HOPS = 3
/** Parts of the amount that are routed one after the other. */
const PARTS = 20

/**
 * Finds the best path by relaxing exact quotes hop by hop, for the whole amount at once, or part by part on the pools
 * as earlier parts left them.
 */
export function greedyPeer(scenario: Scenario, gasPrice: number, parts: 1 | typeof PARTS): Peer {
  const poolsOf = new Map<number, number[]>()
  for (const { id, token0, token1 } of scenario.pools)
    for (const token of [token0, token1]) poolsOf.set(token, [...(poolsOf.get(token) ?? []), id])
  const native = scenario.tokens.find(({ id }) => id === scenario.nativeToken)!
  const run = (trade: ScenarioTrade): PeerRoute | null => {
    const token = scenario.tokens.find(({ id }) => id === trade.tokenOut)!
    const perGas = ((gasPrice / 10 ** native.decimals) * native.priceUsd * 10 ** token.decimals) / token.priceUsd
    const executor = new Executor(scenario)
    const usedPools = new Set<number>()
    const amount = BigInt(trade.amountIn)
    const paths: { amountIn: bigint; hops: readonly Hop[] }[] = []
    for (let part = 0; part < parts; part++) {
      const amountIn =
        part === parts - 1 ? amount - (amount / BigInt(parts)) * BigInt(parts - 1) : amount / BigInt(parts)
      const hops = bestPath(executor, trade, amountIn, poolsOf, (pool) => (usedPools.has(pool) ? 0 : perGas))
      if (!hops) return null
      let remaining = amountIn
      for (const { pool, tokenIn, tokenOut } of hops) {
        usedPools.add(pool)
        remaining = executor.swap(pool, tokenIn, tokenOut, remaining).amountOut
      }
      paths.push({ amountIn, hops })
    }
    return { paths }
  }
  return { name: parts === 1 ? 'best single path' : `greedy, ${PARTS} parts`, run }
}

type Label = { readonly amount: bigint; readonly net: number; readonly hops: readonly Hop[] }

function bestPath(
  executor: Executor,
  { tokenIn, tokenOut }: ScenarioTrade,
  amountIn: bigint,
  poolsOf: ReadonlyMap<number, readonly number[]>,
  perGas: (pool: number) => number,
): readonly Hop[] | null {
  let frontier = new Map<number, Label>([[tokenIn, { amount: amountIn, net: Number(amountIn), hops: [] }]])
  let best: Label | null = null
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const next = new Map<number, Label>()
    for (const [from, label] of frontier) {
      for (const pool of poolsOf.get(from) ?? []) {
        const to = executor.otherToken(pool, from)
        if (to === tokenIn || label.hops.some((earlier) => earlier.tokenIn === to)) continue
        // The last hop must end at the target.
        if (hop === MAX_HOPS - 1 && to !== tokenOut) continue
        const { amountOut, gas, unspentInput } = executor.quote(pool, from, to, label.amount)
        if (amountOut <= 0n || unspentInput > 0n) continue
        const cost = to === tokenOut ? gasOfHops(executor, [...label.hops, { pool }], gas, perGas) : 0
        const net = Number(amountOut) - cost
        const hops = [...label.hops, { pool, tokenIn: from, tokenOut: to }]
        if (to === tokenOut) {
          if (net > (best?.net ?? Number.NEGATIVE_INFINITY)) best = { amount: amountOut, net, hops }
        } else if (amountOut > (next.get(to)?.amount ?? 0n)) next.set(to, { amount: amountOut, net, hops })
      }
    }
    frontier = next
  }
  return best?.hops ?? null
}

/** Counts ticks only for the last hop, because earlier hops were priced without them. */
function gasOfHops(
  executor: Executor,
  hops: readonly { readonly pool: number }[],
  lastGas: number,
  perGas: (pool: number) => number,
): number {
  return hops.reduce((sum, { pool }, index) => {
    const gas = index === hops.length - 1 ? lastGas : COMPARISON_GAS.hop[executor.familyOf(pool)]
    return sum + gas * perGas(pool)
  }, 0)
}
