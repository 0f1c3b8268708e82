/** Prices of the tokens that do not carry flow: between their cost and their value at the prices of the live tokens. */
import { pointAt } from '../graph/price-curve.ts'
import { LabelQueue } from '../problem/label-correction.ts'
import { curveOf, legBaseCost, type Problem } from '../problem/problem.ts'
import { LABEL_GAIN } from '../tolerances.ts'
import { BALANCE_HALVINGS, BALANCE_SWEEPS } from './tolerances.ts'

/**
 * Fills in the prices of all tokens except the live ones; 0 if no path within the hop limit leads through a token.
 *
 * @param prices - by token; prices of live tokens are given
 */
export function fillPrices(problem: Problem, prices: Float64Array, live: readonly number[]): void {
  const { tokens, scratch } = problem.graph.topology
  const isLive = scratch.bytes(tokens.length, 0)
  for (const token of live) isLive[token] = 1
  const contested: ContestedToken[] = []
  scratch.within(() => {
    const cost = valueLabels(problem, prices, isLive, live, 'cost')
    const value = valueLabels(problem, prices, isLive, live, 'value')
    for (let token = 0; token < prices.length; token++) {
      if (isLive[token] === 1) continue
      const [min, max] = [cost[token]!, value[token]!]
      prices[token] = geometricMean(min, max)
      if (max > min * (1 + LABEL_GAIN)) contested.push({ token, min, max })
    }
  })
  balance(problem, prices, contested, NO_EDGES)
}

/**
 * Maximum value of each token at first rates, or minimum cost. Costs are computed as reciprocals, so that both kinds of
 * labels rise.
 */
function valueLabels(
  problem: Problem,
  prices: Float64Array,
  isLive: Uint8Array,
  live: readonly number[],
  quantity: 'cost' | 'value',
): Float64Array {
  const { graph, rate, rateBack, maxHops, budget } = problem
  const { offset, to, tokens, scratch } = graph.topology
  const rates = quantity === 'cost' ? rate : rateBack
  const label = scratch.floats(tokens.length, 0)
  for (const token of live) label[token] = quantity === 'cost' ? 1 / prices[token]! : prices[token]!
  const queue = new LabelQueue(tokens.length, scratch)
  queue.start(live, 4 * maxHops)
  for (let token = queue.next(); token >= 0; token = queue.next()) {
    budget.spend(1 + offset[token + 1]! - offset[token]!)
    const ownLabel = label[token]!
    for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
      const other = to[edge]!
      const next = ownLabel * rates[edge]!
      if (isLive[other] === 1 || !(next > label[other]! * (1 + LABEL_GAIN))) continue
      label[other] = next
      queue.add(other)
    }
  }
  if (quantity === 'cost') for (let token = 0; token < label.length; token++) label[token] = 1 / label[token]!
  return label
}

/**
 * Recomputes the prices of some tokens, given all others.
 *
 * @param tokens - tokens to be priced
 * @param excludedEdges - edges that no route uses
 */
export function refillPrices(
  problem: Problem,
  prices: Float64Array,
  tokens: readonly number[],
  excludedEdges: ReadonlySet<number>,
): void {
  const { graph, rate, rateBack, budget } = problem
  const { offset, to, reverse, scratch } = graph.topology
  const contested: ContestedToken[] = []
  scratch.within(() => {
    const value = scratch.copy(prices)
    const cost = scratch.copy(prices)
    for (let token = 0; token < prices.length; token++)
      if (!(prices[token]! > 0)) cost[token] = Number.POSITIVE_INFINITY
    for (const token of tokens) {
      value[token] = 0
      cost[token] = Number.POSITIVE_INFINITY
    }
    // Paths may lead through several of these tokens, so each round extends them by one edge.
    let hasChanged = true
    for (let round = 0; round < tokens.length && hasChanged; round++) {
      hasChanged = false
      for (const token of tokens) {
        budget.spend(1 + offset[token + 1]! - offset[token]!)
        let [min, max] = [cost[token]!, value[token]!]
        for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
          const other = to[edge]!
          const valueVia = rate[edge]! * value[other]!
          if (valueVia > max && !excludedEdges.has(edge)) max = valueVia
          const costVia = cost[other]! / rateBack[edge]!
          if (costVia < min && rateBack[edge]! > 0 && !excludedEdges.has(reverse[edge]!)) min = costVia
        }
        if (min < cost[token]! * (1 - LABEL_GAIN) || max > value[token]! * (1 + LABEL_GAIN)) hasChanged = true
        cost[token] = min
        value[token] = max
      }
    }
    for (const token of tokens) {
      const [min, max] = [cost[token]!, value[token]!]
      prices[token] = geometricMean(min, max)
      if (max > min * (1 + LABEL_GAIN)) contested.push({ token, min, max })
    }
  })
  balance(problem, prices, contested, excludedEdges)
}

const NO_EDGES: ReadonlySet<number> = new Set()
const geometricMean = (min: number, max: number): number =>
  min < Number.POSITIVE_INFINITY && max > 0 ? Math.sqrt(min * max) : 0

/** A token whose value exceeds its cost for the first unit. */
type ContestedToken = { readonly token: number; readonly min: number; readonly max: number }

/**
 * Finds a price for each token at which no pool that sells or buys the token earns more than its cost. If there is no
 * such price, finds the price at which pools buy as much as they sell.
 */
function balance(
  problem: Problem,
  prices: Float64Array,
  contested: readonly ContestedToken[],
  excludedEdges: ReadonlySet<number>,
): void {
  for (let sweep = 0; sweep < BALANCE_SWEEPS; sweep++)
    for (const { token, min, max } of contested) {
      let [low, high] = [min, max]
      for (let step = 0; step < BALANCE_HALVINGS; step++) {
        const surplus = surplusAt(problem, prices, token, excludedEdges)
        if (surplus === 0) break
        if (surplus > 0) high = prices[token]!
        else low = prices[token]!
        prices[token] = Math.sqrt(low * high)
      }
    }
}

/**
 * Amount of a token that pools earning above their cost would sell at its price, less the amount that they would buy.
 */
function surplusAt(problem: Problem, prices: Float64Array, token: number, excludedEdges: ReadonlySet<number>): number {
  const { graph, rate, rateBack, budget } = problem
  const { offset, to, reverse } = graph.topology
  const price = prices[token]!
  let surplus = 0
  budget.spend(1 + offset[token + 1]! - offset[token]!)
  for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
    const otherPrice = prices[to[edge]!]!
    if (rate[edge]! * otherPrice > price && !excludedEdges.has(edge)) {
      const { input, output } = pointAt(curveOf(problem, edge), price / otherPrice)
      if (output * otherPrice - input * price > legBaseCost(problem, edge)) surplus -= input
    }
    const reverseEdge = reverse[edge]!
    if (rateBack[edge]! * price > otherPrice && otherPrice > 0 && !excludedEdges.has(reverseEdge)) {
      const { input, output } = pointAt(curveOf(problem, reverseEdge), otherPrice / price)
      if (output * price - input * otherPrice > legBaseCost(problem, reverseEdge)) surplus += output
    }
  }
  return surplus
}
