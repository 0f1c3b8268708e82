/**
 * Finds the minimum input, in integers, with which a route pays a required output if its legs keep their shares: the
 * fraction of a token's amount that each leg sells. To settle a route is to compute its amounts in exact integers.
 */
import type { Problem } from '../problem/problem.ts'
import type { RouteTerms } from '../types.ts'
import { solveBackwards } from './backward-solve.ts'
import { type AmountPoint, bracketFrom, narrowBracket, stepFrom } from './min-amount.ts'
import { RouteEvaluator } from './route-evaluator.ts'
import type { SettledRoute } from './search-and-settle.ts'
import { LegRefused, type SettlementCache, settle } from './settle.ts'
import { sharesOf } from './shares.ts'

/** A settled route with its input, its marginal price, and the problem that it solves. */
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
 * Maximum relative change of the input, as 1 / divisor, for which a single leg out of the source takes the whole
 * change. The loss of output is quadratic in the change, so it is tiny.
 */
const SINGLE_LEG_DIVISOR = 10_000n

/**
 * Finds the minimum input. Null if the shares do not pay the output at any input.
 *
 * @throws WorkSpent
 */
export function minInputOf(
  { amountIn, route, problem, price }: PricedRoute,
  requiredOut: bigint,
  request: RouteTerms,
): RoutedInput | null {
  const shares = sharesOf(problem, route.flow)
  const cache: SettlementCache = { shares, settledLegs: new Map(), fixedInputs: null }
  const evaluator = new RouteEvaluator(problem, cache, route.settlement, request.taxes)
  const settleAt = (amount: bigint): SettledRoute | null => {
    const settlement = settleAmount(problem, { route, amountIn: amount }, request, cache)
    // By weak duality, the token prices of a bound also bound other amounts: each additional unit of input adds its
    // price. The hidden bound (payments above price curves) may grow in proportion to the amount.
    const change = Number(amount) / Number(amountIn) - 1
    const inputPrice = route.tokenPrices.get(problem.source) ?? 0
    const bound =
      route.bound === null
        ? null
        : route.bound + inputPrice * Number(amountIn) * change + route.hiddenBound * Math.max(0, change)
    return settlement && { ...route, settlement, bound, netBound: undefined }
  }
  const pointAt = (amount: bigint): AmountPoint => {
    const amountOut = evaluator.outputAt(amount) ?? settleAt(amount)?.settlement.amountOut ?? 0n
    return { amountIn: amount, amountOut }
  }
  const bracketAround = (point: AmountPoint) =>
    bracketFrom(pointAt, point, requiredOut, stepFrom(point, requiredOut, price))
  let nearPoint: AmountPoint = { amountIn, amountOut: route.settlement.amountOut }
  if (shares.legs.filter(({ isFromSource }) => isFromSource).length > 1) {
    const wideBracket = bracketAround(nearPoint)
    if (!wideBracket) return null
    nearPoint = narrowBracket(pointAt, wideBracket, requiredOut, SINGLE_LEG_DIVISOR)[1]
    // The remaining change is too small to divide. One leg out of the source takes it, and the inputs of the other legs
    // out of the source are fixed.
    const settledInputs = () => inputsOf(settleAt(nearPoint.amountIn)!)
    cache.fixedInputs = evaluator.outputAt(nearPoint.amountIn) === null ? settledInputs() : evaluator.inputsByEdge()
  }
  const narrowedInput = () => {
    const bracket = bracketAround(nearPoint)
    return bracket && narrowBracket(pointAt, bracket, requiredOut)[1].amountIn
  }
  const routeIfPaid = (minInput: bigint | null): RoutedInput | null => {
    if (minInput === null) return null
    const result = minInput === amountIn && cache.fixedInputs === null ? route : settleAt(minInput)
    return result && result.settlement.amountOut >= requiredOut ? { amountIn: minInput, route: result } : null
  }
  return (
    routeIfPaid(solveBackwards(evaluator, nearPoint, requiredOut, price)) ??
    routeIfPaid(narrowedInput()) ??
    routeIfPaid(nearPoint.amountIn)
  )
}

/** Input of each leg, by edge (a pool in one direction). */
function inputsOf({ settlement: { edges, legs } }: SettledRoute): ReadonlyMap<number, bigint> {
  return new Map(edges.map((edge, k) => [edge, legs[k]!.amountIn]))
}

function settleAmount(
  problem: Problem,
  { route, amountIn }: RoutedInput,
  { taxes }: RouteTerms,
  cache: SettlementCache,
) {
  try {
    return settle(problem, route.flow, amountIn, taxes, cache)
  } catch (error) {
    if (error instanceof LegRefused) return null
    throw error
  }
}
