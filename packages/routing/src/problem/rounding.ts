/**
 * Maximum that pools and taxed tokens may pay above their price curves by rounding to whole units in favor of the
 * trader. Bounds on the output include it. An edge is a pool in one direction.
 */
import { familyOf } from '@sluice/liquidity'
import { MIN_EDGE_GAIN } from '../tolerances.ts'
import { curveOf, type Problem } from './problem.ts'

/** Relative difference of two fractions that counts as float rounding. */
const FRACTION_ROUNDING = 1e-12

/** Fractions of an edge's input and output that remain after taxes, without the fee and the discount of the pool. */
function fractionsAfterTax(problem: Problem, edge: number): { readonly ofInput: number; readonly ofOutput: number } {
  const { keepIn, keepOut } = problem.graph.edges[edge]!.curve
  const curve = curveOf(problem, edge)
  return {
    ofInput: curve.keepIn / keepIn,
    ofOutput: curve.keepOut / keepOut / (problem.outputFactors.get(edge) ?? 1),
  }
}

/**
 * Maximum value that one swap gains by rounding: one unit of input plus one unit of output, in units of the prices. It
 * is 0 for edges that do not trade at the prices. It is also 0 for families whose states a certificate can contain,
 * because they round against the trader. Of these, families with a trading function are an exception: they solve it
 * only to about one unit.
 */
export function roundingOfPool(problem: Problem, edge: number, priceIn: number, priceOut: number): number {
  const family = familyOf(problem.graph.edges[edge]!.pool.family)
  if (family?.readableState && !family.tradingFunction) return 0
  if (!(problem.rate[edge]! * priceOut > priceIn * (1 - MIN_EDGE_GAIN))) return 0
  return priceIn / fractionsAfterTax(problem, edge).ofInput + priceOut
}

/**
 * Maximum total by which tokens round their taxes in favor of the trader, in output base units. A token withholds whole
 * units, so a transfer may arrive with up to one unit more than its exact share. Only the tokens at both ends of a
 * route are taxed.
 *
 * @param edges - edges that a route may use; it uses at most `maxEdges` of them at each end
 * @param inputPrice - value of one base unit of the source token
 */
export function roundingOfTaxes(
  problem: Problem,
  edges: Iterable<number>,
  maxEdges: number,
  inputPrice: number,
): number {
  const { graph, source, target, adjustedCurves } = problem
  if (adjustedCurves.size === 0) return 0
  const { from, to } = graph.topology
  const isTaxed = (fraction: number) => fraction < 1 - FRACTION_ROUNDING
  // On a subgraph, routes may also use pools outside of it. A taxed token is usually taxed in all of its pools, so
  // every leg counts.
  const minEdges = problem.subgraph ? maxEdges : 0
  let [sellers, buyers, maxUnit] = [0, 0, 0]
  for (const edge of edges) {
    if (!adjustedCurves.has(edge) || !(problem.rate[edge]! > 0)) continue
    const { ofInput, ofOutput } = fractionsAfterTax(problem, edge)
    if (from[edge] === source && isTaxed(ofInput)) {
      sellers++
      maxUnit = Math.max(maxUnit, inputPrice / ofInput)
    }
    if (to[edge] === target && isTaxed(ofOutput)) buyers++
  }
  const legCount = (count: number) => (count === 0 ? 0 : Math.min(maxEdges, Math.max(count, minEdges)))
  return legCount(sellers) * maxUnit + legCount(buyers)
}
