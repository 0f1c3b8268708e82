/**
 * Routes that may be the best one once gas is measured: what legs cost is known to a few parts in a hundred before a route
 * is run, and routes that differ by less than that are for a simulation to decide between.
 */
import { bestSinglePath } from '../columns/single-path.ts'
import { potential } from '../problem/potentials.ts'
import { type Problem, without } from '../problem/problem.ts'
import { Allocation } from '../solver/allocation.ts'
import { solve } from '../solver/dual-solver.ts'
import { type Flow, pushThrough } from '../solver/flow.ts'
import { DEAR_GAS, DOUBTED_GAS, IMPROVING_PART, MEASURED_GAIN, PATHS_ELSEWHERE, TIGHT } from '../tolerances.ts'
import { fits } from './promise.ts'
import { pruneByTrial } from './pruning.ts'

/**
 * The best others of the routes that were found on the way to the best, that one on fewer pools, the best path, and paths
 * through none of the best route's pools; none where too little gas is in doubt to tell routes apart by.
 */
export function rivalsOf(
  problem: Problem,
  best: Flow,
  flows: readonly (Flow | null)[],
  alongBestPath: () => Flow | null,
): readonly Flow[] {
  const { mostRivals, onePath, budget, believed } = problem
  if (mostRivals === 0 || onePath || costOf(best) * DOUBTED_GAS <= MEASURED_GAIN * best.amountOut) return []
  const others = budget.attempt(
    IMPROVING_PART,
    () => [onFewerPools(problem, best), alongBestPath(), ...elsewhere(problem, best)],
    () => [],
  )
  const rivals = new Map<string, Flow>()
  const bestKey = keyOf(best)
  for (const flow of [...flows, ...others]) {
    if (!flow || !fits(problem, flow)) continue
    const doubt = DOUBTED_GAS * Math.max(costOf(best), costOf(flow))
    if (!(flow.net + doubt >= best.net)) continue
    const key = keyOf(flow)
    const known = rivals.get(key)
    // What a pool is likely to withdraw is not seen in a simulation.
    if (key === bestKey || (known && known.net >= flow.net) || flow.edges.some((edge) => believed.has(edge))) continue
    rivals.set(key, flow)
  }
  return [...rivals.values()].sort((a, b) => b.net - a.net).slice(0, mostRivals)
}

/** The best path that shares no pool with a route, and the best that shares none with either. */
function elsewhere(problem: Problem, best: Flow): readonly Flow[] {
  const { graph, target } = problem
  const found: Flow[] = []
  const taken = new Set<number>()
  const take = ({ edges }: Flow) => {
    for (const edge of edges)
      for (const other of graph.topology.edgesOfPool.get(graph.edges[edge]!.pool.id) ?? []) taken.add(other)
  }
  take(best)
  while (found.length < PATHS_ELSEWHERE) {
    const open = without(problem, taken)
    const path = bestSinglePath(open, potential(open, target, 'to'))
    const flow =
      path &&
      pushThrough(
        problem,
        path,
        path.map(() => 1),
      )
    if (!flow) break
    found.push(flow)
    take(flow)
  }
  return found
}

/** The best that is left of a route were gas dearer; null of a route of one pool. */
function onFewerPools(problem: Problem, best: Flow): Flow | null {
  if (best.edges.length < 2) return null
  const { from, to } = problem.graph.topology
  const dear = { ...problem, perGas: problem.perGas * DEAR_GAS, perLeg: problem.perLeg * DEAR_GAS }
  const allocation = new Allocation(dear)
  for (const edge of best.edges.toReversed())
    allocation.addToken(from[edge]!, allocation.logPrice[to[edge]!]! + Math.log(problem.rate[edge]!))
  for (const edge of best.edges) allocation.addEdge(edge)
  solve(allocation, TIGHT)
  const flow = pruneByTrial(dear, allocation)
  return flow && { ...flow, net: flow.amountOut - (flow.amountOut - flow.net) / DEAR_GAS }
}

const costOf = ({ amountOut, net }: Flow) => amountOut - net

const keyOf = ({ edges }: Flow): string => edges.toSorted((a, b) => a - b).join()
