/**
 * Divisions of a trade among the paths of a small graph (see `path-division.ts`), from several starts. A flow is a set
 * of edges (pools in one direction) with their inputs. Called by `search.ts`.
 */
import { capacityOf } from '../graph/price-curve.ts'
import type { SpotRates } from '../problem/potentials.ts'
import { curveOf, legBaseCost, type Problem, withoutEdges } from '../problem/problem.ts'
import type { Flow } from '../solver/flow.ts'
import {
  MAX_COSTLY_POOLS_WORK,
  MAX_DIVISION_WORK,
  MAX_POOLS_LEFT_OUT,
  MIN_COSTLY_POOL_SHARE,
  SMALL_GRAPH_EDGES,
} from '../tolerances.ts'
import { divideAmongPaths } from './path-division.ts'
import { bestOf } from './stopping-rules.ts'

/** Returns true for a graph whose trades can be divided among its paths. */
export const isSmallGraph = ({ rate }: Problem): boolean => rate.length <= SMALL_GRAPH_EDGES

/**
 * Improves a flow by divisions that each exclude one of its costly pools. A division alone moves amounts between paths,
 * and does not notice that closing a pool would save more gas than it costs output.
 *
 * @param values - values of tokens in the output token; pools whose legs sell the least value are tried first
 * @param allocate - finds the route from which the division without a pool starts
 */
export function divideWithoutPools(
  problem: Problem,
  flow: Flow,
  values: Float64Array,
  allocate: (restricted: Problem) => Flow | null,
): Flow {
  const { budget, graph } = problem
  const { from } = graph.topology
  const minRemainingWork = budget.remaining - MAX_COSTLY_POOLS_WORK
  const costlyEdges = [...flow.edges.entries()]
    .filter(([, edge]) => legBaseCost(problem, edge) > flow.net * MIN_COSTLY_POOL_SHARE)
    .map(([k, edge]) => ({ edge, value: flow.input[k]! * values[from[edge]!]! }))
    .sort((a, b) => a.value - b.value)
  const pools = new Set(costlyEdges.map(({ edge }) => graph.edges[edge]!.pool.id))
  const dividedFlows = [...pools].slice(0, MAX_POOLS_LEFT_OUT).map((id) => {
    if (budget.remaining < minRemainingWork || !isDivisible(problem)) return null
    const divideWithout = () => {
      const restricted = withoutEdges(problem, graph.topology.edgesOfPool.get(id)!)
      return divide(restricted, allocate(restricted))
    }
    return budget.attempt(1 / 2, divideWithout, () => null)
  })
  return bestOf(problem, [flow, ...dividedFlows]) ?? flow
}

/**
 * Returns true if a pool of the flow is too small for the whole trade. If no pool is too small, an allocation by prices
 * is almost always good enough. This was measured on 2,000 trades on small graphs that were not proven to be nearly
 * optimal: only 4 gained more than 3 bps from a division. The outputs of these 4 were at least 0.8 % below the bound.
 */
export function hasSmallPool(problem: Problem, { edges }: Flow, { maxRate }: SpotRates): boolean {
  const { from } = problem.graph.topology
  const value = problem.amountIn * maxRate[problem.source]!
  return edges.some((edge) => capacityOf(curveOf(problem, edge)) * maxRate[from[edge]!]! < value)
}

/**
 * Improves a flow by a division that starts from the best division without gas. With gas, a division begins on few
 * paths. Without gas, it also finds paths that earn their gas only with larger amounts.
 */
export function divideFromGasFreeDivision(problem: Problem, flow: Flow): Flow {
  const gasFreeDivision = divide({ ...problem, costPerGas: 0, costPerLeg: 0 }, flow)
  return (gasFreeDivision && bestOf(problem, [flow, divide(problem, gasFreeDivision)])) || flow
}

/** Returns true if the graph is small, the trade may be divided, and enough work is left for a division. */
export const isDivisible = (problem: Problem): boolean =>
  !problem.isSinglePath && isSmallGraph(problem) && problem.budget.remaining >= MAX_DIVISION_WORK

/**
 * Divides the trade among all paths of a small graph. Null if the problem is not divisible (see `isDivisible`), or if
 * no division is found.
 *
 * @param flow - flow from which the division starts; null if none is known
 */
export function divide(problem: Problem, flow: Flow | null): Flow | null {
  if (!isDivisible(problem)) return null
  const edges = new Set([...problem.rate.keys()].filter((edge) => problem.rate[edge]! > 0))
  return problem.budget.attempt(
    1 / 2,
    () => divideAmongPaths(problem, flow, edges),
    () => null,
  )
}
