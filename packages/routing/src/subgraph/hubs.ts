/** The hubs of a large graph: the tokens with the most edges. Cached as long as no pool is added. */
import type { Hubs, Topology } from '../graph/graph.ts'
import { HUB_COUNT } from './tolerances.ts'

export function hubsOf(topology: Topology): Hubs {
  if (topology.facts.hubs) return topology.facts.hubs
  const { offset, from, to, tokens: all } = topology
  const degree = (token: number) => offset[token + 1]! - offset[token]!
  const tokens = Array.from(all.keys())
    .sort((a, b) => degree(b) - degree(a) || a - b)
    .slice(0, HUB_COUNT)
  const isHub = new Set(tokens)
  const edges: number[] = []
  for (const token of tokens)
    for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) if (isHub.has(to[edge]!)) edges.push(edge)
  const otherEdges = Int32Array.from(from.keys()).filter((edge) => !isHub.has(from[edge]!) && !isHub.has(to[edge]!))
  topology.facts.hubs = { tokens, edges, outerEdges: otherEdges }
  return topology.facts.hubs
}
