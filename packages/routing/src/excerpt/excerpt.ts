/**
 * The part of a large graph that a trade may use. A search takes as long as its graph is large, and of a hundred thousand pools a
 * trade has use for a few dozen. At prices of the tokens that it passes, an edge is of use only where the first unit of what it
 * buys brings more than what it sells costs. Those prices are found on guesses at the part, each from the prices on the one before.
 */
import type { Trust } from '@sluice/liquidity'
import { generateColumns } from '../columns/columns.ts'
import { Frontier } from '../columns/frontier.ts'
import { bestSinglePath } from '../columns/single-path.ts'
import type { Graph } from '../graph/graph.ts'
import { type Ends, ratesBetween } from '../problem/passable.ts'
import { distancesFrom, potential, wayTo } from '../problem/potentials.ts'
import { isFree, type Problem, type Solved } from '../problem/problem.ts'
import { allocationOver } from '../solver/allocation.ts'
import { LIVE } from '../tolerances.ts'
import { bestPath, bestWay } from './best-path.ts'
import { mostEarning } from './candidates.ts'
import type { Growth } from './grower.ts'
import { labelsTo, type Priced } from './labels.ts'
import { alternativesBetween, middleOf } from './middle.ts'
import { type Part, partOfGraph } from './part-of-graph.ts'
import { Surroundings } from './surroundings.ts'
import {
  ALTERNATIVE_PART,
  COARSE_BENEFIT,
  COARSE_COLUMNS,
  COARSE_EDGES,
  COARSE_PRICES,
  EXCERPT_BENEFIT,
  EXCERPT_EDGES,
  EXCERPT_OF_POOL,
  NEAR_SPOT,
  PRICE_MARGIN,
} from './tolerances.ts'

type Prices = { readonly priced: readonly Priced[]; readonly used: readonly number[]; readonly value: number }

/**
 * The request on that part; null where none is found.
 *
 * @param ends - of the trade, in the whole graph
 * @param on - the request made ready for a graph
 */
export function excerptOf<T extends { readonly problem: Problem }>(
  whole: Graph,
  trust: Trust | undefined,
  ends: Ends,
  on: (graph: Graph) => T,
): T | null {
  const { source, target } = ends
  const partWith = (edges: Iterable<number>) => partOfGraph(whole, edges, [source, target])
  let part = partWith([])
  const bare = on(part.graph).problem
  const { maxHops, maxPools, amountIn, budget } = bare
  const labels = labelsTo(whole, trust, target, maxHops)
  const spot = labels.best[source]!
  if (!(spot * amountIn >= 1)) return null
  const between = trust ? ratesBetween(whole, trust) : whole
  const growth: Growth = { ends, maxHops, labels, between, budget }
  const surroundings = new Surroundings(whole, growth)

  const start = [
    { token: source, price: spot * NEAR_SPOT },
    { token: target, price: 1 },
  ]
  let prices: Prices = { priced: start, used: [], value: spot * amountIn }
  let known = new Set([...bestWay(whole, growth), ...middleOf(whole, ends, labels, budget)])
  for (let round = 0; round < COARSE_PRICES; round++) {
    const near = mostEarning(surroundings.around(prices.priced, COARSE_BENEFIT * prices.value), COARSE_EDGES)
    if (round > 0 && near.every((edge) => known.has(edge))) break
    known = new Set([...(round === 0 ? known : prices.used), ...near])
    part = partWith(known)
    const found = coarsePrices(on(part.graph).problem, part)
    if (!found) return null
    prices = found
  }
  const { priced, used, value } = prices
  const lower = priced.map(({ token, price }) => ({ token, price: price * (1 - PRICE_MARGIN) }))
  const most = Math.max(EXCERPT_EDGES, EXCERPT_OF_POOL * maxPools)
  const candidates = mostEarning(surroundings.around(lower, EXCERPT_BENEFIT * value), most)
  // Where gas matters, what leaves most may not be near any prices.
  const single = isFree(bare) ? [] : bestPath(on(whole).problem, labels, { problem: on(part.graph).problem, part })
  const others = isFree(bare) ? [] : alternatives(whole, [...used, ...single], { priced, labels, budget })
  part = partWith([...used, ...single, ...others, ...candidates])
  const ready = on(part.graph)
  const excerpt = {
    fewestHops: labels.hops[source]!,
    earnedBeyond: (solved: Solved) => earnedBeyond(solved, ready.problem, part, surroundings),
  }
  return { ...ready, problem: { ...ready.problem, excerpt } }
}

/** Other edges between the tokens that some edges join, by prices or else by bounds on them. */
function alternatives(
  whole: Graph,
  edges: readonly number[],
  { priced, labels, budget }: { readonly priced: readonly Priced[] } & Pick<Growth, 'labels' | 'budget'>,
): readonly number[] {
  const { from, to } = whole.topology
  const tokens = edges.flatMap((edge) => [from[edge]!, to[edge]!])
  const values = new Map(tokens.map((token) => [token, labels.best[token]!]))
  for (const { token, price } of priced) values.set(token, price)
  return alternativesBetween(whole, values, ALTERNATIVE_PART, budget)
}

/** Prices of the tokens that the trade passes, gas aside, and the edges of the allocation behind them. */
function coarsePrices(asked: Problem, { tokens, edges }: Part): Prices | null {
  const problem = { ...asked, perGas: 0, perLeg: 0 }
  const { source, target } = problem
  const backward = potential(problem, target, 'to')
  const way = wayTo(problem, backward, source, target) ?? bestSinglePath(problem, backward)
  if (!way) return null
  const allocation = allocationOver(problem, way, backward)
  const frontier = new Frontier(problem, backward, distancesFrom(problem, source))
  generateColumns(problem, allocation, frontier, COARSE_COLUMNS)
  const priced = pricesOf(allocation, problem, tokens)
  return priced && { priced, used: allocation.edges.map((edge) => edges[edge]!), value: allocation.value }
}

/** Prices of the tokens that an allocation passes, by number in the whole graph; null where one has none. */
function pricesOf(allocation: Solved, { source, target }: Problem, tokens: Int32Array): readonly Priced[] | null {
  const live = new Set([source, target])
  for (let k = 0; k < allocation.edges.length; k++) {
    const [sold, bought] = [allocation.sold[k]!, allocation.bought[k]!]
    if (allocation.input[k]! * allocation.price(sold) > LIVE * allocation.value) live.add(sold).add(bought)
  }
  const priced = Array.from(live, (token) => ({ token: tokens[token]!, price: allocation.price(token) }))
  return priced.every(({ price }) => price > 0 && price < Number.POSITIVE_INFINITY) ? priced : null
}

/** The most that edges outside a part earn together at the prices of an allocation on it; null where that is not known. */
function earnedBeyond(
  solved: Solved,
  problem: Problem,
  { tokens, edges }: Part,
  surroundings: Surroundings,
): number | null {
  const priced = pricesOf(solved, problem, tokens)
  if (!priced) return null
  const sum = surroundings.earnedBeyond(priced, tokens, edges)
  return Number.isFinite(sum) ? sum : null
}
