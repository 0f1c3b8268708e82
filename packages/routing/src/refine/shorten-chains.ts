/**
 * Replaces a pool, or a chain of pools in series, by a direct pool that costs less gas, even if the price of the direct
 * pool is slightly worse. Pruning only removes pools, so it does not find such routes. An edge is a pool in one
 * direction. An allocation is a flow over some edges, with a price for each token. Called by `search.ts`.
 */

import { outputOf } from '../graph/price-curve.ts'
import { curveOf, legBaseCost, legCost, type Problem } from '../problem/problem.ts'
import { Allocation } from '../solver/allocation.ts'
import { solveDual } from '../solver/dual-solver.ts'
import { type Flow, flowOf, groupBy } from '../solver/flow.ts'
import { MAX_CHAIN_REPLACEMENTS, MAX_REPLACEMENTS_TRIED, MAX_RESIDUAL } from '../tolerances.ts'
import { isWithinLimits } from './stopping-rules.ts'
import { stopAtTicks } from './ticks.ts'

/** Replaces chains while the net output improves. */
export function shortenChains(problem: Problem, flow: Flow): Flow {
  const allocation = allocationOf(problem, flow)
  let best = flow
  for (let replacement = 0; replacement < MAX_CHAIN_REPLACEMENTS; replacement++) {
    const shorterFlow = firstImprovement(problem, allocation, best)
    if (!shorterFlow) break
    best = shorterFlow
  }
  return best
}

/** Solves an allocation over the edges of a flow. */
function allocationOf(problem: Problem, { edges }: Flow): Allocation {
  const { graph, rate } = problem
  const { from, to } = graph.topology
  const allocation = new Allocation(problem)
  // A flow's edges are in topological order. In reverse order, the price of each bought token is known before the price
  // of the sold token is computed.
  for (const edge of edges.toReversed())
    allocation.addToken(from[edge]!, allocation.logPrice[to[edge]!]! + Math.log(rate[edge]!))
  for (const edge of edges) allocation.addEdge(edge)
  solveDual(allocation, MAX_RESIDUAL)
  return allocation
}

/**
 * Applies the first replacement that improves the net output; null if none does. Changes the allocation accordingly.
 */
function firstImprovement(problem: Problem, allocation: Allocation, best: Flow): Flow | null {
  const replacements = chainsOf(problem, best)
    .flatMap((chain) => replacementsFor(problem, allocation, best, chain))
    .sort((a, b) => b.gain - a.gain)
  for (const { chain, directEdge } of replacements.slice(0, MAX_REPLACEMENTS_TRIED)) {
    const checkpoint = allocation.checkpoint()
    allocation.addEdge(directEdge)
    allocation.removeEdges(new Set(chain))
    solveDual(allocation, MAX_RESIDUAL)
    const flow = flowOf(problem, allocation)
    const stoppedFlow = flow && stopAtTicks(problem, allocation, flow)
    if (stoppedFlow && stoppedFlow.net > best.net && isWithinLimits(problem, stoppedFlow)) return stoppedFlow
    allocation.restore(checkpoint)
    allocation.evaluate()
  }
  return null
}

/** Returns the single edges of a flow, and its chains of edges whose inner tokens have no other edges in the flow. */
function chainsOf({ graph, source, target, budget }: Problem, { edges }: Flow): readonly (readonly number[])[] {
  const { from, to } = graph.topology
  const edgesByBoughtToken = groupBy(edges, (edge) => to[edge]!)
  const edgesBySoldToken = groupBy(edges, (edge) => from[edge]!)
  const chains: number[][] = []
  for (const firstEdge of edges) {
    const chain = [firstEdge]
    chains.push([firstEdge])
    // A flow has no cycles, so no chain is longer than the flow.
    for (;;) {
      budget.spend(4 * chain.length)
      const token = to[chain.at(-1)!]!
      const outgoingEdges = edgesBySoldToken.get(token) ?? []
      if (
        token === target ||
        token === source ||
        outgoingEdges.length !== 1 ||
        edgesByBoughtToken.get(token)!.length !== 1
      )
        break
      chain.push(outgoingEdges[0]!)
      chains.push([...chain])
    }
  }
  return chains
}

type Replacement = { readonly chain: readonly number[]; readonly directEdge: number; readonly gain: number }

/**
 * Replacements of a chain by direct pools. `gain`: increase of the net output, in output base units, if the amounts of
 * all other edges stay the same.
 */
function replacementsFor(
  problem: Problem,
  allocation: Allocation,
  flow: Flow,
  chain: readonly number[],
): readonly Replacement[] {
  const { graph, rate } = problem
  const { offset, from, to } = graph.topology
  const startToken = from[chain[0]!]!
  const endToken = to[chain.at(-1)!]!
  const endPrice = allocation.price(endToken)
  const inputOfLeg = (edge: number) => flow.input[flow.edges.indexOf(edge)]!
  const chainCost = chain.reduce((sum, edge) => sum + legCost(problem, edge, inputOfLeg(edge)), 0)
  const chainOutput = outputOf(curveOf(problem, chain.at(-1)!), inputOfLeg(chain.at(-1)!))
  problem.budget.spend(offset[startToken + 1]! - offset[startToken]! + flow.edges.length * chain.length + 1)
  const replacements: Replacement[] = []
  for (let edge = offset[startToken]!; edge < offset[startToken + 1]!; edge++) {
    if (
      to[edge] !== endToken ||
      rate[edge] === 0 ||
      allocation.hasEdge[edge] ||
      legBaseCost(problem, edge) >= chainCost
    )
      continue
    const input = inputOfLeg(chain[0]!)
    const output = outputOf(curveOf(problem, edge), input)
    const saving = chainCost - legCost(problem, edge, input)
    const gain = (output - chainOutput) * endPrice + saving
    // Reallocating the amounts reduces the loss of the direct pool against the chain, so a replacement with a small
    // loss is tried, too.
    if (gain > -saving) replacements.push({ chain, directEdge: edge, gain })
  }
  return replacements
}
