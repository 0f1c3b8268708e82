/** Fills a flow that was cut down up to its limits, with what pays at its prices and makes no way too long. */
import { Frontier } from '../columns/frontier.ts'
import { distancesFrom, potential } from '../problem/potentials.ts'
import { leastCost, type Problem } from '../problem/problem.ts'
import type { Allocation } from '../solver/allocation.ts'
import { solve } from '../solver/dual-solver.ts'
import { type Flow, flowOf } from '../solver/flow.ts'
import { FEW_STEPS, REFILL_BENEFIT, REFILL_GAS_SHARE, REFILL_ROUNDS, REFILL_WAYS, TIGHT } from '../tolerances.ts'
import { depthsOf, heightsOf } from './places.ts'

/** Edges in series between two tokens of a flow, and about what they would earn. */
type Way = { readonly edges: readonly number[]; readonly earning: number }

/** The flow with ways joined, as long as that improves it. Leaves the allocation as the flow returned has it. */
export function refill(problem: Problem, allocation: Allocation, flow: Flow): Flow {
  const { source, target, maxPools, maxHops } = problem
  const frontier = new Frontier(problem, potential(problem, target, 'to'), distancesFrom(problem, source))
  let best = flow
  let most = REFILL_WAYS
  for (let round = 0; round < REFILL_ROUNDS && best.edges.length < maxPools; round++) {
    frontier.explore(allocation)
    const ways = fitting(problem, best, waysAround(problem, frontier, best)).slice(0, most)
    if (ways.length === 0) break
    const before = allocation.checkpoint()
    for (const edge of ways.flatMap(({ edges }) => edges)) {
      allocation.addEnds(edge, frontier.valueLabel)
      allocation.addEdge(edge)
    }
    solve(allocation, TIGHT, FEW_STEPS)
    const fuller = flowOf(problem, allocation)
    if (fuller && fuller.net > best.net && fuller.edges.length <= maxPools && fuller.hops <= maxHops) {
      best = fuller
      continue
    }
    allocation.restore(before)
    allocation.evaluate()
    // Together they make ways too long, or are not worth their gas: fewer at a time.
    if (ways.length === 1) break
    most = Math.ceil(ways.length / 4)
  }
  return best
}

/** Ways outside the allocation that pay at its prices; those that earn most first. */
function waysAround(problem: Problem, frontier: Frontier, { amountOut }: Flow): readonly Way[] {
  const { graph } = problem
  const { from, to } = graph.topology
  const { live, costLabel, valueLabel, rate } = frontier
  const direct = frontier.edges.filter((edge) => live[from[edge]!]! + live[to[edge]!]! === 2).map((edge) => [edge])
  const ways = [...direct, ...frontier.tokens.map((token) => frontier.wayThrough(token))]
  problem.budget.spend(8 * ways.length + 1)
  return ways
    .flatMap((edges) => {
      const [first, last] = [edges[0]!, edges.at(-1)!]
      const brings = edges.reduce((product, edge) => product * rate[edge]!, valueLabel[to[last]!]!)
      const gain = brings / costLabel[from[first]!]! - 1
      // As much as the narrowest of them lets through until the gain is gone, half of it on average.
      const depth = Math.min(...edges.map((edge) => graph.conductance[edge]! * costLabel[from[edge]!]!))
      const earning = (depth * gain * gain) / (2 * edges.length)
      const cost = edges.reduce((sum, edge) => sum + leastCost(problem, edge), 0)
      return gain > 0 && earning > REFILL_BENEFIT * amountOut && earning > REFILL_GAS_SHARE * cost
        ? [{ edges, earning }]
        : []
    })
    .sort((a, b) => b.earning - a.earning)
}

/** Ways that fit one after the other into what the limits leave, by places in the flow as it is. */
function fitting(problem: Problem, flow: Flow, ways: readonly Way[]): readonly Way[] {
  const { graph, maxPools, maxHops, reuse } = problem
  const { from, to } = graph.topology
  const depth = depthsOf(problem, flow)
  const height = heightsOf(problem, flow)
  const used = new Set(flow.edges.map((edge) => graph.edges[edge]!.pool.id))
  let room = maxPools - flow.edges.length
  return ways.filter(({ edges }) => {
    const [u, v] = [from[edges[0]!]!, to[edges.at(-1)!]!]
    const [before, after] = [depth.get(u), height.get(v)]
    if (before === undefined || after === undefined || before + edges.length + after > maxHops) return false
    // Only forward in the order of the flow: it stays free of cycles.
    if (!(before < (depth.get(v) ?? 0)) || edges.length > room) return false
    const pools = edges.map((edge) => graph.edges[edge]!.pool.id)
    if (!reuse && pools.some((id) => used.has(id))) return false
    for (const id of pools) used.add(id)
    room -= edges.length
    return true
  })
}
