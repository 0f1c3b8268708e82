/**
 * The least input that buys an output. What a route pays is a concave function of its input, so a few searches find the amount
 * at which the best route pays about what is wished; the shares of that route are then kept, and the least amount with which
 * they pay it is found in the chain's own integers. Shares that are best for an amount within a thousandth lose a millionth.
 */
import { inputOf } from '../graph/price-curve.ts'
import { potential, wayTo } from '../problem/potentials.ts'
import { curveOf, type Problem } from '../problem/problem.ts'
import { pushThrough } from '../solver/flow.ts'
import { FEW_UNITS, ROUTE_PART } from '../tolerances.ts'
import type { RouteTerms } from '../types.ts'
import { admit, bestRoute } from './best-route.ts'
import { AMOUNT_LIMIT } from './largest-routable.ts'
import { bracketFrom, narrowed, type Point, stepFrom } from './least-amount.ts'
import { leastBackwards } from './least-backwards.ts'
import {
  BEYOND_REACH,
  NEAR_OUTPUT,
  NEAR_STEEP_OUTPUT,
  OUTPUT_MARGIN,
  OUTPUT_SEARCHES,
  PROBE_FALL,
  PROBE_STEP,
} from './output-tolerances.ts'
import { isFlat, outputBound, paysOf, reach } from './reach.ts'
import { RouteOutput } from './route-output.ts'
import type { FoundRoute } from './search-and-settle.ts'
import { LegRefused, type Resettled, settle } from './settle.ts'
import { sharesOf } from './shares.ts'

/**
 * One by the part of an amount below which a change of it goes to one leg: what is lost
 * grows by its square.
 */
const ONE_LEG = 10_000n

/** A route for an input; where none pays what is wished, the one found that pays most, and null where nothing routes. */
export type LeastInput = { readonly amountIn: bigint; readonly route: FoundRoute | null }
const NOTHING: LeastInput = { amountIn: 0n, route: null }

type Tried = {
  readonly amountIn: bigint
  readonly route: FoundRoute
  readonly problem: Problem
  readonly price: number
}

export function leastInput(problem: Problem, wished: bigint, request: RouteTerms): LeastInput {
  const most = outputBound(problem)
  const isBeyond = Number(wished) > most * BEYOND_REACH
  let next = firstGuess(problem, isBeyond ? most : Number(wished))
  if (isBeyond) return reach(problem, BigInt(Math.ceil(next)), wished, request).best ?? NOTHING
  const tried: Tried[] = []
  /** Amounts known to pay too little, and to route nothing: those above it do not either. */
  let low = 0n
  let tooMuch = AMOUNT_LIMIT
  for (let search = 0; search < OUTPUT_SEARCHES; search++) {
    const amountIn = within(next, tried, wished, { low, tooMuch })
    if (amountIn === null) break
    const found = problem.budget.attempt(
      ROUTE_PART,
      () => attempt(problem, amountIn, request),
      () => null,
    )
    if (found) {
      const before = tried.at(-1)
      tried.push(found)
      const least = isNear(found, wished, low > 0n) ? leastOf(found, wished, request) : null
      if (least) return least
      if (before && isFlat(before, found, wished)) break
      next = extrapolate(found, Number(wished))
      if (low > 0n || next < Number(amountIn * PROBE_STEP)) continue
    } else if (tried.length > 0) {
      tooMuch = amountIn
      next = (Number(nearest(tried, wished).amountIn) + Number(amountIn)) / 2
      continue
    } else if (amountIn < FEW_UNITS || wished < FEW_UNITS) {
      // Dust buys nothing.
      next = Number(amountIn) * 16
      continue
    }
    // Far off, and perhaps out of reach: cheaper than to seek the best route of every amount on the way there.
    const reached = reach(problem, found ? amountIn * PROBE_STEP : amountIn / PROBE_FALL, wished, request, found)
    if (!reached.best || paysOf(reached.best) < wished) return reached.best ?? NOTHING
    low = reached.low
    next = Number(reached.best.amountIn)
  }
  const inOrder = tried.toSorted((a, b) => distance(a, wished) - distance(b, wished))
  for (const near of inOrder) {
    const least = leastOf(near, wished, request)
    if (least) return least
  }
  return tried.toSorted((a, b) => (paysOf(a) > paysOf(b) ? -1 : 1))[0] ?? NOTHING
}

function attempt(problem: Problem, amountIn: bigint, request: RouteTerms): Tried | null {
  const asked = admit(problem, amountIn, request)
  const route = bestRoute(asked.problem, amountIn, request, asked.admission)
  return route && { amountIn, route, problem: asked.problem, price: marginalPrice(asked.problem, route) }
}

/** The input with which the best path at spot rates pays what is wished; where it cannot, its price alone. */
function firstGuess(problem: Problem, wished: number): number {
  const backward = potential(problem, problem.target, 'to')
  const rate = backward.best[problem.source]!
  const path = wayTo(problem, backward, problem.source, problem.target)
  const needed = path?.reduceRight((amount, edge) => inputOf(curveOf(problem, edge), amount), wished)
  if (needed !== undefined && Number.isFinite(needed)) return needed
  return rate > 0 ? wished / rate : 1
}

/** Output for one more unit of input, all legs growing by the same part: that of the best allocation, to first order. */
function marginalPrice(problem: Problem, { flow }: FoundRoute): number {
  const more = { ...problem, amountIn: problem.amountIn * (1 + OUTPUT_MARGIN) }
  const grown = pushThrough(more, flow.edges, flow.input)
  const price = ((grown?.amountOut ?? 0) - flow.amountOut) / (problem.amountIn * OUTPUT_MARGIN)
  return Math.max(price, 0)
}

/** The input at which a pool of x·y = k that pays as much, at the same price, pays what is wished; ∞ where it never does. */
function extrapolate({ amountIn, route, price }: Tried, wished: number): number {
  const pays = Number(route.settlement.amountOut)
  const average = pays / Number(amountIn)
  // f(x) = a·x / (1 + b·x): 1 + b·x is the average price by the marginal one.
  const fall = Math.max(1, average / price)
  const a = average * fall
  const b = (fall - 1) / Number(amountIn)
  return wished < a / b ? wished / (a - b * wished) : Number.POSITIVE_INFINITY
}

type Limits = { readonly low: bigint; readonly tooMuch: bigint }

/** The amount to try next, between those that pay too little and those that pay enough; null where nothing is left between. */
function within(next: number, tried: readonly Tried[], wished: bigint, limits: Limits): bigint | null {
  const below = tried.filter((one) => paysOf(one) < wished)
  const above = tried.filter((one) => paysOf(one) >= wished)
  const low = below.reduce((most, one) => larger(most, one.amountIn), limits.low)
  const enough = above.reduce((least, one) => smaller(least, one.amountIn), limits.tooMuch)
  if (enough - low <= 1n) return null
  // Beyond what was tried, no further than eight times as much: pools may end.
  const most = low === 0n || low * 8n > enough ? enough - 1n : low * 8n
  const amount = next < Number(most) ? BigInt(Math.ceil(next)) : most
  return amount <= low ? low + 1n : amount >= enough ? enough - 1n : amount
}

// `Math.max` and `Math.min` take no bigint.
function larger(a: bigint, b: bigint): bigint {
  if (a > b) return a
  return b
}

function smaller(a: bigint, b: bigint): bigint {
  if (a < b) return a
  return b
}

const distance = (one: Tried, wished: bigint): number => Math.abs(Number(paysOf(one)) - Number(wished))

const nearest = (tried: readonly Tried[], wished: bigint): Tried =>
  tried.reduce((best, one) => (distance(one, wished) < distance(best, wished) ? one : best))

/** @param isSteep - true where returns fall fast, and shares with them */
const isNear = (one: Tried, wished: bigint, isSteep: boolean): boolean =>
  distance(one, wished) <= (isSteep ? NEAR_STEEP_OUTPUT : NEAR_OUTPUT) * Number(wished)

/** The least amount with which a route's shares pay what is wished; null where they do not, however much they are given. */
function leastOf({ amountIn, route, problem, price }: Tried, wished: bigint, request: RouteTerms): LeastInput | null {
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
  const paying = (least: bigint | null): LeastInput | null => {
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
