/**
 * Replaces a pool or a chain of pools by a direct pool that costs less gas at a slightly worse price. Pruning only
 * removes pools, so it cannot find this.
 */

import { outputOf } from '../graph/price-curve.ts'
import { curveOf, legBaseCost, legCost, type Problem } from '../problem/problem.ts'
import { Allocation } from '../solver/allocation.ts'
import { solveDual } from '../solver/dual-solver.ts'
import { type Flow, flowOf, groupBy } from '../solver/flow.ts'
import { MAX_CHAIN_REPLACEMENTS, MAX_RESIDUAL, REPLACEMENTS_TRIED } from '../tolerances.ts'
import { stopAtTicks } from './ticks.ts'

/** Replaces chains while the net output improves. */
export function shortenChains(problem: Problem, flow: Flow): Flow {
  const allocation = allocationOf(problem, flow)
  let best = flow
  for (let move = 0; move < MAX_CHAIN_REPLACEMENTS; move++) {
    const better = firstImprovement(problem, allocation, best)
    if (!better) break
    best = better
  }
  return best
}

/** The allocation of a flow, with its prices. */
function allocationOf(problem: Problem, { edges }: Flow): Allocation {
  const { graph, rate } = problem
  const { from, to } = graph.topology
  const allocation = new Allocation(problem)
  // A flow's edges are in topological order, so backwards the price of each bought token is known.
  for (const edge of edges.toReversed())
    allocation.addToken(from[edge]!, allocation.logPrice[to[edge]!]! + Math.log(rate[edge]!))
  for (const edge of edges) allocation.addEdge(edge)
  solveDual(allocation, MAX_RESIDUAL)
  return allocation
}

/** Applies the first improvement. The allocation is left with it, or unchanged if there is none. */
function firstImprovement(problem: Problem, allocation: Allocation, best: Flow): Flow | null {
  const replacements = chainsOf(problem, best)
    .flatMap((chain) => replacementsFor(problem, allocation, best, chain))
    .sort((a, b) => b.gain - a.gain)
  for (const { chain, directEdge } of replacements.slice(0, REPLACEMENTS_TRIED)) {
    const checkpoint = allocation.checkpoint()
    allocation.addEdge(directEdge)
    allocation.removeEdges(new Set(chain))
    solveDual(allocation, MAX_RESIDUAL)
    const flow = flowOf(problem, allocation)
    const stoppedFlow = flow && stopAtTicks(problem, allocation, flow)
    if (stoppedFlow && stoppedFlow.net > best.net) return stoppedFlow
    allocation.restore(checkpoint)
    allocation.evaluate()
  }
  return null
}

/** Single edges, and chains of edges through tokens without other edges. */
function chainsOf({ graph, source, target, budget }: Problem, { edges }: Flow): readonly (readonly number[])[] {
  const { from, to } = graph.topology
  const into = groupBy(edges, (edge) => to[edge]!)
  const outOf = groupBy(edges, (edge) => from[edge]!)
  const chains: number[][] = []
  for (const first of edges) {
    const chain = [first]
    chains.push([first])
    // A flow has no cycles, so no chain is longer than the flow.
    for (;;) {
      budget.spend(4 * chain.length)
      const token = to[chain.at(-1)!]!
      const next = outOf.get(token) ?? []
      if (token === target || token === source || next.length !== 1 || into.get(token)!.length !== 1) break
      chain.push(next[0]!)
      chains.push([...chain])
    }
  }
  return chains
}

type Replacement = { readonly chain: readonly number[]; readonly directEdge: number; readonly gain: number }

/** Direct pools for a chain, with the gain of each if all other amounts stay the same. */
function replacementsFor(
  problem: Problem,
  allocation: Allocation,
  flow: Flow,
  chain: readonly number[],
): readonly Replacement[] {
  const { graph, rate } = problem
  const { offset, from, to } = graph.topology
  const start = from[chain[0]!]!
  const end = to[chain.at(-1)!]!
  const endPrice = allocation.price(end)
  const inputOf = (edge: number) => flow.input[flow.edges.indexOf(edge)]!
  const chainCost = chain.reduce((sum, edge) => sum + legCost(problem, edge, inputOf(edge)), 0)
  const chainOutput = outputOf(curveOf(problem, chain.at(-1)!), inputOf(chain.at(-1)!))
  problem.budget.spend(offset[start + 1]! - offset[start]! + flow.edges.length * chain.length + 1)
  const replacements: Replacement[] = []
  for (let edge = offset[start]!; edge < offset[start + 1]!; edge++) {
    if (to[edge] !== end || rate[edge] === 0 || allocation.hasEdge[edge] || legBaseCost(problem, edge) >= chainCost)
      continue
    const input = inputOf(chain[0]!)
    const output = outputOf(curveOf(problem, edge), input)
    const saving = chainCost - legCost(problem, edge, input)
    const gain = (output - chainOutput) * endPrice + saving
    // A pool's loss against the chain shrinks when the amounts are reallocated.
    if (gain > -saving) replacements.push({ chain, directEdge: edge, gain })
  }
  return replacements
}
