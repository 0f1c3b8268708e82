/**
 * The last bit of an allocation through shared pools: what a leg's fee leaves in a pool changes what the next one buys of
 * it, and the trading function knows nothing of that. Parts of each token are moved a little, as long as the route then pays
 * more.
 */

import type { Problem } from '../problem/problem.ts'
import { type Flow, groupBy, pushThrough } from '../solver/flow.ts'
import { usesPoolTwice } from '../solver/shared-pools.ts'
import { POLISH_ENOUGH, POLISH_MOST, POLISH_PASSES, POLISH_STEP } from '../tolerances.ts'

export function polish(problem: Problem, flow: Flow): Flow {
  if (!problem.reuse || !usesPoolTwice(problem.graph, flow.edges)) return flow
  let best = pushThrough(problem, flow.edges, flow.input, { order: 'any' }) ?? flow
  for (let pass = 0; pass < POLISH_PASSES; pass++) {
    const before = best.net
    const beside = groupBy(best.edges, (edge) => problem.graph.topology.from[edge]!)
    for (const edges of beside.values())
      if (edges.length > 1) for (const edge of edges) best = moved(problem, best, edge)
    if (!(best.net > before * (1 + POLISH_ENOUGH))) break
  }
  const polished = pushThrough(problem, best.edges, best.input)
  return polished && polished.net > flow.net ? polished : flow
}

/** With the leg's part where a parabola through three trials has its top. */
function moved(problem: Problem, flow: Flow, edge: number): Flow {
  const at = (change: number): Flow | null =>
    pushThrough(
      problem,
      flow.edges,
      flow.edges.map((other, k) => flow.input[k]! * (other === edge ? 1 + change : 1)),
      { order: 'any' },
    )
  const [less, more] = [at(-POLISH_STEP), at(POLISH_STEP)]
  if (!less || !more) return flow
  const bend = more.net - 2 * flow.net + less.net
  const top =
    bend < 0 ? (POLISH_STEP * (less.net - more.net)) / (2 * bend) : Math.sign(more.net - less.net) * POLISH_MOST
  const there = at(Math.min(POLISH_MOST, Math.max(-POLISH_MOST, top)))
  return [less, more, there].reduce<Flow>((best, next) => (next && next.net > best.net ? next : best), flow)
}
