/**
 * Alternatives to the best route that may turn out better once gas is measured. Before a route is simulated, the gas of
 * its legs is known to a few percent; routes that differ by less are decided by simulation.
 */
import { ZERO_ADDRESS } from '@sluice/chains'
import { partGas, WRAPPER_FAMILY } from '@sluice/liquidity'
import { isSingleton } from '@sluice/program'
import { bestSinglePath } from '../columns/single-path.ts'
import { type GasParts, gasParts } from '../gas/parts.ts'
import { joinedNetSaving, joinedSavingBeyondTable, measuredRouteGas } from '../gas/refunds.ts'
import { gasOfParts } from '../gas/route-gas.ts'
import { outputOf } from '../graph/price-curve.ts'
import { type Potential, potential } from '../problem/potentials.ts'
import { costOf, crossingGas, curveOf, extraGasOf, type Problem, withMoreGas, without } from '../problem/problem.ts'
import { Allocation } from '../solver/allocation.ts'
import { solve } from '../solver/dual-solver.ts'
import { alongPath, type Flow, pushThrough } from '../solver/flow.ts'
import {
  EXCHANGES_TRIED,
  GAS_UNCERTAINTY,
  HIGHER_GAS_FACTOR,
  IMPROVING_PART,
  MAX_EXCHANGES,
  MAX_RESIDUAL,
  MIN_GAIN_TO_MEASURE,
  PATHS_ELSEWHERE,
  SHARED_CALLS,
  SHORT_PATHS,
} from '../tolerances.ts'
import { fits } from './promise.ts'
import { pruneByTrial } from './pruning.ts'

/** Relative price change of one tick. */
const TICK = 1e-4

type Paths = {
  readonly backward: Potential
  /** The best path after gas. */
  readonly single: readonly number[]
}

/**
 * Collects alternatives: other routes of the search, the best route on fewer pools, the best path, paths of fewer hops, paths that
 * avoid the route's pools, their tokens through the best pools, the best path if consecutive hops of one contract share a call, and
 * the route, or a better one by its expected gas, with one pool exchanged. Empty if too little gas is uncertain to change the ranking.
 */
export function alternativesOf(
  problem: Problem,
  best: Flow,
  flows: readonly (Flow | null)[],
  { backward, single }: Paths,
): readonly Flow[] {
  if (!isMeasured(problem, best)) return []
  const otherFlows = problem.budget.attempt(
    IMPROVING_PART,
    () => [
      onFewerPools(problem, best),
      alongPath(problem, single),
      ...onFewerHops(problem, best),
      ...pathsWithSharedCalls(problem, backward),
      ...withExchangedPool(problem, backward, best),
      ...pathsElsewhere(problem, best).flatMap((flow) => [flow, throughBest(problem, flow)]),
    ],
    () => [],
  )
  const candidates: (Flow | null)[] = [...flows, ...otherFlows]
  let rankedFlows = rankAlternatives(problem, best, candidates)
  let top = best
  for (let exchanges = 1; exchanges < MAX_EXCHANGES; exchanges++) {
    const [first] = rankedFlows
    if (!first || !(expectedNet(problem, first) > expectedNet(problem, top))) break
    top = first
    const exchange = () => withExchangedPool(problem, backward, first)
    candidates.push(...problem.budget.attempt(IMPROVING_PART, exchange, () => []))
    rankedFlows = rankAlternatives(problem, best, candidates)
  }
  return rankedFlows
}

/** Returns true if the uncertain gas is worth enough that alternatives should be measured. */
function isMeasured({ maxAlternatives, onePath }: Problem, best: Flow): boolean {
  return maxAlternatives > 0 && !onePath && spentOn(best) * GAS_UNCERTAINTY > MIN_GAIN_TO_MEASURE * best.amountOut
}

type Alternative = { readonly flow: Flow; readonly expected: number }

/** The routes that may turn out better than the best one, most promising first. */
export function rankAlternatives(problem: Problem, best: Flow, flows: readonly (Flow | null)[]): readonly Flow[] {
  if (!isMeasured(problem, best)) return []
  const { maxAlternatives, outputFactors } = problem
  const alternatives = new Map<string, Alternative>()
  const bestKey = keyOf(best)
  let max = expectedNet(problem, best)
  for (const flow of flows) {
    if (!flow || !fits(problem, flow)) continue
    const key = keyOf(flow)
    // A simulation does not show that a pool is likely to withdraw its quote.
    if (key === bestKey || flow.edges.some((edge) => outputFactors.has(edge))) continue
    const expected = expectedNet(problem, flow)
    const previous = alternatives.get(key)
    if (previous && previous.expected >= expected) continue
    max = Math.max(max, expected)
    alternatives.set(key, { flow, expected })
  }
  const mayBeBest = ({ flow, expected }: Alternative) =>
    expected + GAS_UNCERTAINTY * Math.max(spentOn(best), spentOn(flow)) >= max
  const sorted = [...alternatives.values()].filter(mayBeBest).sort((a, b) => b.expected - a.expected)
  return sorted.slice(0, maxAlternatives).map(({ flow }) => flow)
}

/** The best paths of one and two hops, if the route has more: the search does not see all the gas that one hop less saves. */
function onFewerHops(problem: Problem, { hops }: Flow): readonly (Flow | null)[] {
  const paths: (Flow | null)[] = []
  for (let maxHops = 1; maxHops < Math.min(hops, SHORT_PATHS + 1); maxHops++) {
    const narrow = { ...problem, maxHops }
    const path = bestSinglePath(narrow, potential(narrow, problem.target, 'to'))
    paths.push(path && alongPath(problem, path))
  }
  return paths
}

/** Output net of the expected gas of the whole route. The search only adds up legs. */
function expectedNet(problem: Problem, flow: Flow): number {
  const { edges, input, amountOut } = flow
  const { graph, swap, measuredHops, perGas, perLeg } = problem
  const legs = edges.map((edge, k) => {
    const { pool, tokenIn, tokenOut, gas } = graph.edges[edge]!
    return { pool, tokenIn, tokenOut, gas: gas + crossingGas(problem, edge, input[k]!) }
  })
  const parts = gasParts({ ...swap, legs })
  const hops = edges.flatMap((edge) => measuredHops.get(edge) ?? [])
  const gas =
    hops.length === edges.length
      ? measuredRouteGas({ ...swap, legs }, hops) + gasOfParts(beyondHops(parts)).charged + oracleGas(problem, flow)
      : gasOfParts(parts).charged -
        joinedSavingBeyondTable(legs) +
        edges.reduce((sum, edge) => sum + extraGasOf(problem, edge), 0)
  return amountOut - gas * perGas - edges.length * perLeg
}

/** Expected gas of oracle writes, which happen if a hop moves the price by a tick. Measured hops move it by less. */
function oracleGas({ graph }: Problem, { edges, input }: Flow): number {
  return edges.reduce((sum, edge, k) => {
    const { gas } = partGas(`oracle:${graph.edges[edge]!.pool.family}`)
    return gas > 0 ? sum + gas * Math.min(1, input[k]! / graph.conductance[edge]! / TICK) : sum
  }, 0)
}

/** Gas parts outside of measured hops and their refunds: interactions of legs, and ticks. */
function beyondHops(parts: GasParts): GasParts {
  return new Map([...parts].filter(([part]) => !/^(?:route|prepaid|joined|hop:.*|token:.*)$/.test(part)))
}

/**
 * Returns, for each singleton family (one contract for all pools), the best path if each of its hops saved what it saves
 * on average in a call of two hops, and of three.
 */
function pathsWithSharedCalls(problem: Problem, backward: Potential): readonly (Flow | null)[] {
  const { edges, topology } = problem.graph
  const families = new Set(Array.from(topology.poolsOfSource.keys(), ({ family }) => family))
  const pathOf = (family: string, hops: number) => {
    const saved = (edge: number) => {
      if (edges[edge]!.pool.family !== family) return 0
      const uncertain = problem.measuredHops.has(edge) ? 0 : GAS_UNCERTAINTY * edges[edge]!.gas
      return (joinedNetSaving(family) * (hops - 1)) / hops + uncertain
    }
    const path = bestSinglePath(
      withMoreGas(problem, (edge) => -saved(edge)),
      backward,
    )
    return path && alongPath(problem, path)
  }
  const lengths = SHARED_CALLS.filter((hops) => hops <= problem.maxHops)
  return [...families].filter(isSingleton).flatMap((family) => lengths.map((hops) => pathOf(family, hops)))
}

type Exchange = { readonly place: number; readonly edges: readonly number[]; readonly gain: number }

/**
 * A flow with one leg replaced by a pool of another family between the same tokens, the best of each family, or by such a pool of the
 * native token instead of its wrapper, or the reverse.
 */
function withExchangedPool(problem: Problem, backward: Potential, flow: Flow): readonly (Flow | null)[] {
  const { from, to } = problem.graph.topology
  const wrapper = wrapperEdges(problem)
  const exchanges = flow.edges.flatMap((edge, place) => {
    const [a, b] = [from[edge]!, to[edge]!]
    const unwrapped = wrapper.find((other) => to[other] === b)
    const wrapped = wrapper.find((other) => from[other] === a)
    const replacements = [
      ...edgesBetween(problem, a, b).map((other) => [other]),
      ...(unwrapped === undefined ? [] : edgesBetween(problem, a, from[unwrapped]!).map((other) => [other, unwrapped])),
      ...(wrapped === undefined ? [] : edgesBetween(problem, to[wrapped]!, b).map((other) => [wrapped, other])),
    ]
    return bestOfFamilies(problem, backward, flow, { place, replacements })
  })
  const rankedExchanges = exchanges.toSorted((x, y) => y.gain - x.gain).slice(0, EXCHANGES_TRIED)
  return rankedExchanges.map((exchange) => withExchange(problem, flow, exchange))
}

/** The two edges of the native token's wrapper; none if the chain has none. */
function wrapperEdges({ graph }: Problem): readonly number[] {
  const { tokenIndex, offset } = graph.topology
  const native = tokenIndex.get(ZERO_ADDRESS)
  if (native === undefined) return []
  for (let edge = offset[native]!; edge < offset[native + 1]!; edge++) {
    const { pool } = graph.edges[edge]!
    if (pool.family === WRAPPER_FAMILY) return graph.topology.edgesOfPool.get(pool.id) ?? []
  }
  return []
}

/** Admitted edges from one token to another. */
function edgesBetween({ graph, rate, budget }: Problem, a: number, b: number): readonly number[] {
  const { offset, to } = graph.topology
  budget.spend(offset[a + 1]! - offset[a]!)
  const edges: number[] = []
  for (let edge = offset[a]!; edge < offset[a + 1]!; edge++) if (to[edge] === b && rate[edge]! > 0) edges.push(edge)
  return edges
}

/** The best replacement of a leg by each other family, by output after the gas of the legs, in output base units. */
function bestOfFamilies(
  problem: Problem,
  backward: Potential,
  { edges, input, amountOut }: Flow,
  { place, replacements }: { readonly place: number; readonly replacements: readonly (readonly number[])[] },
): readonly Exchange[] {
  const { graph, budget } = problem
  const family = (edge: number) => graph.edges[edge]!.pool.family
  const [edge, amount] = [edges[place]!, input[place]!]
  const output = outputOf(curveOf(problem, edge), amount)
  const value = Math.min(amountOut, output * backward.best[graph.topology.to[edge]!]!)
  const best = new Map<string, Exchange>()
  budget.spend(replacements.length)
  for (const replacement of replacements) {
    const key = replacement.map(family).join()
    if (key === family(edge)) continue
    let [balance, cost] = [amount, 0]
    for (const next of replacement) {
      cost += costOf(problem, next, balance)
      balance = outputOf(curveOf(problem, next), balance)
    }
    const gain = value * (balance / output - 1) + costOf(problem, edge, amount) - cost
    if (gain > (best.get(key)?.gain ?? -amountOut)) best.set(key, { place, edges: replacement, gain })
  }
  return [...best.values()]
}

/** The flow after an exchange. Edges that it had already take the amounts of both legs. */
function withExchange(problem: Problem, { edges, input }: Flow, { place, edges: replacement }: Exchange): Flow | null {
  const weights = new Map(edges.map((edge, k) => [edge, input[k]!]))
  weights.delete(edges[place]!)
  let amount = input[place]!
  for (const edge of replacement) {
    weights.set(edge, (weights.get(edge) ?? 0) + amount)
    amount = outputOf(curveOf(problem, edge), amount)
  }
  const flow = pushThrough(problem, [...weights.keys()], [...weights.values()])
  return flow && flow.unsold === 0 ? flow : null
}

/** The best path without the route's pools, then the best path that also avoids the first one's pools. */
export function pathsElsewhere(problem: Problem, best: Flow): readonly Flow[] {
  const { graph, target } = problem
  const results: Flow[] = []
  const usedEdges = new Set<number>()
  const take = ({ edges }: Flow) => {
    for (const edge of edges)
      for (const other of graph.topology.edgesOfPool.get(graph.edges[edge]!.pool.id) ?? []) usedEdges.add(other)
  }
  take(best)
  while (results.length < PATHS_ELSEWHERE) {
    const open = without(problem, usedEdges)
    const path = bestSinglePath(open, potential(open, target, 'to'))
    const flow = path && alongPath(problem, path)
    if (!flow) break
    results.push(flow)
    take(flow)
  }
  return results
}

/** The tokens of a path through the best pool of each hop, which may include pools of the best route. */
function throughBest(problem: Problem, { edges, input, amountOut }: Flow): Flow | null {
  const { graph, rate, budget } = problem
  const { offset, from, to } = graph.topology
  return alongPath(
    problem,
    edges.map((edge, place) => {
      const amount = input[place]!
      const token = from[edge]!
      const output = outputOf(curveOf(problem, edge), amount)
      // In target base units: a relative gain on one hop is the same relative gain on the trade.
      const netWith = (other: number) =>
        (amountOut * outputOf(curveOf(problem, other), amount)) / output - costOf(problem, other, amount)
      let [best, max] = [edge, netWith(edge)]
      budget.spend(offset[token + 1]! - offset[token]!)
      for (let other = offset[token]!; other < offset[token + 1]!; other++) {
        if (to[other] !== to[edge] || rate[other] === 0) continue
        const leaves = netWith(other)
        if (leaves > max) [best, max] = [other, leaves]
      }
      return best
    }),
  )
}

/** The route pruned at a higher gas price; null for single-pool routes. */
function onFewerPools(problem: Problem, best: Flow): Flow | null {
  if (best.edges.length < 2) return null
  const { from, to } = problem.graph.topology
  const costlier = {
    ...problem,
    perGas: problem.perGas * HIGHER_GAS_FACTOR,
    perLeg: problem.perLeg * HIGHER_GAS_FACTOR,
  }
  const allocation = new Allocation(costlier)
  for (const edge of best.edges.toReversed())
    allocation.addToken(from[edge]!, allocation.logPrice[to[edge]!]! + Math.log(problem.rate[edge]!))
  for (const edge of best.edges) allocation.addEdge(edge)
  solve(allocation, MAX_RESIDUAL)
  const flow = pruneByTrial(costlier, allocation)
  return flow && { ...flow, net: flow.amountOut - (flow.amountOut - flow.net) / HIGHER_GAS_FACTOR }
}

const spentOn = ({ amountOut, net }: Flow) => amountOut - net

const keyOf = ({ edges }: Flow): string => edges.toSorted((a, b) => a - b).join()
