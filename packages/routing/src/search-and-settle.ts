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
    try {
      const found = attempt(problem, amountIn, taxes)
      return found && found.settlement.reused.size > 0 ? weighPairs(problem, found, amountIn, taxes) : found
    } catch (error) {
      if (!(error instanceof LegRefused)) throw error
      if (error.again) problem = { ...problem, reuse: false }
      else admission.ban(error.pool, error.message)
    }
  }
  return null
}

/** @throws LegRefused */
function attempt(problem: Problem, amountIn: bigint, taxes?: Taxes): FoundRoute | null {
  const found = search(problem)
  if (!found) return null
  const settlement = settle(problem, found.flow, amountIn, taxes)
  return settlement.amountOut > 0n ? { ...found, settlement } : null
}

/**
 * The search takes the pairs of a pool for pools of their own, of which none feels what is traded in another. So each pair
 * that was used after another is looked at anew in the pool as it then stood; and each pool with one pair alone. The bound
 * counts such a pool's liquidity for each of its pairs: it would say nothing, and is left out.
 */
function weighPairs(problem: Problem, first: FoundRoute, amountIn: bigint, taxes?: Taxes): FoundRoute {
  const tryAgain = (changed: Problem): FoundRoute | null => {
    try {
      return attempt(changed, amountIn, taxes)
    } catch (error) {
      if (error instanceof LegRefused) return null
      throw error
    }
  }
  const routes = [first]
  for (let round = 0, last = first; round < REUSE_ROUNDS && last.settlement.reused.size > 0; round++) {
    const next = tryAgain(afterOthers(problem, last.settlement.reused))
    if (!next) break
    routes.push(next)
    last = next
  }
  const single = tryAgain({ ...problem, reuse: false })
  if (single) routes.push(single)
  const best = routes.reduce((a, b) => (netOf(problem, b) > netOf(problem, a) ? b : a))
  return { ...best, bound: null }
}

/** The problem in which some edges are what another leg left of them. */
function afterOthers(problem: Problem, reused: ReadonlyMap<number, Pool>): Problem {
  const { graph } = problem
  const taxed = new Map(problem.taxed)
  const rate = problem.rate.slice()
  const rateBack = problem.rateBack.slice()
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

function netOf(problem: Problem, { flow, settlement }: FoundRoute): number {
  const cost = flow.edges.reduce((sum, edge, k) => sum + costOf(problem, edge, flow.input[k]!), 0)
  return Number(settlement.amountOut) - cost
}
