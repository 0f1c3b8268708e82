/** Refills a reduced flow up to its limits with paths that pay at its prices and are not too long. */
import { Frontier } from '../columns/frontier.ts'
import { distancesFrom, potential } from '../problem/potentials.ts'
import { baseCost, type Problem } from '../problem/problem.ts'
import type { Allocation } from '../solver/allocation.ts'
import { solve } from '../solver/dual-solver.ts'
import { type Flow, flowOf } from '../solver/flow.ts'
import { FEW_STEPS, MAX_RESIDUAL, REFILL_BENEFIT, REFILL_GAS_SHARE, REFILL_ROUNDS, REFILL_WAYS } from '../tolerances.ts'
import { depthsOf, heightsOf } from './places.ts'

/** Edges in series between two tokens of a flow, with their approximate earnings. */
type Way = { readonly edges: readonly number[]; readonly earning: number }

/** Adds paths while the flow improves. The allocation is left in the state of the returned flow. */
export function refill(problem: Problem, allocation: Allocation, flow: Flow): Flow {
  const { source, target, maxPools, maxHops } = problem
  const frontier = new Frontier(problem, potential(problem, target, 'to'), distancesFrom(problem, source))
  let best = flow
  let maxPaths = REFILL_WAYS
  for (let round = 0; round < REFILL_ROUNDS && best.edges.length < maxPools; round++) {
    frontier.explore(allocation)
    const ways = fitting(problem, best, waysAround(problem, frontier, best)).slice(0, maxPaths)
    if (ways.length === 0) break
    const before = allocation.checkpoint()
    for (const edge of ways.flatMap(({ edges }) => edges)) {
      allocation.addEnds(edge, frontier.valueLabel)
      allocation.addEdge(edge)
    }
    solve(allocation, MAX_RESIDUAL, FEW_STEPS)
    const fuller = flowOf(problem, allocation)
    if (fuller && fuller.net > best.net && fuller.edges.length <= maxPools && fuller.hops <= maxHops) {
      best = fuller
      continue
    }
    allocation.restore(before)
    allocation.evaluate()
    // Together the paths are too long or do not earn their gas, so try fewer at a time.
    if (ways.length === 1) break
    maxPaths = Math.ceil(ways.length / 4)
  }
  return best
}

/** Paths outside the allocation that pay at its prices, highest earnings first. */
function waysAround(problem: Problem, frontier: Frontier, { amountOut }: Flow): readonly Way[] {
  const { graph } = problem
  const { from, to } = graph.topology
  const { live, costLabel, valueLabel, rate } = frontier
  const direct = frontier.edges.filter((edge) => live[from[edge]!]! + live[to[edge]!]! === 2).map((edge) => [edge])
  const ways = [...direct, ...frontier.tokens.map((token) => frontier.pathThrough(token))]
  problem.budget.spend(8 * ways.length + 1)
  return ways
    .flatMap((edges) => {
      const [first, last] = [edges[0]!, edges.at(-1)!]
      const value = edges.reduce((product, edge) => product * rate[edge]!, valueLabel[to[last]!]!)
      const gain = value / costLabel[from[first]!]! - 1
      // The narrowest edge limits the amount at which the gain is used up; half of the gain on average.
      const depth = Math.min(...edges.map((edge) => graph.conductance[edge]! * costLabel[from[edge]!]!))
      const earning = (depth * gain * gain) / (2 * edges.length)
      const cost = edges.reduce((sum, edge) => sum + baseCost(problem, edge), 0)
      return gain > 0 && earning > REFILL_BENEFIT * amountOut && earning > REFILL_GAS_SHARE * cost
        ? [{ edges, earning }]
        : []
    })
    .sort((a, b) => b.earning - a.earning)
}

/** Paths that fit together into the remaining limits, judged by positions in the current flow. */
function fitting(problem: Problem, flow: Flow, ways: readonly Way[]): readonly Way[] {
  const { graph, maxPools, maxHops, reuse } = problem
  const { from, to } = graph.topology
  const depth = depthsOf(problem, flow)
  const height = heightsOf(problem, flow)
  const usedPools = new Set(flow.edges.map((edge) => graph.edges[edge]!.pool.id))
  let room = maxPools - flow.edges.length
  return ways.filter(({ edges }) => {
    const [u, v] = [from[edges[0]!]!, to[edges.at(-1)!]!]
    const [before, after] = [depth.get(u), height.get(v)]
    if (before === undefined || after === undefined || before + edges.length + after > maxHops) return false
    // Only forward in the order of the flow, which therefore stays acyclic.
    if (!(before < (depth.get(v) ?? 0)) || edges.length > room) return false
    const pools = edges.map((edge) => graph.edges[edge]!.pool.id)
    if (!reuse && pools.some((id) => usedPools.has(id))) return false
    for (const id of pools) usedPools.add(id)
    room -= edges.length
    return true
  })
}
