/** The best path over a large graph: after gas, by bounds that leave few of its pools to be asked, and at spot rates. */
import { bestSinglePath, onCurves, type PathBounds } from '../columns/single-path.ts'
import type { Exits, Graph, TargetLabels } from '../graph/graph.ts'
import { mostConductance } from '../graph/price-curve.ts'
import { potential } from '../problem/potentials.ts'
import type { Problem } from '../problem/problem.ts'
import type { Growth } from './grower.ts'
import type { Part } from './part-of-graph.ts'
import { MANY_EDGES, PATH_ROUNDING } from './tolerances.ts'

/**
 * @param problem - on the whole graph
 * @param coarse - the same on a part of it, whose best path others have to better
 */
export function bestPath(
  problem: Problem,
  { best, hops }: TargetLabels,
  coarse: { readonly problem: Problem; readonly part: Part },
): readonly number[] {
  const { from, scratch } = problem.graph.topology
  const link = scratch.ints(best.length, -1)
  const first = bestSinglePath(coarse.problem, potential(coarse.problem, coarse.problem.target, 'to'))
  for (const place of first ?? []) {
    const edge = coarse.part.edges[place]!
    link[from[edge]!] = edge
  }
  return bestSinglePath(problem, { best, hops, link }, onCurves(problem), boundsOf(problem, best)) ?? []
}

/**
 * A pool of x·y = k that is everywhere as deep as another is at its deepest pays no less than it does. So what a path brings is bounded
 * by such a pool in the place of an edge, and on from its end by one as deep as the deepest that leads on or the deepest that leads to
 * the target, whichever bounds more: where one leg is left, both are the same.
 */
function boundsOf(problem: Problem, best: Float64Array): PathBounds {
  const { taxed, graph, rate, source, target } = problem
  const { from, to } = graph.topology
  const exits = exitsOf(graph)
  // Taxes and haircuts on what an edge pays leave its depth as it is; those on what it takes are of edges out of the source.
  const depthOf = (edge: number) => {
    const curve = from[edge] === source ? taxed.get(edge) : undefined
    return 2 * (curve ? mostConductance(curve) : graph.mostConductance[edge]!)
  }
  const last = lastDepth(problem, best, depthOf)
  const paid = (worth: number, depth: number) => (worth * (1 + PATH_ROUNDING)) / (1 + worth / depth)
  return {
    output: (edge, amountIn) => rate[edge]! * paid(amountIn, depthOf(edge)),
    worth: (edge, amountOut) => {
      const token = to[edge]!
      if (token === target) return amountOut
      // It leads to no token that the path has passed.
      const exit = exits.to[token] === from[edge] ? exits.second[token]! : exits.deepest[token]!
      return paid(amountOut * best[token]!, Math.min(exit * best[token]!, last))
    },
  }
}

function exitsOf(graph: Graph): Exits {
  if (graph.facts.exits) return graph.facts.exits
  const { mostConductance: conductance } = graph
  const { offset, to, tokens } = graph.topology
  const [deepest, second] = [new Float64Array(tokens.length), new Float64Array(tokens.length)]
  const neighbour = new Int32Array(tokens.length).fill(-1)
  for (let token = 0; token < tokens.length; token++)
    for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
      const depth = 2 * conductance[edge]!
      if (depth > deepest[token]!) {
        if (to[edge] !== neighbour[token]) second[token] = deepest[token]!
        deepest[token] = depth
        neighbour[token] = to[edge]!
      } else if (to[edge] !== neighbour[token] && depth > second[token]!) second[token] = depth
    }
  graph.facts.exits = { deepest, to: neighbour, second }
  return graph.facts.exits
}

/** Depth of the deepest edge to the target, in output base units; ∞ where there are many. */
function lastDepth({ graph, target }: Problem, best: Float64Array, depthOf: (edge: number) => number): number {
  const { offset, to, reverse } = graph.topology
  const [start, end] = [offset[target]!, offset[target + 1]!]
  if (end - start > MANY_EDGES) return Number.POSITIVE_INFINITY
  let deepest = 0
  for (let out = start; out < end; out++) deepest = Math.max(deepest, depthOf(reverse[out]!) * best[to[out]!]!)
  return deepest
}

/** The best way from the source at spot rates; as far as it leads. */
export function bestWay(graph: Graph, { ends, labels, maxHops, between, budget }: Growth): readonly number[] {
  const { offset, to } = graph.topology
  const way: number[] = []
  let token = ends.source
  while (token !== ends.target && way.length < maxHops) {
    let [chosen, most] = [-1, 0]
    const { rate } = token === ends.source ? graph : between
    budget.spend(1 + (offset[token + 1]! - offset[token]!) / 4)
    for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
      const other = to[edge]!
      if (labels.hops[other]! > maxHops - 1 - way.length) continue
      const value = (other === ends.target ? graph.rate[edge]! : rate[edge]!) * labels.best[other]!
      if (value > most) [chosen, most] = [edge, value]
    }
    if (chosen < 0) break
    way.push(chosen)
    token = to[chosen]!
  }
  return way
}
