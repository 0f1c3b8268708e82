/**
 * Prices of the tokens that do not carry flow in a relaxation. Tokens that carry flow are live, and have prices. The
 * price of any other token lies between its minimum cost if it is bought with live tokens, and its maximum value if it
 * is sold for live tokens. An edge is a pool in one direction. It earns if its output is worth more than its input.
 * Called by `relaxation.ts`.
 */
import { pointAt } from '../graph/price-curve.ts'
import { LabelQueue } from '../problem/label-correction.ts'
import { curveOf, legBaseCost, type Problem } from '../problem/problem.ts'
import { MIN_LABEL_GAIN } from '../tolerances.ts'
import { BALANCE_HALVINGS, BALANCE_SWEEPS } from './tolerances.ts'

/**
 * Sets the prices of all tokens that are not live; 0 for a token that no path between live tokens passes through.
 *
 * @param prices - by token; must contain the prices of live tokens
 */
export function fillPrices(problem: Problem, prices: Float64Array, liveTokens: readonly number[]): void {
  const { tokens, scratch } = problem.graph.topology
  const isLive = scratch.bytes(tokens.length, 0)
  for (const token of liveTokens) isLive[token] = 1
  const contestedTokens: ContestedToken[] = []
  scratch.within(() => {
    const cost = minCostsOrMaxValues(problem, prices, isLive, liveTokens, 'cost')
    const value = minCostsOrMaxValues(problem, prices, isLive, liveTokens, 'value')
    for (let token = 0; token < prices.length; token++) {
      if (isLive[token] === 1) continue
      const [min, max] = [cost[token]!, value[token]!]
      prices[token] = geometricMean(min, max)
      if (max > min * (1 + MIN_LABEL_GAIN)) contestedTokens.push({ token, min, max })
    }
  })
  balanceContested(problem, prices, contestedTokens, NO_EDGES)
}

/**
 * Returns the maximum value of each token, or its minimum cost, if pools trade at their rates for the first unit.
 * Reciprocals of costs are computed, so that label correction only raises labels in both cases.
 */
function minCostsOrMaxValues(
  problem: Problem,
  prices: Float64Array,
  isLive: Uint8Array,
  liveTokens: readonly number[],
  quantity: 'cost' | 'value',
): Float64Array {
  const { graph, rate, rateBack, maxHops, budget } = problem
  const { offset, to, tokens, scratch } = graph.topology
  const rates = quantity === 'cost' ? rate : rateBack
  const labels = scratch.floats(tokens.length, 0)
  for (const token of liveTokens) labels[token] = quantity === 'cost' ? 1 / prices[token]! : prices[token]!
  const queue = new LabelQueue(tokens.length, scratch)
  queue.start(liveTokens, 4 * maxHops)
  for (let token = queue.next(); token >= 0; token = queue.next()) {
    budget.spend(1 + offset[token + 1]! - offset[token]!)
    const ownLabel = labels[token]!
    for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
      const neighbor = to[edge]!
      const newLabel = ownLabel * rates[edge]!
      if (isLive[neighbor] === 1 || !(newLabel > labels[neighbor]! * (1 + MIN_LABEL_GAIN))) continue
      labels[neighbor] = newLabel
      queue.add(neighbor)
    }
  }
  if (quantity === 'cost') for (let token = 0; token < labels.length; token++) labels[token] = 1 / labels[token]!
  return labels
}

/**
 * Recomputes the prices of some tokens from the prices of all other tokens.
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
  const contestedTokens: ContestedToken[] = []
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
          const neighbor = to[edge]!
          const valueVia = rate[edge]! * value[neighbor]!
          if (valueVia > max && !excludedEdges.has(edge)) max = valueVia
          const costVia = cost[neighbor]! / rateBack[edge]!
          if (costVia < min && rateBack[edge]! > 0 && !excludedEdges.has(reverse[edge]!)) min = costVia
        }
        if (min < cost[token]! * (1 - MIN_LABEL_GAIN) || max > value[token]! * (1 + MIN_LABEL_GAIN)) hasChanged = true
        cost[token] = min
        value[token] = max
      }
    }
    for (const token of tokens) {
      const [min, max] = [cost[token]!, value[token]!]
      prices[token] = geometricMean(min, max)
      if (max > min * (1 + MIN_LABEL_GAIN)) contestedTokens.push({ token, min, max })
    }
  })
  balanceContested(problem, prices, contestedTokens, excludedEdges)
}

const NO_EDGES: ReadonlySet<number> = new Set()
const geometricMean = (min: number, max: number): number =>
  min < Number.POSITIVE_INFINITY && max > 0 ? Math.sqrt(min * max) : 0

/**
 * A token whose maximum value (`max`) exceeds its minimum cost (`min`), so that a path through it earns on the first
 * unit.
 */
type ContestedToken = { readonly token: number; readonly min: number; readonly max: number }

/**
 * Finds a price for each token, by bisection, at which no edge that sells or buys the token earns more than its cost.
 * If no such price exists, approaches the price at which the edges buy as much of the token as they sell.
 */
function balanceContested(
  problem: Problem,
  prices: Float64Array,
  contestedTokens: readonly ContestedToken[],
  excludedEdges: ReadonlySet<number>,
): void {
  for (let sweep = 0; sweep < BALANCE_SWEEPS; sweep++)
    for (const { token, min, max } of contestedTokens) {
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
 * Surplus of a token at its price, in base units. It is the amount that edges buy, less the amount that edges sell.
 * Counts only the edges that earn more than their cost.
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
