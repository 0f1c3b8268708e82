/**
 * The trust rule: which edges a route may use between intermediate tokens, and which at its input and output token (its
 * ends). An edge is a pool in one direction. A trust list names trusted tokens and pools.
 */
import { familyOf, isTrustedPool, type Pool, type Trust } from '@sluice/liquidity'
import type { Graph, Rates } from '../graph/graph.ts'
import type { SourceFilter } from '../sources.ts'

/** Rates of the edges that a route with any ends may use; 0 for all other edges. Cached per graph. */
export function trustedRates(graph: Graph, trust: Trust): Rates {
  const cachedRates = graph.facts.passableRates.get(trust)
  if (cachedRates) return cachedRates
  const { edges, topology } = graph
  const [rate, rateBack] = [graph.rate.slice(), graph.rateBack.slice()]
  for (let edge = 0; edge < edges.length; edge++) {
    const { pool, tokenIn, tokenOut } = edges[edge]!
    if (trust.tokens.has(tokenIn) && trust.tokens.has(tokenOut) && isTrustedPool(pool, trust)) continue
    rate[edge] = 0
    rateBack[topology.reverse[edge]!] = 0
  }
  const rates = { rate, rateBack }
  graph.facts.passableRates.set(trust, rates)
  return rates
}

/** Token indices of a trade's ends. */
export type Ends = { readonly source: number; readonly target: number }

/**
 * Rates of the edges that a route between two ends may use; 0 for all other edges. The ends themselves need not be
 * trusted. An untrusted pool that trades an end is admitted in two cases: the caller names its family or DEX, or it is
 * sampled and `withSampled` is true.
 *
 * @param withSampled - true if the caller compares the route with a route without untrusted sampled pools
 * @param onRefused - called with the pool of each edge at the ends that is not admitted
 */
export function passableRates(
  graph: Graph,
  trust: Trust | undefined,
  { source, target }: Ends,
  sources: SourceFilter | undefined,
  withSampled: boolean,
  onRefused: (pool: Pool) => void,
): Rates {
  const { topology, edges } = graph
  const { scratch, offset, reverse, from, to } = topology
  const baseRates = trust ? trustedRates(graph, trust) : graph
  const rate = scratch.copy(baseRates.rate)
  const rateBack = scratch.copy(baseRates.rateBack)
  if (!trust) return { rate, rateBack }
  const admit = (edge: number) => {
    if (rate[edge]! > 0 || !(graph.rate[edge]! > 0)) return
    const { pool, tokenIn, tokenOut } = edges[edge]!
    const hasTrustedTokens =
      (from[edge] === source || trust.tokens.has(tokenIn)) && (to[edge] === target || trust.tokens.has(tokenOut))
    if (!hasTrustedTokens) return
    if (!isTrustedPool(pool, trust) && !isNamedSource(pool, sources) && !(withSampled && isSampled(pool)))
      return onRefused(pool)
    rate[edge] = graph.rate[edge]!
    rateBack[reverse[edge]!] = graph.rate[edge]!
  }
  for (let edge = offset[source]!; edge < offset[source + 1]!; edge++) admit(edge)
  for (let edge = offset[target]!; edge < offset[target + 1]!; edge++) admit(reverse[edge]!)
  return { rate, rateBack }
}

/** Returns true if the pool is quoted from swaps that were simulated on chain. */
export const isSampled = ({ family }: Pool): boolean => familyOf(family)?.sampled !== undefined

/** Returns true if the caller names the family or DEX of the pool. */
export function isNamedSource({ family, dex }: Pool, sources: SourceFilter | undefined): boolean {
  const { include } = sources ?? {}
  return include !== undefined && (include.has(family.toLowerCase()) || include.has(dex.toLowerCase()))
}
