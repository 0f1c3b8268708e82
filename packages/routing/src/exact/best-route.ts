/** The best settled route of an amount, by all that a request allows. */
import { NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { usesWrapper, WRAP_GAS } from '../native.ts'
import { Admission, type Problem } from '../problem/problem.ts'
import { SEARCH_PART } from '../tolerances.ts'
import type { RouteTerms } from '../types.ts'
import { type FoundRoute, netOf, oneOf, searchAndSettle, unlessSpent } from './search-and-settle.ts'

/** Null where nothing routes the amount. */
export function bestRoute(
  problem: Problem,
  amountIn: bigint,
  request: RouteTerms,
  admission: Admission,
): FoundRoute | null {
  const { taxes } = request
  // Where every allocation meets a pool that refuses its part, one path may still take all.
  const allocate = () => searchAndSettle(problem, amountIn, admission, taxes)
  const found =
    problem.budget.attempt(SEARCH_PART, allocate, () => null) ??
    routedAs({ ...problem, onePath: true }, amountIn, request)
  if (!found || problem.perGas === 0 || !usesWrapper(found.settlement.legs, request)) return found
  // The search knows no cost that legs share: a route that needs no wrap may be worth more by what one costs.
  const native = admit(problem, amountIn, request)
  if (!withoutWrapper(native.admission, problem, request)) return found
  const other = unlessSpent(problem, () => searchAndSettle(native.problem, amountIn, native.admission, taxes))
  if (!other) return found
  const isOther = netOf(problem, other) > netOf(problem, found) - WRAP_GAS * problem.perGas
  return oneOf(problem, found, other, isOther)
}

/** Admitted anew: a pool that refuses one amount may take a smaller one. */
export function routedAs(problem: Problem, amountIn: bigint, request: RouteTerms): FoundRoute | null {
  const anew = admit(problem, amountIn, request)
  return searchAndSettle(anew.problem, amountIn, anew.admission, request.taxes)
}

export function admit(problem: Problem, amountIn: bigint, request: RouteTerms) {
  const admission = new Admission(problem.graph, request, problem.source, problem.target)
  const { rate, rateBack, taxed, believed } = admission
  return { admission, problem: { ...problem, amountIn: Number(amountIn), rate, rateBack, taxed, believed } }
}

/** Leaves only pools of the native token at the end that is NATIVE; false if there are none. */
function withoutWrapper(admission: Admission, { graph, source, target }: Problem, { tokenIn }: RouteTerms): boolean {
  const { offset, reverse } = graph.topology
  const end = tokenIn === NATIVE ? source : target
  let left = false
  for (let out = offset[end]!; out < offset[end + 1]!; out++) {
    const edge = tokenIn === NATIVE ? out : reverse[out]!
    if (graph.edges[out]!.tokenIn !== ZERO_ADDRESS) admission.close(edge)
    else if (admission.rate[edge]! > 0) left = true
  }
  return left
}
