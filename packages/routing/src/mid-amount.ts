/**
 * Computes the output of a route at mid prices, against which the price impact is measured. The route is given as a
 * flow: edges (pools in one direction) with their inputs.
 */
import { outputOf, sqrtPriceAt } from './graph/price-curve.ts'
import type { Problem } from './problem/problem.ts'
import type { Flow } from './solver/flow.ts'

/**
 * Maximum shares of the input and of the output that all legs of dust have together. A leg of dust trades with a pool
 * that holds almost nothing. Anybody can set the mid price of such a pool at almost no cost. At that mid price, a
 * millionth of the input could pay more than the whole trade.
 */
const MAX_DUST_INPUT_SHARE = 0.01
const MAX_DUST_OUTPUT_SHARE = 0.05
/** Minimum ratio of the mid price of a leg of dust to its average price. */
const MIN_DUST_PRICE_RATIO = 2

/** One edge of a flow, in topological order. */
type PricedLeg = {
  readonly from: number
  readonly to: number
  /** Share of the amount of `from` that the leg sells. */
  readonly share: number
  readonly output: number
  readonly midPrice: number
  /** Includes fees and price impact. */
  readonly averagePrice: number
}

/**
 * Returns the output of the flow if its legs traded their shares at the pools' mid prices, without fees, taxes, and
 * price impact. Legs of dust trade at their average prices. Null if the output is not positive and finite.
 */
export function midAmountOut(problem: Problem, flow: Flow): bigint | null {
  const { source, target, amountIn } = problem
  const legs = pricedLegs(problem, flow)
  const dust = dustOf(legs, source, target)
  const balances = new Map([[source, amountIn]])
  for (const leg of legs) {
    const output = (balances.get(leg.from) ?? 0) * leg.share * (dust.has(leg) ? leg.averagePrice : leg.midPrice)
    addAmount(balances, leg.to, output)
  }
  const amount = balances.get(target) ?? 0
  return Number.isFinite(amount) && amount > 0 ? BigInt(Math.round(amount)) : null
}

function pricedLegs({ graph }: Problem, { edges, input }: Flow): readonly PricedLeg[] {
  const { from, to } = graph.topology
  const soldAmounts = new Map<number, number>()
  for (const [k, edge] of edges.entries()) addAmount(soldAmounts, from[edge]!, input[k]!)
  return edges.map((edge, k) => {
    const { curve } = graph.edges[edge]!
    const output = outputOf(curve, input[k]!)
    return {
      from: from[edge]!,
      to: to[edge]!,
      share: input[k]! / soldAmounts.get(from[edge]!)!,
      output,
      midPrice: sqrtPriceAt(curve, 0) ** 2,
      averagePrice: output / input[k]!,
    }
  })
}

/**
 * Returns the legs of dust: those whose mid prices exceed their average prices most, as long as their total shares of
 * the trade stay within the limits.
 */
function dustOf(legs: readonly PricedLeg[], source: number, target: number): ReadonlySet<PricedLeg> {
  const exaggerationOf = ({ midPrice, averagePrice }: PricedLeg) => midPrice / averagePrice
  const suspects = legs.filter((leg) => exaggerationOf(leg) > MIN_DUST_PRICE_RATIO)
  const dust = new Set<PricedLeg>()
  if (suspects.length === 0) return dust
  const inputShares = inputSharesOf(legs, source)
  const outputShares = outputSharesOf(legs, target)
  let inputShare = 0
  let outputShare = 0
  for (const leg of suspects.sort((a, b) => exaggerationOf(b) - exaggerationOf(a))) {
    const nextInputShare = inputShare + inputShares.get(leg)!
    const nextOutputShare = outputShare + outputShares.get(leg)!
    if (nextInputShare > MAX_DUST_INPUT_SHARE || nextOutputShare > MAX_DUST_OUTPUT_SHARE) continue
    inputShare = nextInputShare
    outputShare = nextOutputShare
    dust.add(leg)
  }
  return dust
}

/** Returns the share of the trade's input that each leg sells, directly or after other legs. */
function inputSharesOf(legs: readonly PricedLeg[], source: number): ReadonlyMap<PricedLeg, number> {
  const shares = new Map([[source, 1]])
  return new Map(
    legs.map((leg) => {
      const share = (shares.get(leg.from) ?? 0) * leg.share
      addAmount(shares, leg.to, share)
      return [leg, share]
    }),
  )
}

/** Returns the share of the trade's output that each leg buys, directly or before other legs. */
function outputSharesOf(legs: readonly PricedLeg[], target: number): ReadonlyMap<PricedLeg, number> {
  const received = new Map<number, number>()
  for (const leg of legs) addAmount(received, leg.to, leg.output)
  const shares = new Map([[target, 1]])
  return new Map(
    legs.toReversed().map((leg) => {
      const share = (shares.get(leg.to) ?? 0) * (leg.output / received.get(leg.to)!)
      addAmount(shares, leg.from, share)
      return [leg, share]
    }),
  )
}

function addAmount(amounts: Map<number, number>, token: number, amount: number): void {
  amounts.set(token, (amounts.get(token) ?? 0) + amount)
}
