/**
 * Gas of the edges (pools in one direction) of a graph that was learned from simulations: measured gas of hops, and
 * corrections for whole pools.
 */
import { measuredHopGas } from '../gas/refunds.ts'
import type { EdgeGas, Graph } from '../graph/graph.ts'
import type { LearnedGas, MeasuredHop } from '../types.ts'
import type { Ends } from './passable.ts'

/** Learned gas of a request that has no learned gas. */
export const NO_LEARNED_GAS: EdgeGas = { extraGas: new Float64Array(0), measuredHops: new Map() }

/**
 * Returns the learned gas of all edges for a route from a source to a target. `extraGas` is a borrowed scratch array.
 */
export function edgeGas(graph: Graph, learnedGas: LearnedGas | undefined, { source, target }: Ends): EdgeGas {
  if (!learnedGas) return NO_LEARNED_GAS
  const innerGas = innerHopGas(graph, learnedGas)
  const { offset, reverse, from, to, scratch } = graph.topology
  const extraGas = scratch.copy(innerGas.extraGas)
  // The first and the last hop of a route take other gas than hops between them, because their transfers differ.
  const setAtEnd = (edge: number) => {
    const hop = innerGas.measuredHops.get(edge)
    if (hop) extraGas[edge] = extraGasOf(graph, edge, hop, from[edge] === source, to[edge] === target)
  }
  for (let edge = offset[source]!; edge < offset[source + 1]!; edge++) setAtEnd(edge)
  for (let edge = offset[target]!; edge < offset[target + 1]!; edge++) setAtEnd(reverse[edge]!)
  return { extraGas, measuredHops: innerGas.measuredHops }
}

/**
 * Returns the learned gas of hops in the middle of a route. Computed once per graph, because requests of a block share
 * it.
 */
function innerHopGas(graph: Graph, learnedGas: LearnedGas): EdgeGas {
  const { innerHopGas: cache } = graph.facts
  const cachedGas = cache.get(learnedGas)
  if (cachedGas) return cachedGas
  const extraGas = new Float64Array(graph.topology.from.length)
  const measuredHops = new Map<number, MeasuredHop>()
  for (const [id, gas] of learnedGasOf(graph, learnedGas))
    for (const edge of graph.topology.edgesOfPool.get(id)!) {
      if (typeof gas === 'number') {
        extraGas[edge] = gas
        continue
      }
      const { tokenIn, tokenOut } = graph.edges[edge]!
      const hop = gas.find((measuredHop) => measuredHop.tokenIn === tokenIn && measuredHop.tokenOut === tokenOut)
      if (!hop) continue
      extraGas[edge] = extraGasOf(graph, edge, hop, false, false)
      measuredHops.set(edge, hop)
    }
  const innerGas = { extraGas, measuredHops }
  cache.set(learnedGas, innerGas)
  return innerGas
}

/**
 * Iterates the learned gas of the graph's pools. Goes through the smaller of the two maps, because subgraphs contain
 * few pools.
 */
function* learnedGasOf({ topology: { edgesOfPool } }: Graph, learnedGas: LearnedGas) {
  const [smallerMap, largerMap] =
    edgesOfPool.size < learnedGas.size ? [edgesOfPool, learnedGas] : [learnedGas, edgesOfPool]
  for (const id of smallerMap.keys()) if (largerMap.has(id)) yield [id, learnedGas.get(id)!] as const
}

/** Difference between the measured gas of a hop, at its position in the route, and the figure in the graph. */
function extraGasOf(graph: Graph, edge: number, hop: MeasuredHop, isFirst: boolean, isLast: boolean): number {
  const { pool, gas } = graph.edges[edge]!
  return measuredHopGas(hop, pool, isFirst, isLast) - gas
}
