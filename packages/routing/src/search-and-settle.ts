/** Search and settlement in turn, until they agree: pools may refuse what the search wants, or be met twice in a route. */
import { familyOf, type Pool } from '@sluice/liquidity'
import type { Edge } from './graph.ts'
import type { Flow } from './search/flow.ts'
import { type Admission, costOf, type Problem } from './search/problem.ts'
import { compileResponse, firstRate, withTax } from './search/response.ts'
import { search } from './search/search.ts'
import { LegRefused, type Settlement, settle } from './settle.ts'
import type { Taxes } from './taxes.ts'

/** Pools that may refuse before the search is given up. */
const MAX_REFUSALS = 12
/** How often the pairs of a pool are weighed against each other. */
const REUSE_ROUNDS = 2

/** A single path this much below the bound is not believed to be all there is. */
const SUSPECT = 1e-4

export type FoundRoute = { readonly flow: Flow; readonly settlement: Settlement; readonly bound: number | null }

/** Searches, settles, and searches again without the pools that refused. */
export function searchAndSettle(
  wanted: Problem,
  amountIn: bigint,
  admission: Admission,
  taxes?: Taxes,
): FoundRoute | null {
  let problem = wanted
  for (let refusals = 0; refusals <= MAX_REFUSALS; refusals++) {
    const found = attempt(problem, amountIn, taxes)
    if (found === null) return null
    if (!(found instanceof LegRefused)) {
      if (!problem.reuse || (found.settlement.reused.size === 0 && !isSuspect(found))) return found
      const single = searchAndSettle({ ...problem, reuse: false }, amountIn, admission, taxes)
      return weighPairs(problem, found, single, amountIn, taxes)
    }
    // A pool may be asked for more than it has only because the search counted another one's liquidity twice.
    if (found.reusing) problem = { ...problem, reuse: false }
    else admission.ban(found.pool, found.message)
  }
  return null
}

/** Of a division that the limits on a route would not let stand, nothing but the best path is left. */
function isSuspect({ flow, bound, settlement }: FoundRoute): boolean {
  return flow.edges.length === flow.hops && (bound === null || Number(settlement.amountOut) < bound * (1 - SUSPECT))
}

function attempt(problem: Problem, amountIn: bigint, taxes?: Taxes): FoundRoute | LegRefused | null {
  const found = search(problem)
  if (!found) return null
  try {
    const settlement = settle(problem, found.flow, amountIn, taxes)
    return settlement.amountOut > 0n ? { ...found, settlement } : null
  } catch (error) {
    if (error instanceof LegRefused) return error
    throw error
  }
}

/**
 * The search takes the pairs of a pool for pools of their own, of which none feels what is traded in another. So each pair
 * that was used after another is looked at anew in the pool as it then stood, and the best is taken. The bound counts such a
 * pool's liquidity for each of its pairs: it would say nothing, and is left out.
 *
 * @param single - the route that uses one pair of each pool
 */
function weighPairs(
  problem: Problem,
  first: FoundRoute,
  single: FoundRoute | null,
  amountIn: bigint,
  taxes?: Taxes,
): FoundRoute {
  const routes = [first]
  for (let round = 0; round < REUSE_ROUNDS && routes.at(-1)!.settlement.reused.size > 0; round++) {
    const next = attempt(afterOthers(problem, routes.at(-1)!.settlement.reused), amountIn, taxes)
    if (next === null || next instanceof LegRefused) break
    routes.push(next)
  }
  if (single) routes.push(single)
  const best = routes.reduce((a, b) => (netOf(problem, b) > netOf(problem, a) ? b : a))
  return { ...best, bound: best.settlement.reused.size > 0 || first.settlement.reused.size > 0 ? null : first.bound }
}

/** The problem in which some edges are what another leg left of them. */
function afterOthers(problem: Problem, reused: ReadonlyMap<number, Pool>): Problem {
  const { graph } = problem
  const taxed = new Map(problem.taxed)
  const rate = graph.topology.scratch.copy(problem.rate)
  const rateBack = graph.topology.scratch.copy(problem.rateBack)
  for (const [index, pool] of reused) {
    const edge = graph.edges[index]!
    const before = problem.taxed.get(index) ?? edge.response
    const { keepIn, keepOut } = edge.response
    const response = withTax(compile(edge, pool), before.keepIn / keepIn, before.keepOut / keepOut)
    taxed.set(index, response)
    rate[index] = firstRate(response)
    rateBack[graph.topology.reverse[index]!] = rate[index]!
  }
  return { ...problem, taxed, rate, rateBack }
}

function compile({ tokenIn, tokenOut, response }: Edge, pool: Pool) {
  const curve = familyOf(pool.family)!.curve(pool, tokenIn, tokenOut)
  return compileResponse(curve.gasPerPiece ? { ...curve, gasPerPiece: response.gasPerPiece } : curve)
}

/** What a route pays after the gas of its legs, output base units. */
export function netOf(problem: Problem, { flow, settlement }: FoundRoute): number {
  const cost = flow.edges.reduce((sum, edge, k) => sum + costOf(problem, edge, flow.input[k]!), 0)
  return Number(settlement.amountOut) - cost
}
