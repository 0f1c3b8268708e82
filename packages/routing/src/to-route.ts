/** Converts a settled search result (with amounts in exact integers) into the public `RoutePlan`. */
import { FLOAT_BPS } from '@sluice/chains'
import { discountedOutput } from './exact/drift-penalties.ts'
import type { SettledRoute } from './exact/search-and-settle.ts'
import { midAmountOut } from './mid-amount.ts'
import { usesWrapper, WRAP_GAS } from './native.ts'
import { extraGasOf, type Problem } from './problem/problem.ts'
import type { RoutePlan, RouteTerms } from './types.ts'

/** Values with which the gas and the gap of a route are computed. */
type Valuation = {
  /** Output base units per wei; 0 if the native token cannot be priced. */
  readonly outPerWei: number
  /** Upper bound on the net output of any route; null if unknown. */
  readonly netBound: number | null
}

/** Builds the public route of a settled search result. */
export function toRoute(
  problem: Problem,
  candidate: SettledRoute,
  amountIn: bigint,
  request: RouteTerms,
  { outPerWei, netBound }: Valuation,
): RoutePlan {
  const { tokenIn, tokenOut } = request
  const { legs, edges, amountOut } = candidate.settlement
  const sharedWrapGas = wrapGas(candidate, request)
  const gas = legs.reduce((sum, leg, k) => sum + leg.gas + extraGasOf(problem, edges[k]!), sharedWrapGas)
  const isPriced = outPerWei > 0 || request.gasPriceWei === 0n
  return {
    tokenIn,
    tokenOut,
    amountIn,
    amountOut,
    legs,
    gas,
    gasCostOut: isPriced ? BigInt(Math.round(gas * Number(request.gasPriceWei) * outPerWei)) : null,
    midAmountOut: midAmountOut(problem, candidate.flow),
    optimalityGapBps: gapBps(problem, candidate),
    optimalityGapNetBps: isPriced ? netGapBps(problem, candidate, request, netBound) : null,
  }
}

/** Gap between the route's output and the bound on it, in basis points; null if there is no bound. */
function gapBps(problem: Problem, { bound, settlement }: SettledRoute): number | null {
  if (bound === null || bound <= 0) return null
  return Math.max(0, (1 - discountedOutput(problem, settlement) / bound) * FLOAT_BPS)
}

/**
 * Gap between the route's net output and the bound on it, in basis points; null if there is no bound. Uses the gas of
 * the settled legs, which is never less than the gas that the bound assumes.
 *
 * @param bound - upper bound on the net output
 */
export function netGapBps(
  problem: Problem,
  candidate: SettledRoute,
  request: RouteTerms,
  bound: number | null,
): number | null {
  if (bound === null || bound <= 0) return null
  const { settlement } = candidate
  const gas = settlement.legs.reduce((sum, leg, k) => sum + leg.gas + extraGasOf(problem, settlement.edges[k]!), 0)
  const cost = (gas + wrapGas(candidate, request)) * problem.costPerGas + settlement.legs.length * problem.costPerLeg
  return Math.max(0, (1 - (discountedOutput(problem, settlement) - cost) / bound) * FLOAT_BPS)
}

/** Gas of the single wrap or unwrap that the legs share; 0 if none is needed. */
function wrapGas({ settlement }: SettledRoute, request: RouteTerms): number {
  return usesWrapper(settlement.legs, request) ? WRAP_GAS : 0
}

/** A route that only wraps or unwraps. */
export function wrapRoute({ tokenIn, tokenOut }: RouteTerms, amountIn: bigint): RoutePlan {
  return {
    tokenIn,
    tokenOut,
    amountIn,
    amountOut: amountIn,
    legs: [],
    gas: WRAP_GAS,
    gasCostOut: null,
    midAmountOut: amountIn,
    optimalityGapBps: 0,
    optimalityGapNetBps: 0,
  }
}
