/** The whole graph at given prices: what each pool earns there, and what its use costs. */
import { hiddenEarnings, pointAt } from '../graph/price-curve.ts'
import { costAtBest } from '../integrate/ticks.ts'
import { curveOf, leastCost, type Problem } from '../problem/problem.ts'
import { SharedPool, tradingFunctionOf } from '../solver/shared-pools.ts'

/** A pool that earns at the prices, in one direction; one of several tokens as a whole. */
type Earner = {
  /** Its edges that a route may use. */
  readonly edges: readonly number[]
  /** The most that it earns at the prices, in output base units. */
  earned: number
  /** The least that using it costs, in output base units. */
  readonly cost: number
}

export type Priced = {
  /** The amount at the price of the source. */
  readonly base: number
  /** The same with all that pools earn above their costs: no route leaves more. */
  readonly bound: number
  readonly earners: readonly Earner[]
  readonly earnerOf: ReadonlyMap<number, Earner>
}

/**
 * Everything that earns at the prices.
 *
 * @param prices - by token; 0 of tokens that no route passes
 * @param known - pools of several tokens by id, which begin where they ended at the prices before
 * @returns null where pools of several tokens have no bound on what they earn
 */
export function pricedAt(problem: Problem, prices: Float64Array, known: Map<string, SharedPool>): Priced | null {
  const { graph, rate, source, amountIn, budget } = problem
  const { from, to, hasWidePools } = graph.topology
  const earners: Earner[] = []
  const wide = new Map<string, number[]>()
  budget.spend(from.length / 4)
  for (let edge = 0; edge < from.length; edge++) {
    const sold = prices[from[edge]!]!
    const bought = prices[to[edge]!]!
    if (!(rate[edge]! * bought > sold && sold > 0)) continue
    const { pool } = graph.edges[edge]!
    if (hasWidePools && pool.tokens.length > 2 && tradingFunctionOf(graph, pool))
      wide.set(pool.id, [...(wide.get(pool.id) ?? []), edge])
    else {
      const { earned, cost } = alone(problem, edge, sold, bought)
      earners.push({ edges: [edge], earned, cost })
    }
  }
  for (const [id, paying] of wide) {
    const earner = together(problem, prices, id, paying, known)
    if (!earner) return null
    earners.push(earner)
  }
  const base = prices[source]! * amountIn
  // No pool of a route takes more than all are worth together.
  const value = earners.reduce((sum, { earned }) => sum + earned, base)
  for (const earner of earners) {
    if (earner.edges.length > 1) continue
    const edge = earner.edges[0]!
    earner.earned += hiddenEarnings(curveOf(problem, edge), prices[from[edge]!]!, prices[to[edge]!]!, value)
  }
  const earnerOf = new Map(earners.flatMap((earner) => earner.edges.map((edge) => [edge, earner] as const)))
  const bound = earners.reduce((sum, { earned, cost }) => sum + Math.max(0, earned - cost), base)
  return { base, bound, earners, earnerOf }
}

function alone(problem: Problem, edge: number, sold: number, bought: number) {
  problem.budget.spend(8)
  const curve = curveOf(problem, edge)
  const { input, output } = pointAt(curve, sold / bought)
  const earned = Math.max(0, output * bought - input * sold)
  return { earned, cost: costAtBest(problem, edge, { input, output }, { sold, bought }) }
}

/** All pairs of a pool, which share its trading function. */
function together(
  problem: Problem,
  prices: Float64Array,
  id: string,
  paying: readonly number[],
  known: Map<string, SharedPool>,
): Earner | null {
  const { graph, rate } = problem
  const { edgesOfPool, from, to } = graph.topology
  const ends = (edge: number) => [prices[from[edge]!]!, prices[to[edge]!]!] as const
  const edges = edgesOfPool.get(id)!.filter((edge) => rate[edge]! > 0 && ends(edge).every((price) => price > 0))
  const single = paying.map((edge) => alone(problem, edge, ...ends(edge)).earned)
  const cost = Math.min(...edges.map((edge) => leastCost(problem, edge)))
  const earned = Math.max(...single)
  const tradingFunction = tradingFunctionOf(graph, graph.edges[edges[0]!]!.pool)!
  if (!tradingFunction.fixedFee) return paying.length === 1 ? { edges, earned, cost } : null
  const shared = known.get(id) ?? new SharedPool(tradingFunction)
  known.set(id, shared)
  shared.clear()
  for (const [place, edge] of edges.entries()) shared.add(problem, edge, place)
  const traded = new Float64Array(edges.length)
  const joint = shared.tradeTo(prices, traded, new Float64Array(edges.length))
  problem.budget.spend(shared.work)
  return { edges, earned: Math.max(earned, joint + shared.feesReused), cost }
}
