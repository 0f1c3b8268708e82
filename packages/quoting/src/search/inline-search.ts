/** Route search on this thread, with a work limit. */
import {
  type ExactOutputRequest,
  findRoute,
  type Graph,
  type RouteRequest,
  type RouteResult,
  WorkBudget,
} from '@sluice/routing'

/** Maximum work units of a search on this thread: about ten milliseconds. */
const INLINE_WORK = 1_000_000

/** Searches on this thread. Returns the result, null if the search exceeds the limit, and the work units spent. */
export function searchInline(
  graph: Graph,
  request: RouteRequest | ExactOutputRequest,
): { readonly result: RouteResult | null; readonly work: number } {
  const budget = new WorkBudget(Math.min(INLINE_WORK, request.work ?? INLINE_WORK))
  const { remaining } = budget
  try {
    const result = findRoute(graph, request, budget)
    return { result: budget.hasRunOut ? null : result, work: remaining - budget.remaining }
  } catch (error) {
    if (budget.hasRunOut) return { result: null, work: remaining }
    throw error
  }
}
