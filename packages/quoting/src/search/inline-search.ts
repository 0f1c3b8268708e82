import {
  type ExactOutputRequest,
  findRoute,
  type Graph,
  type RouteRequest,
  type RouteResult,
  WorkBudget,
} from '@sluice/routing'

/** Work that a search may cost between two requests: some ten milliseconds. */
const INLINE_WORK = 1_000_000

/** Null where that takes more work than there is time for here. */
export function searchHere(graph: Graph, request: RouteRequest | ExactOutputRequest): RouteResult | null {
  const budget = new WorkBudget(Math.min(INLINE_WORK, request.work ?? INLINE_WORK))
  try {
    const result = findRoute(graph, request, budget)
    return budget.ranOut ? null : result
  } catch (error) {
    if (budget.ranOut) return null
    throw error
  }
}
