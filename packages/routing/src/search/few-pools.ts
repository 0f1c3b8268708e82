/**
 * Routes of few pools, put together path by path. A division of a trade says little of the best route of two or three pools:
 * what earns least beside twenty others may be among the best three. So where few pools are allowed, paths join one by one,
 * each time the one with which the trade pays most.
 */
import { type Flow, flowOf } from './flow.ts'
import type { Problem } from './problem.ts'
import { costOf, responseOf } from './problem.ts'
import { outputOf } from './response.ts'
import { FEW_STEPS, TIGHT, WaterFilling } from './water-filling.ts'

/** With more pools than this allowed, taking pools out of a division does as well. */
export const FEW_POOLS = 6
/** Paths that are looked at, and those of them that are tried: the best by themselves, for all of the trade and for a part. */
const MOST_PATHS = 2_000
const MOST_TRIED = 12
const PART = 1 / 8
/** Paths from which a route is begun. */
const BEGINNINGS = 3

type Path = { readonly edges: readonly number[]; readonly whole: number; readonly part: number }

/**
 * The best route found of paths over the edges; null where there is none.
 *
 * @param known - edges that some division used or could have used
 * @param worth - what tokens are worth in the output token, to begin with
 */
export function joinPaths(problem: Problem, known: Iterable<number>, worth: Float64Array): Flow | null {
  const paths = pathsOver(problem, withDirect(problem, known))
  const tried = new Set([...bestBy(paths, 'whole'), ...bestBy(paths, 'part')])
  let best: Flow | null = null
  for (const first of bestBy(paths, 'whole').slice(0, BEGINNINGS)) {
    let flow = flowOver(problem, new Set(first.edges), worth)
    // Each turn but the last adds an edge, of as many as are allowed.
    for (let next = flow; next; flow = next ?? flow) {
      next = null
      for (const { edges } of tried) {
        const together = new Set([...(flow?.edges ?? []), ...edges])
        if (together.size > problem.maxPools || together.size === flow?.edges.length) continue
        const other = flowOver(problem, together, worth)
        if (other && other.net > (next ?? flow)!.net) next = other
      }
    }
    if (flow && (!best || flow.net > best.net)) best = flow
  }
  return best
}

const bestBy = (paths: readonly Path[], what: 'whole' | 'part'): readonly Path[] =>
  paths.toSorted((a, b) => b[what] - a[what]).slice(0, MOST_TRIED)

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
  const follow = (token: number, way: readonly number[], whole: number, part: number, cost: number): void => {
    if (token === target) {
      paths.push({ edges: way, whole: whole - cost, part: part - cost })
      return
    }
    if (way.length === maxHops) return
    for (const edge of outOf.get(token) ?? []) {
      const next = to[edge]!
      if (next === source || way.some((before) => from[before] === next) || steps >= MOST_PATHS) continue
      steps++
      budget.spend(20)
      const response = responseOf(problem, edge)
      follow(
        next,
        [...way, edge],
        outputOf(response, whole),
        outputOf(response, part),
        cost + costOf(problem, edge, whole),
      )
    }
  }
  follow(source, [], amountIn, amountIn * PART, 0)
  return paths
}

function flowOver(problem: Problem, edges: ReadonlySet<number>, worth: Float64Array): Flow | null {
  const { from, to } = problem.graph.topology
  return problem.graph.topology.scratch.within(() => {
    const filling = new WaterFilling(problem)
    for (const edge of edges)
      for (const token of [from[edge]!, to[edge]!]) filling.addToken(token, Math.log(worth[token]!))
    for (const edge of edges) filling.addEdge(edge)
    filling.solve(TIGHT, FEW_STEPS)
    const flow = flowOf(problem, filling)
    return flow && flow.edges.length <= problem.maxPools && flow.hops <= problem.maxHops ? flow : null
  })
}
