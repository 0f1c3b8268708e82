/** The least input with which the shares of one route pay an output, in the chain's own integers. */
import type { Problem } from '../problem/problem.ts'
import type { RouteTerms } from '../types.ts'
import { bracketFrom, narrowed, type Point, stepFrom } from './least-amount.ts'
import { leastBackwards } from './least-backwards.ts'
import { RouteOutput } from './route-output.ts'
import type { FoundRoute } from './search-and-settle.ts'
import { LegRefused, type Resettled, settle } from './settle.ts'
import { sharesOf } from './shares.ts'

/** A settled route with its input. */
export type PricedRoute = {
  readonly amountIn: bigint
  readonly route: FoundRoute
  readonly problem: Problem
  /** Output for one more unit of input. */
  readonly price: number
}

/** An input with the route that it takes, base units. */
export type RoutedInput = { readonly amountIn: bigint; readonly route: FoundRoute }

/**
 * One by the part of an amount below which a change of it goes to one leg: what is lost grows by its square.
 */
const ONE_LEG = 10_000n

/**
 * Null when the shares do not pay the output, however large the input.
 *
 * @throws WorkSpent
 */
export function leastInputOf(
  { amountIn, route, problem, price }: PricedRoute,
  wished: bigint,
  request: RouteTerms,
): RoutedInput | null {
  const shares = sharesOf(problem, route.flow)
  const again: Resettled = { shares, known: new Map(), drawn: null }
  const output = new RouteOutput(problem, again, route.settlement, request.taxes)
  const settleAt = (amount: bigint): FoundRoute | null => {
    const settlement = settled(problem, { route, amountIn: amount }, request, again)
    // The bound grows by the price of the source with the amount.
    const bound = route.bound === null ? null : route.bound + price * (Number(amount) - Number(amountIn))
    return settlement && { ...route, settlement, bound, netBound: undefined }
  }
  const at = (amount: bigint): Point => {
    const amountOut = output.of(amount) ?? settleAt(amount)?.settlement.amountOut ?? 0n
    return { amountIn: amount, amountOut }
  }
  const around = (point: Point) => bracketFrom(at, point, wished, stepFrom(point, wished, price))
  let near: Point = { amountIn, amountOut: route.settlement.amountOut }
  if (shares.inOrder.filter(({ fromSource }) => fromSource).length > 1) {
    const wide = around(near)
    if (!wide) return null
    near = narrowed(at, wide, wished, ONE_LEG)[1]
    // What is left to find is too little to be shared out: one leg out of the source takes it, and legs it does not lead to stay.
    const asSettled = () => drawnBy(settleAt(near.amountIn)!)
    again.drawn = output.of(near.amountIn) === null ? asSettled() : output.inputs()
  }
  const halved = () => {
    const bracket = around(near)
    return bracket && narrowed(at, bracket, wished)[1].amountIn
  }
  const paying = (least: bigint | null): RoutedInput | null => {
    if (least === null) return null
    const found = least === amountIn && again.drawn === null ? route : settleAt(least)
    return found && found.settlement.amountOut >= wished ? { amountIn: least, route: found } : null
  }
  return paying(leastBackwards(output, near, wished, price)) ?? paying(halved()) ?? paying(near.amountIn)
}

/** Inputs of a route's legs, by edge. */
function drawnBy({ settlement: { edges, legs } }: FoundRoute): ReadonlyMap<number, bigint> {
  return new Map(edges.map((edge, k) => [edge, legs[k]!.amountIn]))
}

type Amount = { readonly route: FoundRoute; readonly amountIn: bigint }

function settled(problem: Problem, { route, amountIn }: Amount, { taxes }: RouteTerms, again: Resettled) {
  try {
    return settle(problem, route.flow, amountIn, taxes, again)
  } catch (error) {
    if (error instanceof LegRefused) return null
    throw error
  }
}
