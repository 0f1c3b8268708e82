/**
 * Evaluates the whole graph at given token prices: earnings and cost of each pool, and the upper bound on the net
 * output that follows from them. An edge is a pool in one direction. It earns if its output is worth more than its
 * input at the prices. A multi-token pool has more than two tokens. Called by `relaxation.ts`.
 */
import { type CurvePoint, hiddenEarnings, outputOf, pointAt } from '../graph/price-curve.ts'
import { curveOf, legBaseCost, type Problem } from '../problem/problem.ts'
import { roundingOfPool } from '../problem/rounding.ts'
import { costAtBestStop, type LegPrices } from '../refine/ticks.ts'
import { boundingFunctionOf, SharedPool, tradingFunctionOf } from '../solver/shared-pools.ts'
import { MAX_INPUT_LIMIT_ROUNDS, MIN_INPUT_LIMIT_FALL } from './tolerances.ts'

/** One direction of a pool that earns at the prices, or a multi-token pool with all of its pairs. */
type Earner = {
  /** Edges of the direction, or of all pairs, that a route may use. */
  readonly edges: readonly number[]
  /** Maximum earnings at the prices in any route, in output base units. */
  earnings: number
  /** Minimum gas cost of using it, in output base units. */
  cost: number
  /** Input of the trade that earns most if a route could trade any amount; 0 for a multi-token pool. */
  readonly maxInput: number
  /** Earnings of that trade less its cost, in output base units. */
  readonly unlimitedSurplus: number
}

/** Values are in output base units. */
export type NetBoundAtPrices = {
  /** Value of the trade's input at the price of its token. */
  readonly inputValue: number
  /**
   * `inputValue` plus the earnings of each earner in excess of its cost: an upper bound on the net output of any route.
   */
  readonly bound: number
  readonly earners: readonly Earner[]
  readonly earnerByEdge: ReadonlyMap<number, Earner>
}

/**
 * Evaluates all edges that earn at the prices.
 *
 * @param prices - by token; 0 for tokens that no route passes through
 * @param sharedPoolById - multi-token pools by pool id; changed in place. Kept between calls, because a pool solves
 *   faster from its last solution.
 * @returns null if the earnings of a multi-token pool have no bound
 */
export function netBoundAtPrices(
  problem: Problem,
  prices: Float64Array,
  sharedPoolById: Map<string, SharedPool>,
): NetBoundAtPrices | null {
  const { graph, rate, source, target, amountIn, budget } = problem
  const { from, to, hasWidePools } = graph.topology
  const earners: Earner[] = []
  const edgesByWidePool = new Map<string, number[]>()
  budget.spend(from.length / 4)
  for (let edge = 0; edge < from.length; edge++) {
    // A route does not buy its source or sell its target.
    if (to[edge] === source || from[edge] === target) continue
    const priceIn = prices[from[edge]!]!
    const priceOut = prices[to[edge]!]!
    if (!(rate[edge]! * priceOut > priceIn && priceIn > 0)) continue
    const { pool } = graph.edges[edge]!
    if (hasWidePools && pool.tokens.length > 2 && tradingFunctionOf(graph, pool))
      edgesByWidePool.set(pool.id, [...(edgesByWidePool.get(pool.id) ?? []), edge])
    else {
      const best = maxEarningsOfEdge(problem, edge, { priceIn, priceOut })
      earners.push({ edges: [edge], ...best, unlimitedSurplus: best.earnings - best.cost })
    }
  }
  for (const [id, payingEdges] of edgesByWidePool) {
    const earner = earnerOfPool(problem, prices, id, payingEdges, sharedPoolById)
    if (!earner) return null
    earners.push(earner)
  }
  const inputValue = prices[source]! * amountIn
  limitEarnings(problem, prices, earners, inputValue)
  const earnerByEdge = new Map(earners.flatMap((earner) => earner.edges.map((edge) => [edge, earner] as const)))
  const bound = earners.reduce((sum, { earnings, cost }) => sum + Math.max(0, earnings - cost), inputValue)
  return { inputValue, bound, earners, earnerByEdge }
}

/**
 * Limits the earnings of pools to those of the inputs that a route can trade, and adds what the price curves hide. At
 * any time, a route holds tokens worth at most the input of the trade plus all earnings, so no pool takes an input of
 * more value. Lower earnings lower this limit in turn.
 */
function limitEarnings(problem: Problem, prices: Float64Array, earners: readonly Earner[], inputValue: number): void {
  const { from, to } = problem.graph.topology
  const pairs = earners.flatMap((earner) => {
    const edge = earner.edges[0]!
    const legPrices = { priceIn: prices[from[edge]!]!, priceOut: prices[to[edge]!]! }
    return earner.edges.length === 1 ? [{ earner, edge, legPrices, curve: curveOf(problem, edge) }] : []
  })
  const totalEarnings = () => earners.reduce((sum, { earnings }) => sum + earnings, 0)
  let maxInputValue = inputValue + totalEarnings()
  const hiddenOfPairs = pairs.map(({ edge, curve, legPrices: { priceIn, priceOut } }) => {
    const hidden = hiddenEarnings(curve, priceIn, priceOut, maxInputValue)
    return hidden + roundingOfPool(problem, edge, priceIn, priceOut)
  })
  const totalHidden = hiddenOfPairs.reduce((sum, hidden) => sum + hidden, 0)
  for (let round = 0; round < MAX_INPUT_LIMIT_ROUNDS; round++) {
    problem.budget.spend(2 * pairs.length)
    for (const { earner, edge, legPrices, curve } of pairs) {
      const input = maxInputValue / legPrices.priceIn
      if (earner.maxInput <= input) continue
      problem.budget.spend(8)
      Object.assign(earner, earningsOfTrade(problem, edge, { input, output: outputOf(curve, input) }, legPrices))
    }
    const nextLimit = inputValue + totalEarnings() + totalHidden
    if (nextLimit > maxInputValue * (1 - MIN_INPUT_LIMIT_FALL)) break
    maxInputValue = nextLimit
  }
  for (const [k, { earner }] of pairs.entries()) earner.earnings += hiddenOfPairs[k]!
}

/** Earnings of the best trade of one edge, without a limit on its input. */
function maxEarningsOfEdge(
  problem: Problem,
  edge: number,
  prices: LegPrices,
): Pick<Earner, 'earnings' | 'cost' | 'maxInput'> {
  problem.budget.spend(8)
  const trade = pointAt(curveOf(problem, edge), prices.priceIn / prices.priceOut)
  return { ...earningsOfTrade(problem, edge, trade, prices), maxInput: trade.input }
}

function earningsOfTrade(
  problem: Problem,
  edge: number,
  trade: Pick<CurvePoint, 'input' | 'output'>,
  prices: LegPrices,
) {
  const earnings = Math.max(0, trade.output * prices.priceOut - trade.input * prices.priceIn)
  return { earnings, cost: costAtBestStop(problem, edge, trade, prices) }
}

/**
 * Evaluates all pairs of a multi-token pool together, because they share its trading function. Null if several pairs
 * earn and the fee depends on the balances: the earnings of the solved trade are then no bound.
 */
function earnerOfPool(
  problem: Problem,
  prices: Float64Array,
  id: string,
  payingEdges: readonly number[],
  sharedPoolById: Map<string, SharedPool>,
): Earner | null {
  const { graph, rate } = problem
  const { edgesOfPool, from, to } = graph.topology
  const legPrices = (edge: number) => ({ priceIn: prices[from[edge]!]!, priceOut: prices[to[edge]!]! })
  const edges = edgesOfPool.get(id)!.filter((edge) => {
    const { priceIn, priceOut } = legPrices(edge)
    return rate[edge]! > 0 && priceIn > 0 && priceOut > 0
  })
  const edgeEarnings = payingEdges.map((edge) => maxEarningsOfEdge(problem, edge, legPrices(edge)).earnings)
  const cost = Math.min(...edges.map((edge) => legBaseCost(problem, edge)))
  const maxSingleEarnings = Math.max(...edgeEarnings)
  const tradingFunction = tradingFunctionOf(graph, graph.edges[edges[0]!]!.pool)!
  const earnerWith = (earnings: number): Earner => ({
    edges,
    earnings,
    cost,
    maxInput: 0,
    unlimitedSurplus: earnings - cost,
  })
  if (!tradingFunction.hasFixedFee) return payingEdges.length === 1 ? earnerWith(maxSingleEarnings) : null
  const sharedPool = sharedPoolById.get(id) ?? new SharedPool(boundingFunctionOf(graph.edges[edges[0]!]!.pool)!)
  sharedPoolById.set(id, sharedPool)
  sharedPool.clear()
  for (const [index, edge] of edges.entries()) sharedPool.add(problem, edge, index)
  const inputs = new Float64Array(edges.length)
  const jointEarnings = sharedPool.tradeTo(prices, inputs, new Float64Array(edges.length))
  problem.budget.spend(sharedPool.work)
  return earnerWith(Math.max(maxSingleEarnings, jointEarnings + sharedPool.maxReusedFees))
}
