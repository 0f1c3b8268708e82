/** A found route as it is told. */
import { FLOAT_BPS } from '@sluice/chains'
import { believedOutput } from './exact/haircuts.ts'
import type { FoundRoute } from './exact/search-and-settle.ts'
import { sqrtPriceAt } from './graph/price-curve.ts'
import { usesWrapper, WRAP_GAS } from './native.ts'
import type { Problem } from './problem/problem.ts'
import type { Flow } from './solver/flow.ts'
import type { Route, RouteTerms } from './types.ts'

type Worth = {
  /** Output base units for a wei; 0 where the native token cannot be priced. */
  readonly outPerWei: number
  /** The most that any route leaves after gas; null where that is not known. */
  readonly netBound: number | null
}

export function toRoute(
  problem: Problem,
  found: FoundRoute,
  amountIn: bigint,
  request: RouteTerms,
  { outPerWei, netBound }: Worth,
): Route {
  const { tokenIn, tokenOut } = request
  const { legs, edges, amountOut } = found.settlement
  const wrap = wrapGas(found, request)
  const gas = legs.reduce((sum, leg, k) => sum + leg.gas + (problem.learned.get(edges[k]!) ?? 0), wrap)
  const priced = outPerWei > 0 || request.gasPriceWei === 0n
  return {
    tokenIn,
    tokenOut,
    amountIn,
    amountOut,
    legs,
    gas,
    gasCostOut: priced ? BigInt(Math.round(gas * Number(request.gasPriceWei) * outPerWei)) : null,
    midAmountOut: midAmountOut(problem, found.flow),
    optimalityGapBps: gapBps(problem, found),
    optimalityGapNetBps: priced ? netGapBps(problem, found, request, netBound) : null,
  }
}

function gapBps(problem: Problem, { bound, settlement }: FoundRoute): number | null {
  if (bound === null || bound <= 0) return null
  return Math.max(0, (1 - believedOutput(problem, settlement) / bound) * FLOAT_BPS)
}

/**
 * By the gas that the legs settled with, which is no less than what routes are bounded with.
 *
 * @param bound - on what is left after gas
 */
export function netGapBps(
  problem: Problem,
  found: FoundRoute,
  request: RouteTerms,
  bound: number | null,
): number | null {
  if (bound === null || bound <= 0) return null
  const { settlement } = found
  const gas = settlement.legs.reduce(
    (sum, leg, k) => sum + leg.gas + (problem.learned.get(settlement.edges[k]!) ?? 0),
    0,
  )
  const cost = (gas + wrapGas(found, request)) * problem.perGas + settlement.legs.length * problem.perLeg
  return Math.max(0, (1 - (believedOutput(problem, settlement) - cost) / bound) * FLOAT_BPS)
}

/** Gas of the one wrap or unwrap that the legs share. */
function wrapGas({ settlement }: FoundRoute, request: RouteTerms): number {
  return usesWrapper(settlement.legs, request) ? WRAP_GAS : 0
}

/** The output of the same shares at the pools' mid prices: no fee, no tax, no impact. */
function midAmountOut({ graph, source, target, amountIn }: Problem, { edges, input }: Flow): bigint | null {
  const { from, to, tokens, scratch } = graph.topology
  const sold = scratch.floats(tokens.length, 0)
  const held = scratch.floats(tokens.length, 0)
  for (let k = 0; k < edges.length; k++) sold[from[edges[k]!]!]! += input[k]!
  held[source] = amountIn
  for (let k = 0; k < edges.length; k++) {
    const edge = edges[k]!
    const token = from[edge]!
    held[to[edge]!]! += held[token]! * (input[k]! / sold[token]!) * sqrtPriceAt(graph.edges[edge]!.curve, 0) ** 2
  }
  const amount = held[target]!
  return Number.isFinite(amount) && amount > 0 ? BigInt(Math.round(amount)) : null
}

/** A route that wraps or unwraps and does nothing else. */
export function wrapRoute({ tokenIn, tokenOut }: RouteTerms, amountIn: bigint): Route {
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
