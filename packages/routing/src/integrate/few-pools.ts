/**
 * Routes of few pools, put together path by path. An allocation of a trade says little of the best route of two or three
 * pools: what earns least beside twenty others may be among the best three. So where few pools are allowed, paths join one
 * by one, each time the one with which the trade pays most.
 */

import { outputOf } from '../graph/price-curve.ts'
import type { Problem } from '../problem/problem.ts'
import { costOf, curveOf } from '../problem/problem.ts'
import { Allocation } from '../solver/allocation.ts'
import { solve } from '../solver/dual-solver.ts'
import { type Flow, flowOf } from '../solver/flow.ts'
import {
  DETOUR_ROUNDS,
  FEW_STEPS,
  JOINED_BEGINNINGS,
  JOINED_LITTLE,
  JOINED_PART,
  JOINED_PATHS,
  JOINED_TRIED,
  TIGHT,
} from '../tolerances.ts'
import { detoursAround } from './detours.ts'

/** Edges in series, and what they pay after gas for the whole trade, a part and a little of it. */
type Path = {
  readonly edges: readonly number[]
  readonly whole: number
  readonly part: number
  readonly little: number
}

/**
 * The best route found of paths over the edges; null where there is none.
 *
 * @param known - edges that some allocation used or could have used
 * @param values - what tokens are worth in the output token, to begin with
 */
export function joinPaths(problem: Problem, known: Iterable<number>, values: Float64Array): Flow | null {
  const paths = pathsOver(problem, withDirect(problem, known))
  const tried = new Set([...bestBy(paths, 'whole'), ...bestBy(paths, 'part')])
  let best: Flow | null = null
  for (const first of bestBy(paths, 'whole').slice(0, JOINED_BEGINNINGS)) {
    const flow = extended(problem, flowOver(problem, new Set(first.edges), values), tried, values)
    if (flow && (!best || flow.net > best.net)) best = flow
  }
  return best
}

/**
 * A route with detours and paths joined as long as it pays more: what pruning cannot find again, once it took ways out that
 * earn their gas together alone, and what column generation does not see for ways that are too long.
 */
export function extend(problem: Problem, flow: Flow, known: Iterable<number>, values: Float64Array): Flow {
  const inUse = new Set(flow.edges)
  const paths = pathsOver(problem, withDirect(problem, known)).filter(({ edges }) =>
    edges.some((edge) => !inUse.has(edge)),
  )
  const joined =
    extended(problem, flow, new Set([...bestBy(paths, 'part'), ...bestBy(paths, 'little')]), values) ?? flow
  return withDetours(problem, joined, values)
}

/** A route with detours joined as long as it pays more. Prices move with every detour, so they are found again after each. */
export function withDetours(problem: Problem, flow: Flow, values: Float64Array): Flow {
  let best = flow
  for (let round = 0; round < DETOUR_ROUNDS && best.edges.length < problem.maxPools; round++) {
    const ways = problem.graph.topology.scratch.within(() =>
      detoursAround(problem, allocationOver(problem, best.edges, values), best),
    )
    const better = extended(
      problem,
      best,
      ways.map((edges) => ({ edges })),
      values,
    )
    if (!better || !(better.net > best.net)) break
    best = better
  }
  return best
}

function extended(
  problem: Problem,
  from: Flow | null,
  tried: Iterable<Pick<Path, 'edges'>>,
  values: Float64Array,
): Flow | null {
  let flow = from
  // Each turn but the last adds an edge, of as many as are allowed.
  for (let next = flow; next; flow = next ?? flow) {
    next = null
    for (const { edges } of tried) {
      const together = new Set([...(flow?.edges ?? []), ...edges])
      if (together.size > problem.maxPools || together.size === flow?.edges.length) continue
      const other = flowOver(problem, together, values)
      if (other && other.net > (next ?? flow)!.net) next = other
    }
  }
  return flow
}

const bestBy = (paths: readonly Path[], what: 'whole' | 'part' | 'little'): readonly Path[] =>
  paths.toSorted((a, b) => b[what] - a[what]).slice(0, JOINED_TRIED)

function withDirect({ graph, rate, source, target }: Problem, known: Iterable<number>): ReadonlySet<number> {
  const { offset, to } = graph.topology
  const edges = new Set(known)
  for (let edge = offset[source]!; edge < offset[source + 1]!; edge++)
    if (to[edge] === target && rate[edge]! > 0) edges.add(edge)
  return edges
}

/** Ways of as many edges as are allowed, each token once; depth first, up to a number of steps. */
function pathsOver(problem: Problem, edges: ReadonlySet<number>): readonly Path[] {
  const { graph, source, target, amountIn, maxHops, rate, budget } = problem
  const { from, to } = graph.topology
  const outOf = new Map<number, number[]>()
  for (const edge of edges) {
    if (rate[edge] === 0) continue
    const beside = outOf.get(from[edge]!)
    if (beside) beside.push(edge)
    else outOf.set(from[edge]!, [edge])
  }
  const paths: Path[] = []
  let steps = 0
  const follow = (token: number, way: readonly number[], amounts: readonly number[], cost: number): void => {
    if (token === target) {
      const [whole, part, little] = amounts.map((amount) => amount - cost)
      paths.push({ edges: way, whole: whole!, part: part!, little: little! })
      return
    }
    if (way.length === maxHops) return
    for (const edge of outOf.get(token) ?? []) {
      const next = to[edge]!
      if (next === source || way.some((before) => from[before] === next) || steps >= JOINED_PATHS) continue
      steps++
      budget.spend(20)
      const curve = curveOf(problem, edge)
      const further = amounts.map((amount) => outputOf(curve, amount))
      follow(next, [...way, edge], further, cost + costOf(problem, edge, amounts[0]!))
    }
  }
  const amounts = [1, JOINED_PART, JOINED_LITTLE].map((part) => amountIn * part)
  follow(source, [], amounts, 0)
  return paths
}

function flowOver(problem: Problem, edges: Iterable<number>, values: Float64Array): Flow | null {
  return problem.graph.topology.scratch.within(() => {
    const flow = flowOf(problem, allocationOver(problem, edges, values))
    return flow && flow.edges.length <= problem.maxPools && flow.hops <= problem.maxHops ? flow : null
  })
}

function allocationOver(problem: Problem, edges: Iterable<number>, values: Float64Array): Allocation {
  const allocation = new Allocation(problem)
  for (const edge of edges) allocation.addEnds(edge, values)
  for (const edge of edges) allocation.addEdge(edge)
  solve(allocation, TIGHT, FEW_STEPS)
  return allocation
}
