/**
 * Finds the best settled route for an amount within all limits and filters of a request. To settle a route is to
 * compute its amounts in exact integers. The admission records which edges (pools in one direction) the search may use:
 * the request and earlier refusals of pools close edges. Called by `findRoute`.
 */
import { NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { usesWrapper, WRAP_GAS } from '../native.ts'
import { Admission, newSoftenings, type Problem } from '../problem/problem.ts'
import { ALLOCATION_WORK_SHARE } from '../tolerances.ts'
import type { RouteTerms } from '../types.ts'
import {
  attemptWithHalfBudget,
  bestPathInWholeUnits,
  netOutputOf,
  pickRoute,
  type SettledRoute,
  searchAndSettle,
} from './search-and-settle.ts'

/** Returns the best route of the request; null if the whole amount cannot be routed. */
export function bestRoute(
  problem: Problem,
  amountIn: bigint,
  request: RouteTerms,
  admission: Admission,
): SettledRoute | null {
  const { taxes } = request
  // If pools refuse their legs in every divided route, a single path may still take the whole amount.
  const allocate = () => searchAndSettle(problem, amountIn, admission, taxes)
  const singlePathProblem = { ...problem, isSinglePath: true }
  const candidate =
    problem.budget.attempt(ALLOCATION_WORK_SHARE, allocate, () => null) ??
    routeAmount(singlePathProblem, amountIn, request) ??
    // Price curves do not round to whole units. For an input of a few units, all best paths by price curves may buy
    // less than one unit of an intermediate token.
    (admission.hasSmallLegs
      ? attemptWithHalfBudget(problem, () =>
          bestPathInWholeUnits(admit(singlePathProblem, amountIn, request).problem, amountIn, taxes),
        )
      : null)
  if (!candidate || problem.costPerGas === 0 || !usesWrapper(candidate.settlement.legs, request)) return candidate
  // The search does not model gas that legs share, such as the single wrap of a route that uses the wrapper. So another
  // search uses only pools of the native token itself where the request names NATIVE.
  const nativeVariant = admit(problem, amountIn, request)
  if (!closeWrapperEdges(nativeVariant.admission, problem, request)) return candidate
  const nativeRoute = attemptWithHalfBudget(problem, () =>
    searchAndSettle(nativeVariant.problem, amountIn, nativeVariant.admission, taxes),
  )
  if (!nativeRoute) return candidate
  const picksNative =
    netOutputOf(problem, nativeRoute) > netOutputOf(problem, candidate) - WRAP_GAS * problem.costPerGas
  return pickRoute(problem, candidate, nativeRoute, picksNative)
}

/** Finds a route for an amount with a fresh admission, since a pool that refused another amount may take this one. */
export function routeAmount(problem: Problem, amountIn: bigint, request: RouteTerms): SettledRoute | null {
  const admitted = admit(problem, amountIn, request)
  return searchAndSettle(admitted.problem, amountIn, admitted.admission, request.taxes)
}

/** Builds the problem for an amount, with a fresh admission: no pool is closed because of earlier refusals. */
export function admit(problem: Problem, amountIn: bigint, request: RouteTerms) {
  const admission = new Admission(problem.graph, request, problem.source, problem.target)
  const { rate, rateBack, adjustedCurves, outputFactors } = admission
  return {
    admission,
    problem: {
      ...problem,
      amountIn: Number(amountIn),
      rate,
      rateBack,
      adjustedCurves,
      outputFactors,
      softenings: newSoftenings(),
    },
  }
}

/**
 * Closes the edges that trade the wrapped token where the request names NATIVE. Only pools of the native token itself
 * then remain there. Returns false if none remain.
 */
function closeWrapperEdges(admission: Admission, { graph, source, target }: Problem, { tokenIn }: RouteTerms): boolean {
  const { offset, reverse } = graph.topology
  const nativeEnd = tokenIn === NATIVE ? source : target
  let hasNativePool = false
  for (let outgoingEdge = offset[nativeEnd]!; outgoingEdge < offset[nativeEnd + 1]!; outgoingEdge++) {
    const edge = tokenIn === NATIVE ? outgoingEdge : reverse[outgoingEdge]!
    if (graph.edges[outgoingEdge]!.tokenIn !== ZERO_ADDRESS) admission.closeEdge(edge)
    else if (admission.rate[edge]! > 0) hasNativePool = true
  }
  return hasNativePool
}
