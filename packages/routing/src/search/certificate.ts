/**
 * An upper bound of what any route can pay over all pools, gas left aside. By weak duality every set of token prices gives
 * one: the input at its price, plus what each edge would earn by trading at those prices. The prices that the search found
 * make it tight where the trade flows; elsewhere they are chosen so that as little as possible is earned.
 */
import { type Problem, responseOf } from './problem.ts'
import { type Point, respond } from './response.ts'
import type { WaterFilling } from './water-filling.ts'

/** Rounds of label correcting, and of adjusting single prices. */
const MAX_ROUNDS = 64
const MAX_SWEEPS = 4
const BISECTIONS = 26
/** Prices that are moved, and pools of a token whose price is moved, at most: the bound is part of every quote. */
const MAX_TOKENS = 64
const MAX_DEGREE = 400
const LIVE = 1e-12
/** A bound this near to what the prices promise is not worth work. */
const TIGHT_ENOUGH = 2e-6

/** Output base units, as a float; null where prices go in circles (an arbitrage), for which no finite bound was found. */
export function upperBound(problem: Problem, filling: WaterFilling): number | null {
  const { source, amountIn } = problem
  const price = pricesOfAll(problem, filling)
  if (!price) return null
  const earning = earningEdges(problem, price)
  let total = bound(problem, price, earning)
  // Edges outside the set that earn make the bound loose: the prices at their ends are moved until they do not.
  for (let sweep = 0; sweep < MAX_SWEEPS && total > filling.value * (1 + TIGHT_ENOUGH); sweep++) {
    const outside = [...earning].filter((edge) => !filling.has[edge])
    const touched = tokensOf(problem, outside)
      .filter((token) => token !== problem.target && degree(problem, token) <= MAX_DEGREE)
      .slice(0, MAX_TOKENS)
    for (const token of touched) adjust(problem, price, token)
    for (const edge of earningAt(problem, price, touched)) earning.add(edge)
    const before = total
    total = bound(problem, price, earning)
    if (before - total < 1e-9 * before) break
  }
  return Number.isFinite(total) && total >= 0 && price[source]! * amountIn > 0 ? total : null
}

/** Prices of tokens that the trade flows through, and for all others the least at which nothing buys them at a gain. */
function pricesOfAll(problem: Problem, filling: WaterFilling): Float64Array | null {
  const { graph, rateBack, source, target } = problem
  const { offset, to, from, tokens } = graph.topology
  const price = new Float64Array(tokens.length)
  const live = new Set([source, target])
  filling.edges.forEach((edge, k) => {
    if (!(filling.input[k]! * filling.price(from[edge]!) > LIVE * filling.value)) return
    live.add(from[edge]!).add(to[edge]!)
  })
  let frontier = [...live]
  for (const token of live) price[token] = filling.price(token)
  for (let round = 0; frontier.length > 0; round++) {
    if (round === MAX_ROUNDS) return null
    const next = new Set<number>()
    for (const token of frontier) {
      const value = price[token]!
      for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
        const other = to[edge]!
        const label = rateBack[edge]! * value
        if (live.has(other) || !(label > price[other]! * (1 + 1e-13))) continue
        price[other] = label
        next.add(other)
      }
    }
    frontier = [...next]
  }
  return price
}

/** Edges that would earn something by trading at the prices. */
function earningEdges({ rate, graph }: Problem, price: Float64Array): Set<number> {
  const { from, to } = graph.topology
  const earning = new Set<number>()
  for (let edge = 0; edge < rate.length; edge++)
    if (rate[edge]! * price[to[edge]!]! > price[from[edge]!]!) earning.add(edge)
  return earning
}

function earningAt({ rate, rateBack, graph }: Problem, price: Float64Array, tokens: readonly number[]): Set<number> {
  const { offset, to, reverse } = graph.topology
  const earning = new Set<number>()
  for (const token of tokens) {
    for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
      const other = to[edge]!
      if (rate[edge]! * price[other]! > price[token]!) earning.add(edge)
      if (rateBack[edge]! * price[token]! > price[other]!) earning.add(reverse[edge]!)
    }
  }
  return earning
}

function tokensOf({ graph }: Problem, edges: Iterable<number>): readonly number[] {
  const { from, to } = graph.topology
  const tokens = new Set<number>()
  for (const edge of edges) tokens.add(from[edge]!).add(to[edge]!)
  return [...tokens]
}

const degree = ({ graph: { topology } }: Problem, token: number) =>
  topology.offset[token + 1]! - topology.offset[token]!

const point: Point = { input: 0, output: 0, conductance: 0 }

function bound(problem: Problem, price: Float64Array, earning: ReadonlySet<number>): number {
  const { from, to } = problem.graph.topology
  let total = price[problem.source]! * problem.amountIn
  for (const edge of earning) {
    const sold = price[from[edge]!]!
    const bought = price[to[edge]!]!
    if (!(bought > 0)) continue
    respond(responseOf(problem, edge), sold / bought, point)
    total += point.output * bought - point.input * sold
  }
  return total
}

/** Moves one price to where its token is neither left over nor short: the bound's least value along it. */
function adjust(problem: Problem, price: Float64Array, token: number): void {
  const start = price[token]!
  if (!(start > 0)) return
  let low = start
  let high = start
  const tooHigh = (at: number) => surplus(problem, price, token, at) > 0
  if (tooHigh(start)) {
    for (let step = 1e-6; step < 4 && tooHigh(low); step *= 4) low = start * Math.exp(-step)
  } else {
    for (let step = 1e-6; step < 4 && !tooHigh(high); step *= 4) high = start * Math.exp(step)
  }
  for (let step = 0; step < BISECTIONS && high > low * (1 + 1e-15); step++) {
    const middle = Math.sqrt(low * high)
    if (tooHigh(middle)) high = middle
    else low = middle
  }
  price[token] = low
}

/** What is bought of a token less what is sold of it, if its price were `at`: rises with the price. */
function surplus(problem: Problem, price: Float64Array, token: number, at: number): number {
  const { graph, rate, rateBack, source, amountIn } = problem
  const { offset, to, reverse } = graph.topology
  let left = token === source ? amountIn : 0
  for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
    const other = price[to[edge]!]!
    if (rate[edge]! * other > at) {
      respond(responseOf(problem, edge), at / other, point)
      left -= point.input
    }
    if (rateBack[edge]! * at > other && other > 0) {
      respond(responseOf(problem, reverse[edge]!), other / at, point)
      left += point.output
    }
  }
  return left
}
