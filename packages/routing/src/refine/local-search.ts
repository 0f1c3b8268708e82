/**
 * Local search over the inputs of legs, for routes that use several pairs of a pool of more than two tokens. A leg
 * leaves its fee in the pool, which changes the output of later legs through this pool. The solver that finds the
 * inputs does not model this, so the inputs are changed slightly while the route improves. A route is a flow: edges
 * (pools in one direction) with their inputs.
 */

import type { Problem } from '../problem/problem.ts'
import { type Flow, groupBy, pushThrough } from '../solver/flow.ts'
import { usesPoolTwice } from '../solver/shared-pools.ts'
import { LOCAL_SEARCH_MAX_STEP, LOCAL_SEARCH_MIN_GAIN, LOCAL_SEARCH_PASSES, LOCAL_SEARCH_STEP } from '../tolerances.ts'

/** Returns an improved flow, or `flow` itself if it uses no pool twice or cannot be improved. */
export function localSearch(problem: Problem, flow: Flow): Flow {
  if (!problem.mayReusePools || !usesPoolTwice(problem.graph, flow.edges)) return flow
  let best = pushThrough(problem, flow.edges, flow.input, { legOrder: 'any' }) ?? flow
  for (let pass = 0; pass < LOCAL_SEARCH_PASSES; pass++) {
    const netBeforePass = best.net
    const groups = groupBy(best.edges, (edge) => problem.graph.topology.from[edge]!)
    for (const edges of groups.values())
      if (edges.length > 1) for (const edge of edges) best = moveShare(problem, best, edge)
    if (!(best.net > netBeforePass * (1 + LOCAL_SEARCH_MIN_GAIN))) break
  }
  const improvedFlow = pushThrough(problem, best.edges, best.input)
  return improvedFlow && improvedFlow.net > flow.net ? improvedFlow : flow
}

/**
 * Changes one leg's share of its sold token. Tries a smaller and a larger input. A parabola through the net outputs of
 * these two inputs and of the current input has its vertex at a fourth input, which is tried, too. Returns the best
 * flow.
 */
function moveShare(problem: Problem, flow: Flow, edge: number): Flow {
  const flowAt = (change: number): Flow | null =>
    pushThrough(
      problem,
      flow.edges,
      flow.edges.map((other, k) => flow.input[k]! * (other === edge ? 1 + change : 1)),
      { legOrder: 'any' },
    )
  const [smallerFlow, largerFlow] = [flowAt(-LOCAL_SEARCH_STEP), flowAt(LOCAL_SEARCH_STEP)]
  if (!smallerFlow || !largerFlow) return flow
  const curvature = largerFlow.net - 2 * flow.net + smallerFlow.net
  const vertexChange =
    curvature < 0
      ? (LOCAL_SEARCH_STEP * (smallerFlow.net - largerFlow.net)) / (2 * curvature)
      : Math.sign(largerFlow.net - smallerFlow.net) * LOCAL_SEARCH_MAX_STEP
  const vertexFlow = flowAt(Math.min(LOCAL_SEARCH_MAX_STEP, Math.max(-LOCAL_SEARCH_MAX_STEP, vertexChange)))
  return [smallerFlow, largerFlow, vertexFlow].reduce<Flow>(
    (best, candidate) => (candidate && candidate.net > best.net ? candidate : best),
    flow,
  )
}
