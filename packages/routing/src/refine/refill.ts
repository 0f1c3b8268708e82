/**
 * Refills a flow that was reduced to the limits on pools and hops: adds paths that earn at the prices of its
 * allocation, up to the limits. A flow is a set of edges (pools in one direction) with their inputs. It comes from an
 * allocation: edges with token prices. Called by `limits.ts`.
 */
import { Frontier } from '../columns/frontier.ts'
import { bestSpotRates, distancesFrom } from '../problem/potentials.ts'
import { legBaseCost, type Problem } from '../problem/problem.ts'
import type { Allocation } from '../solver/allocation.ts'
import { solveDual } from '../solver/dual-solver.ts'
import { type Flow, flowOf } from '../solver/flow.ts'
import {
  MAX_REFILL_ROUNDS,
  MAX_RESIDUAL,
  MAX_STEPS_AFTER_CHANGE,
  MIN_REFILL_EARNINGS,
  MIN_REFILL_GAS_SHARE,
  REFILL_MAX_PATHS,
} from '../tolerances.ts'
import { maxHopsFromSource, maxHopsToTarget } from './token-positions.ts'

/** Edges in series between two tokens of a flow, with their approximate earnings. */
type CandidatePath = { readonly edges: readonly number[]; readonly earning: number }

/** Adds paths while the flow improves. Changes the allocation in place, so that it fits the returned flow. */
export function refill(problem: Problem, allocation: Allocation, flow: Flow): Flow {
  const { source, target, maxPools, maxHops } = problem
  const frontier = new Frontier(problem, bestSpotRates(problem, target), distancesFrom(problem, source))
  let best = flow
  let maxPaths = REFILL_MAX_PATHS
  for (let round = 0; round < MAX_REFILL_ROUNDS && best.edges.length < maxPools; round++) {
    frontier.explore(allocation)
    const paths = pathsThatFit(problem, best, profitablePaths(problem, frontier, best)).slice(0, maxPaths)
    if (paths.length === 0) break
    const checkpoint = allocation.checkpoint()
    for (const edge of paths.flatMap(({ edges }) => edges)) {
      allocation.addEnds(edge, frontier.valueLabel)
      allocation.addEdge(edge)
    }
    solveDual(allocation, MAX_RESIDUAL, MAX_STEPS_AFTER_CHANGE)
    const refilledFlow = flowOf(problem, allocation)
    if (
      refilledFlow &&
      refilledFlow.net > best.net &&
      refilledFlow.edges.length <= maxPools &&
      refilledFlow.hops <= maxHops
    ) {
      best = refilledFlow
      continue
    }
    allocation.restore(checkpoint)
    allocation.evaluate()
    // Together, the paths are too long or do not earn their gas, so fewer paths are tried at a time.
    if (paths.length === 1) break
    maxPaths = Math.ceil(paths.length / 4)
  }
  return best
}

/** Paths outside the allocation that earn at its prices, highest earnings first. */
function profitablePaths(problem: Problem, frontier: Frontier, { amountOut }: Flow): readonly CandidatePath[] {
  const { graph } = problem
  const { from, to } = graph.topology
  const { isLive, costLabel, valueLabel, rate } = frontier
  const singleEdges = frontier.payingEdges
    .filter((edge) => isLive[from[edge]!]! + isLive[to[edge]!]! === 2)
    .map((edge) => [edge])
  const paths = [...singleEdges, ...frontier.payingTokens.map((token) => frontier.pathThrough(token))]
  problem.budget.spend(8 * paths.length + 1)
  return paths
    .flatMap((edges) => {
      const [firstEdge, lastEdge] = [edges[0]!, edges.at(-1)!]
      const value = edges.reduce((product, edge) => product * rate[edge]!, valueLabel[to[lastEdge]!]!)
      const gain = value / costLabel[from[firstEdge]!]! - 1
      // The gain falls about linearly to 0 as the amount grows, so on average it is half of `gain`. It reaches 0 at
      // about `minConductance * gain / edges.length`: the edge with the least conductance limits the amount.
      const minConductance = Math.min(...edges.map((edge) => graph.conductance[edge]! * costLabel[from[edge]!]!))
      const earning = (minConductance * gain * gain) / (2 * edges.length)
      const cost = edges.reduce((sum, edge) => sum + legBaseCost(problem, edge), 0)
      return gain > 0 && earning > MIN_REFILL_EARNINGS * amountOut && earning > MIN_REFILL_GAS_SHARE * cost
        ? [{ edges, earning }]
        : []
    })
    .sort((a, b) => b.earning - a.earning)
}

/** Selects paths that together stay within the pool and hop limits, judged by positions in the current flow. */
function pathsThatFit(problem: Problem, flow: Flow, paths: readonly CandidatePath[]): readonly CandidatePath[] {
  const { graph, maxPools, maxHops, mayReusePools } = problem
  const { from, to } = graph.topology
  const hopsFromSource = maxHopsFromSource(problem, flow)
  const hopsToTarget = maxHopsToTarget(problem, flow)
  const usedPools = new Set(flow.edges.map((edge) => graph.edges[edge]!.pool.id))
  let edgesLeft = maxPools - flow.edges.length
  return paths.filter(({ edges }) => {
    const [startToken, endToken] = [from[edges[0]!]!, to[edges.at(-1)!]!]
    const [hopsBefore, hopsAfter] = [hopsFromSource.get(startToken), hopsToTarget.get(endToken)]
    if (hopsBefore === undefined || hopsAfter === undefined || hopsBefore + edges.length + hopsAfter > maxHops)
      return false
    // A path must lead forward in the order of the flow, so that the flow stays acyclic.
    if (!(hopsBefore < (hopsFromSource.get(endToken) ?? 0)) || edges.length > edgesLeft) return false
    const pools = edges.map((edge) => graph.edges[edge]!.pool.id)
    if (!mayReusePools && pools.some((id) => usedPools.has(id))) return false
    for (const id of pools) usedPools.add(id)
    edgesLeft -= edges.length
    return true
  })
}
