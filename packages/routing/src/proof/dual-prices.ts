/** Token prices at which the dual of a trade is about as low as it goes, from a search of its own without gas. */
import type { Address } from '@sluice/chains'
import { generateColumns } from '../columns/columns.ts'
import { Frontier } from '../columns/frontier.ts'
import { bestSinglePath, onCurves } from '../columns/single-path.ts'
import { balancePrices, upperBound } from '../columns/upper-bound.ts'
import type { Edge } from '../graph/graph.ts'
import { distancesFrom, potential, wayTo } from '../problem/potentials.ts'
import type { Problem } from '../problem/problem.ts'
import { allocationOver } from '../solver/allocation.ts'

/** Prices of a dual, by the names that tokens and edges have in every part of a graph. */
export type DualPrices = {
  /** Output base units of a base unit. */
  readonly tokens: ReadonlyMap<Address, number>
  /** Rates of pools of several tokens after their optimal trades, by `edgeName`: what further swaps in them would get. */
  readonly moved: ReadonlyMap<string, number>
}

export const edgeName = ({ pool, tokenIn, tokenOut }: Edge): string => `${pool.id} ${tokenIn} ${tokenOut}`

/**
 * Prices of the tokens that the optimal allocation passes, and of the tokens around it that could pay.
 *
 * @param problem - gas aside
 * @returns null where no path takes any part of the amount
 */
export function dualPrices(problem: Problem): DualPrices | null {
  const { source, target, graph } = problem
  const backward = potential(problem, target, 'to')
  const start =
    wayTo(problem, backward, source, target) ??
    bestSinglePath(problem, backward) ??
    bestSinglePath(problem, backward, onCurves(problem, 'a part'))
  if (!start) return null
  const allocation = allocationOver(problem, start, backward)
  const frontier = new Frontier(problem, backward, distancesFrom(problem, source))
  generateColumns(problem, allocation, frontier)
  // Edges that loosen the bound join the allocation.
  upperBound(problem, allocation, frontier)
  const prices = new Map<number, number>()
  const set = (token: number, price: number) => {
    if (price > 0 && price < Number.POSITIVE_INFINITY) prices.set(token, price)
  }
  for (const token of frontier.liveTokens) set(token, allocation.price(token))
  if (frontier.converged && frontier.edges.length > 0) {
    const around = graph.topology.scratch.floats(graph.topology.tokens.length)
    balancePrices(problem, frontier, around)
    for (const token of frontier.tokens) if (!prices.has(token)) set(token, around[token]!)
  }
  prices.set(target, 1)
  if (!prices.has(source)) return null
  const moved = allocation.shared.flatMap((pool) => [...pool.ratesAfter(problem)])
  return {
    tokens: new Map([...prices].map(([token, price]) => [graph.topology.tokens[token]!, price])),
    moved: new Map(moved.map(([edge, rate]) => [edgeName(graph.edges[edge]!), rate])),
  }
}
