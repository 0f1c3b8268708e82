/**
 * The hubs of a large graph: the tokens with the most edges (pools in one direction). Cached as long as the set of
 * pools is unchanged.
 */
import type { Hubs, Topology } from '../graph/graph.ts'
import { HUB_COUNT } from './tolerances.ts'

/** Returns the hubs, most edges first, with the edges between them and the edges without a hub. */
export function hubsOf(topology: Topology): Hubs {
  if (topology.facts.hubs) return topology.facts.hubs
  const { offset, from, to, tokens: allTokens } = topology
  const degreeOf = (token: number) => offset[token + 1]! - offset[token]!
  const tokens = Array.from(allTokens.keys())
    .sort((a, b) => degreeOf(b) - degreeOf(a) || a - b)
    .slice(0, HUB_COUNT)
  const hubSet = new Set(tokens)
  const edges: number[] = []
  for (const token of tokens)
    for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) if (hubSet.has(to[edge]!)) edges.push(edge)
  const outerEdges = Int32Array.from(from.keys()).filter((edge) => !hubSet.has(from[edge]!) && !hubSet.has(to[edge]!))
  topology.facts.hubs = { tokens, edges, outerEdges }
  return topology.facts.hubs
}
