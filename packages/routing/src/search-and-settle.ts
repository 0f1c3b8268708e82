/** Search and settlement in turn, until they agree: pools may refuse what the search wants, or be met twice in a route. */
import type { Flow } from './search/flow.ts'
import { type Admission, costOf, type Problem, without } from './search/problem.ts'
import { search } from './search/search.ts'
import { LegRefused, type Settlement, settle } from './settle.ts'
import type { Taxes } from './taxes.ts'

/** Pools that may refuse before the search is given up. */
const MAX_REFUSALS = 12

/** A single path this much below the bound is not believed to be all there is. */
const SUSPECT = 1e-4

/** Where so few units are bought, a whole one is half a basis point and more; a bound within a tenth is near enough. */
const FEW_UNITS = 20_000n
const ROUNDING = 1e-5

export type FoundRoute = { readonly flow: Flow; readonly settlement: Settlement; readonly bound: number | null }

/** Searches, settles, and searches again without what does worse in whole units than in the search's floats. */
export function searchAndSettle(
  problem: Problem,
  amountIn: bigint,
  admission: Admission,
  taxes?: Taxes,
): FoundRoute | null {
  const found = untilSettled(problem, amountIn, admission, taxes)
  if (!found) return null
  const coarse = coarseEdges(problem, found)
  const other =
    coarse.length > 0 ? unlessSpent(problem, () => attempt(without(problem, coarse), amountIn, taxes)) : null
  if (other === null || other instanceof LegRefused || netOf(problem, other) <= netOf(problem, found)) return found
  return { ...other, bound: found.bound }
}

/** Edges on the way that buy few units, of which rounding takes a part worth saving. */
function coarseEdges({ graph, target }: Problem, { settlement, bound }: FoundRoute): readonly number[] {
  const { legs, edges, amountOut } = settlement
  if (bound !== null && Number(amountOut) > bound * (1 - ROUNDING)) return []
  return edges.filter((edge, k) => legs[k]!.amountOut < FEW_UNITS && graph.topology.to[edge] !== target)
}

function untilSettled(wanted: Problem, amountIn: bigint, admission: Admission, taxes?: Taxes): FoundRoute | null {
  let problem = wanted
  for (let refusals = 0; refusals <= MAX_REFUSALS; refusals++) {
    const found = attempt(problem, amountIn, taxes)
    if (found === null) return null
    if (!(found instanceof LegRefused)) {
      if (!problem.reuse || (!found.settlement.sharing && !isSuspect(found))) return found
      const once = { ...problem, reuse: false }
      const single = unlessSpent(problem, () => untilSettled(once, amountIn, admission, taxes))
      return single && netOf(problem, single) > netOf(problem, found) ? { ...single, bound: found.bound } : found
    }
    // A pool may be asked for more than it has only because the search counted another one's liquidity twice.
    if (found.reusing && problem.reuse) problem = { ...problem, reuse: false }
    else admission.ban(found.pool, found.message)
  }
  return null
}

/** What may be better than what is there already; null where the budget does not allow for it. */
export function unlessSpent<T>({ budget }: Problem, run: () => T): T | null {
  return budget.attempt(1 / 2, run, () => null)
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

/** What a route pays after the gas of its legs, output base units. */
export function netOf(problem: Problem, { flow, settlement }: FoundRoute): number {
  const cost = flow.edges.reduce((sum, edge, k) => sum + costOf(problem, edge, flow.input[k]!), 0)
  return Number(settlement.amountOut) - cost
}
