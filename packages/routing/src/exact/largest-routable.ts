/** Finds the largest routable part of an amount that cannot be routed as a whole. */
import { WorkSpent } from '../problem/budget.ts'
import { bestSpotRates } from '../problem/potentials.ts'
import type { Problem } from '../problem/problem.ts'
import type { RouteTerms } from '../types.ts'
import { routeAmount } from './best-route.ts'
import { AMOUNT_LIMIT } from './shares.ts'

/**
 * Returns the largest input that can be routed, to 0.5 %; 0 if no input can be routed. The result may be smaller than
 * the requested amount by seventy orders of magnitude. So the function first bisects the exponent of a power of two:
 * first with single paths, which are fast, then with divided routes. After that, it bisects the amount. If the work
 * runs out, it returns the largest amount that was routed so far.
 */
export function largestRoutable(originalProblem: Problem, requestedAmount: bigint, request: RouteTerms): bigint {
  // Gas does not affect whether an amount can be routed, and the first route found is enough.
  const problem: Problem = { ...originalProblem, costPerGas: 0, costPerLeg: 0, acceptsAnyRoute: true }
  const amountIn = requestedAmount < AMOUNT_LIMIT ? requestedAmount : AMOUNT_LIMIT - 1n
  const singlePathProblem = { ...problem, isSinglePath: true }
  let largest = 0n
  const canRoute = (amount: bigint, triedProblem = problem): boolean => {
    const isRoutable =
      routeAmount(singlePathProblem, amount, request) !== null ||
      (triedProblem !== singlePathProblem && routeAmount(triedProblem, amount, request) !== null)
    if (isRoutable && amount > largest) largest = amount
    return isRoutable
  }
  /**
   * Largest exponent below a limit whose power of two can be routed as a single path; −1 if there is none. Tries every
   * exponent at which the amount buys a unit at spot rates. Bisection may miss such an exponent, because it treats
   * every amount that cannot be routed as too large. But a small amount may fail because it buys less than one unit of
   * some token.
   */
  const largestExponent = (limit: bigint): bigint => {
    const spotRate = bestSpotRates(problem, problem.target).maxRate[problem.source]!
    let exponent = limit - 1n
    while (exponent >= 0n && spotRate * 2 ** Number(exponent) >= 1) {
      if (canRoute(1n << exponent, singlePathProblem)) return exponent
      exponent--
    }
    return -1n
  }
  try {
    // Invariant: 2^minExponent can be routed (unless it is −1); 2^maxExponent, or the whole amount, cannot.
    let [minExponent, maxExponent] = [-1n, BigInt(amountIn.toString(2).length)]
    for (const problemToTry of [singlePathProblem, problem]) {
      const initialMaxExponent = maxExponent
      while (maxExponent - minExponent > 1n) {
        const middleExponent = (minExponent + maxExponent) / 2n
        if (canRoute(1n << middleExponent, problemToTry)) minExponent = middleExponent
        else maxExponent = middleExponent
      }
      if (minExponent < 0n) minExponent = largestExponent(initialMaxExponent)
      if (minExponent < 0n) return 0n
      if (problemToTry === singlePathProblem) maxExponent = initialMaxExponent
    }
    let low = 1n << minExponent
    let high = amountIn < 1n << maxExponent ? amountIn : 1n << maxExponent
    while (high - low > 1n && (high - low) * 200n > high) {
      const middle = (low + high) / 2n
      if (canRoute(middle)) low = middle
      else high = middle
    }
  } catch (error) {
    if (!(error instanceof WorkSpent)) throw error
  }
  return largest
}
