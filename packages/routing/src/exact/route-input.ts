/** Finds the minimum input, in integers, with which the shares of a route pay an output. */
import type { Problem } from '../problem/problem.ts'
import type { RouteTerms } from '../types.ts'
import { solveBackwards } from './backward-solve.ts'
import { type AmountPoint, bracketFrom, narrowBracket, stepFrom } from './min-amount.ts'
import { RouteOutput } from './route-output.ts'
import type { SettledRoute } from './search-and-settle.ts'
import { LegRefused, type SettlementCache, settle } from './settle.ts'
import { sharesOf } from './shares.ts'

/** A settled route with its input. */
export type PricedRoute = {
  readonly amountIn: bigint
  readonly route: SettledRoute
  readonly problem: Problem
  /** Output per additional unit of input. */
  readonly price: number
}

/** An input in base units, with its route. */
export type RoutedInput = { readonly amountIn: bigint; readonly route: SettledRoute }

/**
 * A change of less than this fraction (1 / divisor) of the amount goes to a single leg. The loss is quadratic in the
 * change.
 */
const SINGLE_LEG_DIVISOR = 10_000n

/**
 * Finds the minimum input. Null if the shares do not pay the output at any input.
 *
 * @throws WorkSpent
 */
export function minInputOf(
  { amountIn, route, problem, price }: PricedRoute,
  required: bigint,
  request: RouteTerms,
): RoutedInput | null {
  const shares = sharesOf(problem, route.flow)
  const cache: SettlementCache = { shares, settledLegs: new Map(), fixedInputs: null }
  const output = new RouteOutput(problem, cache, route.settlement, request.taxes)
  const settleAt = (amount: bigint): SettledRoute | null => {
    const settlement = settleAmount(problem, { route, amountIn: amount }, request, cache)
    // The bound rises with the amount by the price of the source.
    const bound = route.bound === null ? null : route.bound + price * (Number(amount) - Number(amountIn))
    return settlement && { ...route, settlement, bound, netBound: undefined }
  }
  const pointAt = (amount: bigint): AmountPoint => {
    const amountOut = output.outputAt(amount) ?? settleAt(amount)?.settlement.amountOut ?? 0n
    return { amountIn: amount, amountOut }
  }
  const bracketAround = (point: AmountPoint) => bracketFrom(pointAt, point, required, stepFrom(point, required, price))
  let nearPoint: AmountPoint = { amountIn, amountOut: route.settlement.amountOut }
  if (shares.legs.filter(({ isFromSource }) => isFromSource).length > 1) {
    const wideBracket = bracketAround(nearPoint)
    if (!wideBracket) return null
    nearPoint = narrowBracket(pointAt, wideBracket, required, SINGLE_LEG_DIVISOR)[1]
    // The remaining change is too small to divide. One leg out of the source takes it, and the inputs of the others are
    // fixed.
    const settledInputs = () => inputsOf(settleAt(nearPoint.amountIn)!)
    cache.fixedInputs = output.outputAt(nearPoint.amountIn) === null ? settledInputs() : output.inputs()
  }
  const narrowedInput = () => {
    const bracket = bracketAround(nearPoint)
    return bracket && narrowBracket(pointAt, bracket, required)[1].amountIn
  }
  const routeIfPaid = (min: bigint | null): RoutedInput | null => {
    if (min === null) return null
    const result = min === amountIn && cache.fixedInputs === null ? route : settleAt(min)
    return result && result.settlement.amountOut >= required ? { amountIn: min, route: result } : null
  }
  return (
    routeIfPaid(solveBackwards(output, nearPoint, required, price)) ??
    routeIfPaid(narrowedInput()) ??
    routeIfPaid(nearPoint.amountIn)
  )
}

/** Input of each leg, by edge. */
function inputsOf({ settlement: { edges, legs } }: SettledRoute): ReadonlyMap<number, bigint> {
  return new Map(edges.map((edge, k) => [edge, legs[k]!.amountIn]))
}

type Amount = { readonly route: SettledRoute; readonly amountIn: bigint }

function settleAmount(problem: Problem, { route, amountIn }: Amount, { taxes }: RouteTerms, cache: SettlementCache) {
  try {
    return settle(problem, route.flow, amountIn, taxes, cache)
  } catch (error) {
    if (error instanceof LegRefused) return null
    throw error
  }
}
