/**
 * Restricts a problem after a settlement (computation of a route's exact amounts), so that the next search avoids pools
 * or amounts that failed in it. An edge is a pool in one direction.
 */
import { type CompiledCurve, capacityOf, upToInput } from '../graph/price-curve.ts'
import { QUOTE_WORK } from '../problem/budget.ts'
import { type Admission, curveOf, type Problem, withoutEdges } from '../problem/problem.ts'
import type { SearchResult } from '../search.ts'
import type { Flow } from '../solver/flow.ts'
import type { Taxes } from '../taxes.ts'
import { MAX_REFUSED_STEPS, REFUSED_STEP_DIVISOR, ROOM_IN_FULL_POOLS, TICK_MARGIN_DIVISOR } from '../tolerances.ts'
import { type LegRefused, legOf, outputOfPool, type Settlement } from './settle.ts'

/**
 * Limits the input of each edge to slightly less than its leg sells, if the smaller leg takes less gas. This is so if
 * rounding moved the leg just past a tick. Null if no smaller leg takes less gas.
 */
export function withSmallerLegs(problem: Problem, settlement: Settlement, taxes?: Taxes): Problem | null {
  const limitedCurves = new Map<number, CompiledCurve>()
  for (const [k, edge] of settlement.edges.entries()) {
    const { amountIn, gas } = settlement.legs[k]!
    const smallerInput = amountIn - amountIn / TICK_MARGIN_DIVISOR - 1n
    problem.budget.spend(QUOTE_WORK)
    const smallerLeg = legOf(problem.graph.edges[edge]!, smallerInput, taxes)
    if (smallerLeg && smallerLeg.gas < gas)
      limitedCurves.set(edge, upToInput(curveOf(problem, edge), Number(smallerInput)))
  }
  return limitedCurves.size > 0 ? withCurves(problem, limitedCurves) : null
}

const withCurves = (problem: Problem, curves: ReadonlyMap<number, CompiledCurve>): Problem => ({
  ...problem,
  adjustedCurves: new Map([...problem.adjustedCurves, ...curves]),
})

/**
 * Limits the input of an edge to slightly less than the amount at which its pool's arithmetic failed. Null if it also
 * fails at the smaller amounts that are tried, or if the pool refused for another reason.
 */
export function limitedBelowRefused(
  problem: Problem,
  { edge, amountIn, code, reusesPool }: LegRefused,
  taxes?: Taxes,
): Problem | null {
  if (code !== 'UNSUPPORTED' || reusesPool) return null
  const step = amountIn / REFUSED_STEP_DIVISOR + 1n
  for (let steps = 1n; steps <= MAX_REFUSED_STEPS; steps *= 2n) {
    const smallerInput = amountIn - steps * step
    if (smallerInput > 0n && outputOfPool(problem.graph.edges[edge]!, smallerInput, taxes) > 0n)
      return withInputLimit(problem, edge, smallerInput)
  }
  return null
}

const withInputLimit = (problem: Problem, edge: number, amountIn: bigint): Problem =>
  withCurves(problem, new Map([[edge, upToInput(curveOf(problem, edge), Number(amountIn))]]))

/**
 * Changes the problem so that the refusal cannot recur: limits or removes the edge, removes the pool, or forbids routes
 * that use a pool twice.
 */
export function withoutRefused(problem: Problem, refusal: LegRefused, admission: Admission): Problem {
  const { edge, pool, limit, isBecauseOfSize } = refusal
  // If several legs share the pool, the search may have counted its liquidity twice.
  if (refusal.reusesPool && problem.mayReusePools) return { ...problem, mayReusePools: false }
  admission.recordRejection(pool, refusal.message)
  if (!isBecauseOfSize) return withoutEdges(problem, problem.graph.topology.edgesOfPool.get(pool.id) ?? [])
  if (limit === null || limit === 0n) return withoutEdges(problem, [edge])
  return withInputLimit(problem, edge, limit)
}

/**
 * Restricts the problem to one edge of each pool that a flow uses several times: the edge that trades the most value.
 * Null if no pool is used several times.
 */
export function withSingleUse(
  problem: Problem,
  { flow, spotRates }: Pick<SearchResult, 'flow' | 'spotRates'>,
): Problem | null {
  const { edges, topology } = problem.graph
  const valueAt = (index: number) => flow.input[index]! * spotRates.maxRate[topology.from[flow.edges[index]!]!]!
  const mainIndexByPool = new Map<string, number>()
  const reusedPools = new Set<string>()
  for (const [index, edge] of flow.edges.entries()) {
    const { id } = edges[edge]!.pool
    const mainIndex = mainIndexByPool.get(id)
    if (mainIndex !== undefined) reusedPools.add(id)
    if (mainIndex === undefined || valueAt(index) > valueAt(mainIndex)) mainIndexByPool.set(id, index)
  }
  const closedEdges = [...reusedPools].flatMap((id) =>
    topology.edgesOfPool.get(id)!.filter((edge) => edge !== flow.edges[mainIndexByPool.get(id)!]),
  )
  return closedEdges.length > 0 ? withoutEdges(problem, closedEdges) : null
}

/**
 * Reduces the capacity of the pools that a flow fills. Settlement may assign a few more units to a pool than the flow
 * does, and these units then fit into the reserved room. Null if no pool is full.
 */
export function withRoomInFullPools(problem: Problem, { edges, input }: Flow): Problem | null {
  const limitedCurves = new Map<number, CompiledCurve>()
  for (const [k, edge] of edges.entries()) {
    const curve = curveOf(problem, edge)
    const maxInput = capacityOf(curve) * (1 - ROOM_IN_FULL_POOLS)
    if (input[k]! > maxInput) limitedCurves.set(edge, upToInput(curve, maxInput))
  }
  return limitedCurves.size > 0 ? withCurves(problem, limitedCurves) : null
}
