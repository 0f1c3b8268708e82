/** Finds the best settled route of an amount under all terms of a request. Called by `findRoute`. */
import { NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { usesWrapper, WRAP_GAS } from '../native.ts'
import { Admission, newSoftenings, type Problem } from '../problem/problem.ts'
import { ALLOCATION_WORK_SHARE } from '../tolerances.ts'
import type { RouteTerms } from '../types.ts'
import {
  attemptWithHalf,
  bestPathInWholeUnits,
  netOf,
  pickRoute,
  type SettledRoute,
  searchAndSettle,
} from './search-and-settle.ts'

/** Returns null if the whole amount cannot be routed. */
export function bestRoute(
  problem: Problem,
  amountIn: bigint,
  request: RouteTerms,
  admission: Admission,
): SettledRoute | null {
  const { taxes } = request
  // If pools refuse their share of every allocation, a single path may still take the whole amount.
  const allocate = () => searchAndSettle(problem, amountIn, admission, taxes)
  const singlePathProblem = { ...problem, isSinglePath: true }
  const candidate =
    problem.budget.attempt(ALLOCATION_WORK_SHARE, allocate, () => null) ??
    routeAmount(singlePathProblem, amountIn, request) ??
    // Price curves do not round. For a few units, all of their best paths may buy less than one unit of an intermediate
    // token.
    (admission.hasSmallLegs
      ? attemptWithHalf(problem, () =>
          bestPathInWholeUnits(admit(singlePathProblem, amountIn, request).problem, amountIn, taxes),
        )
      : null)
  if (!candidate || problem.costPerGas === 0 || !usesWrapper(candidate.settlement.legs, request)) return candidate
  // The search does not model costs that legs share. A route without a wrap saves the gas of one wrap.
  const nativeOnly = admit(problem, amountIn, request)
  if (!closeWrapperEdges(nativeOnly.admission, problem, request)) return candidate
  const nativeRoute = attemptWithHalf(problem, () =>
    searchAndSettle(nativeOnly.problem, amountIn, nativeOnly.admission, taxes),
  )
  if (!nativeRoute) return candidate
  const picksNative = netOf(problem, nativeRoute) > netOf(problem, candidate) - WRAP_GAS * problem.costPerGas
  return pickRoute(problem, candidate, nativeRoute, picksNative)
}

/** Routes an amount with a fresh admission, since a pool that refused one amount may take a smaller one. */
export function routeAmount(problem: Problem, amountIn: bigint, request: RouteTerms): SettledRoute | null {
  const admitted = admit(problem, amountIn, request)
  return searchAndSettle(admitted.problem, amountIn, admitted.admission, request.taxes)
}

/** Builds the problem of an amount with a fresh admission. */
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

/** Keeps only pools of the native token at the NATIVE end. Returns false if there are none. */
function closeWrapperEdges(admission: Admission, { graph, source, target }: Problem, { tokenIn }: RouteTerms): boolean {
  const { offset, reverse } = graph.topology
  const end = tokenIn === NATIVE ? source : target
  let hasNativePool = false
  for (let out = offset[end]!; out < offset[end + 1]!; out++) {
    const edge = tokenIn === NATIVE ? out : reverse[out]!
    if (graph.edges[out]!.tokenIn !== ZERO_ADDRESS) admission.closeEdge(edge)
    else if (admission.rate[edge]! > 0) hasNativePool = true
  }
  return hasNativePool
}
