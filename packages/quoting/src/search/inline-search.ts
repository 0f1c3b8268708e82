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

/** The units of work that a search took; without a result where it takes more than there is time for here. */
export function searchHere(
  graph: Graph,
  request: RouteRequest | ExactOutputRequest,
): { readonly result: RouteResult | null; readonly work: number } {
  const budget = new WorkBudget(Math.min(INLINE_WORK, request.work ?? INLINE_WORK))
  const { rest } = budget
  try {
    const result = findRoute(graph, request, budget)
    return { result: budget.ranOut ? null : result, work: rest - budget.rest }
  } catch (error) {
    if (budget.ranOut) return { result: null, work: rest }
    throw error
  }
}
