/** Evaluates the whole graph at given prices: earnings and cost of each pool. */
import { hiddenEarnings, pointAt } from '../graph/price-curve.ts'
import { costAtBestStop } from '../integrate/ticks.ts'
import { curveOf, legBaseCost, type Problem } from '../problem/problem.ts'
import { SharedPool, tradingFunctionOf } from '../solver/shared-pools.ts'

/** One direction of a pool that earns at the prices, or a multi-token pool as a whole. */
type Earner = {
  /** Its edges that a route may use. */
  readonly edges: readonly number[]
  /** Maximum earnings at the prices, in output base units. */
  earned: number
  /** Minimum cost of use, in output base units. */
  readonly cost: number
}

export type NetBoundAtPrices = {
  /** Value of the input at the price of the source. */
  readonly base: number
  /** `base` plus all earnings above costs: an upper bound on the net output of any route. */
  readonly bound: number
  readonly earners: readonly Earner[]
  readonly earnerByEdge: ReadonlyMap<number, Earner>
}

/**
 * Evaluates all edges that earn at the prices.
 *
 * @param prices - by token; 0 for tokens that no route passes through
 * @param cache - cached multi-token pools by id, which start from their last solution
 * @returns null if the earnings of a multi-token pool have no bound
 */
export function netBoundAtPrices(
  problem: Problem,
  prices: Float64Array,
  cache: Map<string, SharedPool>,
): NetBoundAtPrices | null {
  const { graph, rate, source, amountIn, budget } = problem
  const { from, to, hasWidePools } = graph.topology
  const earners: Earner[] = []
  const edgesByWidePool = new Map<string, number[]>()
  budget.spend(from.length / 4)
  for (let edge = 0; edge < from.length; edge++) {
    const sold = prices[from[edge]!]!
    const bought = prices[to[edge]!]!
    if (!(rate[edge]! * bought > sold && sold > 0)) continue
    const { pool } = graph.edges[edge]!
    if (hasWidePools && pool.tokens.length > 2 && tradingFunctionOf(graph, pool))
      edgesByWidePool.set(pool.id, [...(edgesByWidePool.get(pool.id) ?? []), edge])
    else {
      const { earned, cost } = earningsOfEdge(problem, edge, sold, bought)
      earners.push({ edges: [edge], earned, cost })
    }
  }
  for (const [id, payingEdges] of edgesByWidePool) {
    const earner = earnerOfPool(problem, prices, id, payingEdges, cache)
    if (!earner) return null
    earners.push(earner)
  }
  const base = prices[source]! * amountIn
  // The input of a pool is worth at most the input of the trade plus all earnings.
  const value = earners.reduce((sum, { earned }) => sum + earned, base)
  for (const earner of earners) {
    if (earner.edges.length > 1) continue
    const edge = earner.edges[0]!
    earner.earned += hiddenEarnings(curveOf(problem, edge), prices[from[edge]!]!, prices[to[edge]!]!, value)
  }
  const earnerOf = new Map(earners.flatMap((earner) => earner.edges.map((edge) => [edge, earner] as const)))
  const bound = earners.reduce((sum, { earned, cost }) => sum + Math.max(0, earned - cost), base)
  return { base, bound, earners, earnerByEdge: earnerOf }
}

function earningsOfEdge(problem: Problem, edge: number, sold: number, bought: number) {
  problem.budget.spend(8)
  const curve = curveOf(problem, edge)
  const { input, output } = pointAt(curve, sold / bought)
  const earned = Math.max(0, output * bought - input * sold)
  return { earned, cost: costAtBestStop(problem, edge, { input, output }, { sold, bought }) }
}

/** Evaluates all pairs of a pool, which share its trading function. */
function earnerOfPool(
  problem: Problem,
  prices: Float64Array,
  id: string,
  payingEdges: readonly number[],
  cache: Map<string, SharedPool>,
): Earner | null {
  const { graph, rate } = problem
  const { edgesOfPool, from, to } = graph.topology
  const endPrices = (edge: number) => [prices[from[edge]!]!, prices[to[edge]!]!] as const
  const edges = edgesOfPool.get(id)!.filter((edge) => rate[edge]! > 0 && endPrices(edge).every((price) => price > 0))
  const edgeEarnings = payingEdges.map((edge) => earningsOfEdge(problem, edge, ...endPrices(edge)).earned)
  const cost = Math.min(...edges.map((edge) => legBaseCost(problem, edge)))
  const earned = Math.max(...edgeEarnings)
  const tradingFunction = tradingFunctionOf(graph, graph.edges[edges[0]!]!.pool)!
  if (!tradingFunction.hasFixedFee) return payingEdges.length === 1 ? { edges, earned, cost } : null
  const sharedPool = cache.get(id) ?? new SharedPool(tradingFunction)
  cache.set(id, sharedPool)
  sharedPool.clear()
  for (const [place, edge] of edges.entries()) sharedPool.add(problem, edge, place)
  const traded = new Float64Array(edges.length)
  const jointEarnings = sharedPool.tradeTo(prices, traded, new Float64Array(edges.length))
  problem.budget.spend(sharedPool.work)
  return { edges, earned: Math.max(earned, jointEarnings + sharedPool.feesReused), cost }
}
