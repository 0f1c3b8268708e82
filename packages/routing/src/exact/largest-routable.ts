/** The largest amount that routes, where all of it does not. */
import { WorkSpent } from '../problem/budget.ts'
import type { Problem } from '../problem/problem.ts'
import type { RouteTerms } from '../types.ts'
import { routedAs } from './best-route.ts'
import { AMOUNT_LIMIT } from './shares.ts'

/**
 * Largest input that still routes, to half a percent; 0 where none does. Amounts may be off by seventy powers of ten, so
 * the power of two is bisected first: by single paths, which are found in no time, and from there on by allocations. Each turn
 * halves what is left between the bounds. Where the budget is spent, the largest found until then.
 */
export function largestRoutable(asked: Problem, wanted: bigint, request: RouteTerms): bigint {
  // Whether an amount routes is no matter of gas, nor of the last basis point.
  const problem: Problem = { ...asked, perGas: 0, perLeg: 0, anyRoute: true }
  const amountIn = wanted < AMOUNT_LIMIT ? wanted : AMOUNT_LIMIT
  const single = { ...problem, onePath: true }
  let largest = 0n
  const routes = (amount: bigint, as = problem): boolean => {
    const found =
      routedAs(single, amount, request) !== null || (as !== single && routedAs(as, amount, request) !== null)
    if (found && amount > largest) largest = amount
    return found
  }
  try {
    // Below 2^least it routes, with 2^most or all of it it does not.
    let [least, most] = [-1n, BigInt(amountIn.toString(2).length)]
    for (const as of [single, problem]) {
      const end = most
      while (most - least > 1n) {
        const middle = (least + most) / 2n
        if (routes(1n << middle, as)) least = middle
        else most = middle
      }
      if (least < 0n) return 0n
      if (as === single) most = end
    }
    let low = 1n << least
    let high = amountIn < 1n << most ? amountIn : 1n << most
    while (high - low > 1n && (high - low) * 200n > high) {
      const middle = (low + high) / 2n
      if (routes(middle)) low = middle
      else high = middle
    }
  } catch (error) {
    if (!(error instanceof WorkSpent)) throw error
  }
  return largest
}
