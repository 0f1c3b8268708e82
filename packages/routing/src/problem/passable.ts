/** Which edges a route may pass through between its ends, and which it may use at them. */
import { isTrustedPool, type Pool, type Trust } from '@sluice/liquidity'
import type { Graph, Rates } from '../graph/graph.ts'
import type { SourceFilter } from '../sources.ts'

/** Rates of the edges that any route may pass through: made once for a graph. */
export function ratesBetween(graph: Graph, trust: Trust): Rates {
  const known = graph.facts.passable.get(trust)
  if (known) return known
  const { edges, topology } = graph
  const [rate, rateBack] = [graph.rate.slice(), graph.rateBack.slice()]
  for (let edge = 0; edge < edges.length; edge++) {
    const { pool, tokenIn, tokenOut } = edges[edge]!
    if (trust.tokens.has(tokenIn) && trust.tokens.has(tokenOut) && isTrustedPool(pool, trust)) continue
    rate[edge] = 0
    rateBack[topology.reverse[edge]!] = 0
  }
  const rates = { rate, rateBack }
  graph.facts.passable.set(trust, rates)
  return rates
}

export type Ends = { readonly source: number; readonly target: number }

/**
 * Rates as a route between two ends may use them. The ends may be any token; pools there whose answer depends on accounts
 * that nobody vouches for only where the caller names their source.
 *
 * @param refused - told of each pool at the ends that is left out
 */
export function passableRates(
  graph: Graph,
  trust: Trust | undefined,
  { source, target }: Ends,
  sources: SourceFilter | undefined,
  refused: (pool: Pool) => void,
): Rates {
  const { topology, edges } = graph
  const { scratch, offset, reverse, from, to } = topology
  const open = trust ? ratesBetween(graph, trust) : graph
  const rate = scratch.copy(open.rate)
  const rateBack = scratch.copy(open.rateBack)
  if (!trust) return { rate, rateBack }
  const admit = (edge: number) => {
    if (rate[edge]! > 0 || !(graph.rate[edge]! > 0)) return
    const { pool, tokenIn, tokenOut } = edges[edge]!
    const joins =
      (from[edge] === source || trust.tokens.has(tokenIn)) && (to[edge] === target || trust.tokens.has(tokenOut))
    if (!joins) return
    if (!isTrustedPool(pool, trust) && !isChosen(pool, sources)) return refused(pool)
    rate[edge] = graph.rate[edge]!
    rateBack[reverse[edge]!] = graph.rate[edge]!
  }
  for (let edge = offset[source]!; edge < offset[source + 1]!; edge++) admit(edge)
  for (let edge = offset[target]!; edge < offset[target + 1]!; edge++) admit(reverse[edge]!)
  return { rate, rateBack }
}

/** True where the caller names the source of a pool. */
export function isChosen({ family, dex }: Pool, sources: SourceFilter | undefined): boolean {
  const { include } = sources ?? {}
  return include !== undefined && (include.has(family.toLowerCase()) || include.has(dex.toLowerCase()))
}
