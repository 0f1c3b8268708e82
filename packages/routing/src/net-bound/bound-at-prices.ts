/**
 * Evaluates the whole graph at given token prices: earnings and cost of each pool, and the upper bound on the net
 * output that follows from them. An edge is a pool in one direction. It earns if its output is worth more than its
 * input at the prices. A multi-token pool has more than two tokens. Called by `relaxation.ts`.
 */
import { hiddenEarnings, pointAt } from '../graph/price-curve.ts'
import { curveOf, legBaseCost, type Problem } from '../problem/problem.ts'
import { roundingOfPool } from '../problem/rounding.ts'
import { costAtBestStop } from '../refine/ticks.ts'
import { boundingFunctionOf, SharedPool, tradingFunctionOf } from '../solver/shared-pools.ts'

/** One direction of a pool that earns at the prices, or a multi-token pool with all of its pairs. */
type Earner = {
  /** Edges of the direction, or of all pairs, that a route may use. */
  readonly edges: readonly number[]
  /** Maximum earnings at the prices, in output base units. */
  earnings: number
  /** Minimum gas cost of using it, in output base units. */
  readonly cost: number
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
  const { graph, rate, source, amountIn, budget } = problem
  const { from, to, hasWidePools } = graph.topology
  const earners: Earner[] = []
  const edgesByWidePool = new Map<string, number[]>()
  budget.spend(from.length / 4)
  for (let edge = 0; edge < from.length; edge++) {
    const priceIn = prices[from[edge]!]!
    const priceOut = prices[to[edge]!]!
    if (!(rate[edge]! * priceOut > priceIn && priceIn > 0)) continue
    const { pool } = graph.edges[edge]!
    if (hasWidePools && pool.tokens.length > 2 && tradingFunctionOf(graph, pool))
      edgesByWidePool.set(pool.id, [...(edgesByWidePool.get(pool.id) ?? []), edge])
    else {
      const { earnings, cost } = earningsOfEdge(problem, edge, priceIn, priceOut)
      earners.push({ edges: [edge], earnings, cost })
    }
  }
  for (const [id, payingEdges] of edgesByWidePool) {
    const earner = earnerOfPool(problem, prices, id, payingEdges, sharedPoolById)
    if (!earner) return null
    earners.push(earner)
  }
  const inputValue = prices[source]! * amountIn
  // In any route, the input of a pool is worth at most the input of the trade plus all earnings.
  const maxPoolInputValue = earners.reduce((sum, { earnings }) => sum + earnings, inputValue)
  for (const earner of earners) {
    if (earner.edges.length > 1) continue
    const edge = earner.edges[0]!
    const [priceIn, priceOut] = [prices[from[edge]!]!, prices[to[edge]!]!]
    earner.earnings +=
      hiddenEarnings(curveOf(problem, edge), priceIn, priceOut, maxPoolInputValue) +
      roundingOfPool(problem, edge, priceIn, priceOut)
  }
  const earnerByEdge = new Map(earners.flatMap((earner) => earner.edges.map((edge) => [edge, earner] as const)))
  const bound = earners.reduce((sum, { earnings, cost }) => sum + Math.max(0, earnings - cost), inputValue)
  return { inputValue, bound, earners, earnerByEdge }
}

function earningsOfEdge(problem: Problem, edge: number, priceIn: number, priceOut: number) {
  problem.budget.spend(8)
  const curve = curveOf(problem, edge)
  const { input, output } = pointAt(curve, priceIn / priceOut)
  const earnings = Math.max(0, output * priceOut - input * priceIn)
  return { earnings, cost: costAtBestStop(problem, edge, { input, output }, { priceIn, priceOut }) }
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
  const endPrices = (edge: number) => [prices[from[edge]!]!, prices[to[edge]!]!] as const
  const edges = edgesOfPool.get(id)!.filter((edge) => rate[edge]! > 0 && endPrices(edge).every((price) => price > 0))
  const edgeEarnings = payingEdges.map((edge) => earningsOfEdge(problem, edge, ...endPrices(edge)).earnings)
  const cost = Math.min(...edges.map((edge) => legBaseCost(problem, edge)))
  const maxSingleEarnings = Math.max(...edgeEarnings)
  const tradingFunction = tradingFunctionOf(graph, graph.edges[edges[0]!]!.pool)!
  if (!tradingFunction.hasFixedFee)
    return payingEdges.length === 1 ? { edges, earnings: maxSingleEarnings, cost } : null
  const sharedPool = sharedPoolById.get(id) ?? new SharedPool(boundingFunctionOf(graph.edges[edges[0]!]!.pool)!)
  sharedPoolById.set(id, sharedPool)
  sharedPool.clear()
  for (const [index, edge] of edges.entries()) sharedPool.add(problem, edge, index)
  const inputs = new Float64Array(edges.length)
  const jointEarnings = sharedPool.tradeTo(prices, inputs, new Float64Array(edges.length))
  problem.budget.spend(sharedPool.work)
  return { edges, earnings: Math.max(maxSingleEarnings, jointEarnings + sharedPool.maxReusedFees), cost }
}
