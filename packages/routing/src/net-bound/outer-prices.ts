/** Prices of the tokens that a trade does not pass, between what they cost and what they bring at those of the others. */
import { pointAt } from '../graph/price-curve.ts'
import { LabelQueue } from '../problem/label-correction.ts'
import { curveOf, leastCost, type Problem } from '../problem/problem.ts'
import { LABEL_GAIN } from '../tolerances.ts'
import { BALANCE_HALVINGS, BALANCE_SWEEPS } from './tolerances.ts'

/**
 * Fills in the prices of all tokens but the live ones: 0 of those that no way of as many hops leads through.
 *
 * @param prices - by token, those of the live tokens given
 */
export function fillPrices(problem: Problem, prices: Float64Array, live: readonly number[]): void {
  const { tokens, scratch } = problem.graph.topology
  const isLive = scratch.bytes(tokens.length, 0)
  for (const token of live) isLive[token] = 1
  const contested: Contested[] = []
  scratch.within(() => {
    const cost = labels(problem, prices, isLive, live, 'cost')
    const value = labels(problem, prices, isLive, live, 'value')
    for (let token = 0; token < prices.length; token++) {
      if (isLive[token] === 1) continue
      const [least, most] = [cost[token]!, value[token]!]
      prices[token] = between(least, most)
      if (most > least * (1 + LABEL_GAIN)) contested.push({ token, least, most })
    }
  })
  balance(problem, prices, contested, NONE)
}

/** The most that a token brings at first rates, or the reciprocal of the least that it costs: both rise as they are corrected. */
function labels(
  problem: Problem,
  prices: Float64Array,
  isLive: Uint8Array,
  live: readonly number[],
  of: 'cost' | 'value',
): Float64Array {
  const { graph, rate, rateBack, maxHops, budget } = problem
  const { offset, to, tokens, scratch } = graph.topology
  const rates = of === 'cost' ? rate : rateBack
  const label = scratch.floats(tokens.length, 0)
  for (const token of live) label[token] = of === 'cost' ? 1 / prices[token]! : prices[token]!
  const queue = new LabelQueue(tokens.length, scratch)
  queue.start(live, 4 * maxHops)
  for (let token = queue.next(); token >= 0; token = queue.next()) {
    budget.spend(1 + offset[token + 1]! - offset[token]!)
    const own = label[token]!
    for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
      const other = to[edge]!
      const next = own * rates[edge]!
      if (isLive[other] === 1 || !(next > label[other]! * (1 + LABEL_GAIN))) continue
      label[other] = next
      queue.add(other)
    }
  }
  if (of === 'cost') for (let token = 0; token < label.length; token++) label[token] = 1 / label[token]!
  return label
}

/**
 * The same for a few tokens, all others having prices.
 *
 * @param tokens - to be priced anew
 * @param outside - edges that no route uses
 */
export function refillPrices(
  problem: Problem,
  prices: Float64Array,
  tokens: readonly number[],
  outside: ReadonlySet<number>,
): void {
  const { graph, rate, rateBack, budget } = problem
  const { offset, to, reverse, scratch } = graph.topology
  const contested: Contested[] = []
  scratch.within(() => {
    const value = scratch.copy(prices)
    const cost = scratch.copy(prices)
    for (let token = 0; token < prices.length; token++)
      if (!(prices[token]! > 0)) cost[token] = Number.POSITIVE_INFINITY
    for (const token of tokens) {
      value[token] = 0
      cost[token] = Number.POSITIVE_INFINITY
    }
    // Ways through several of them: each round corrects labels that are one edge further.
    let moved = true
    for (let round = 0; round < tokens.length && moved; round++) {
      moved = false
      for (const token of tokens) {
        budget.spend(1 + offset[token + 1]! - offset[token]!)
        let [least, most] = [cost[token]!, value[token]!]
        for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
          const other = to[edge]!
          const worth = rate[edge]! * value[other]!
          if (worth > most && !outside.has(edge)) most = worth
          const costs = cost[other]! / rateBack[edge]!
          if (costs < least && rateBack[edge]! > 0 && !outside.has(reverse[edge]!)) least = costs
        }
        if (least < cost[token]! * (1 - LABEL_GAIN) || most > value[token]! * (1 + LABEL_GAIN)) moved = true
        cost[token] = least
        value[token] = most
      }
    }
    for (const token of tokens) {
      const [least, most] = [cost[token]!, value[token]!]
      prices[token] = between(least, most)
      if (most > least * (1 + LABEL_GAIN)) contested.push({ token, least, most })
    }
  })
  balance(problem, prices, contested, outside)
}

const NONE: ReadonlySet<number> = new Set()
const between = (least: number, most: number): number =>
  least < Number.POSITIVE_INFINITY && most > 0 ? Math.sqrt(least * most) : 0

/** A token that brings more than it costs, for the first unit. */
type Contested = { readonly token: number; readonly least: number; readonly most: number }

/**
 * Prices at which pools that are sold a token do not earn above their cost, nor those that it is bought of; where there is none,
 * at which as much of it is bought as sold.
 */
function balance(
  problem: Problem,
  prices: Float64Array,
  contested: readonly Contested[],
  outside: ReadonlySet<number>,
): void {
  for (let sweep = 0; sweep < BALANCE_SWEEPS; sweep++)
    for (const { token, least, most } of contested) {
      let [low, high] = [least, most]
      for (let step = 0; step < BALANCE_HALVINGS; step++) {
        const surplus = surplusAt(problem, prices, token, outside)
        if (surplus === 0) break
        if (surplus > 0) high = prices[token]!
        else low = prices[token]!
        prices[token] = Math.sqrt(low * high)
      }
    }
}

/** The amount of a token that pools which earn above their cost would sell at its price, less what they would take of it. */
function surplusAt(problem: Problem, prices: Float64Array, token: number, outside: ReadonlySet<number>): number {
  const { graph, rate, rateBack, budget } = problem
  const { offset, to, reverse } = graph.topology
  const price = prices[token]!
  let surplus = 0
  budget.spend(1 + offset[token + 1]! - offset[token]!)
  for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
    const other = prices[to[edge]!]!
    if (rate[edge]! * other > price && !outside.has(edge)) {
      const { input, output } = pointAt(curveOf(problem, edge), price / other)
      if (output * other - input * price > leastCost(problem, edge)) surplus -= input
    }
    const back = reverse[edge]!
    if (rateBack[edge]! * price > other && other > 0 && !outside.has(back)) {
      const { input, output } = pointAt(curveOf(problem, back), other / price)
      if (output * price - input * other > leastCost(problem, back)) surplus += output
    }
  }
  return surplus
}
