/**
 * Alternatives to the best route that may turn out better once their gas is measured by a simulation. Before that, the
 * gas of a route is uncertain by a fraction, `GAS_UNCERTAINTY`. If the net outputs of two routes differ by less than
 * the cost of the uncertain gas, only a simulation shows which route is better. A route is a flow: edges (pools in one
 * direction) with their inputs. Called by `search.ts`.
 */
import { ZERO_ADDRESS } from '@sluice/chains'
import { partGas, WRAPPER_FAMILY } from '@sluice/liquidity'
import { usesSingleton } from '@sluice/program'
import { bestSinglePath } from '../columns/single-path.ts'
import { type GasParts, gasParts } from '../gas/parts.ts'
import { joinedNetSaving, joinedSavingBeyondTable, measuredRouteGas } from '../gas/refunds.ts'
import { gasOfParts } from '../gas/route-gas.ts'
import { outputOf } from '../graph/price-curve.ts'
import { bestSpotRates, type SpotRates } from '../problem/potentials.ts'
import {
  crossingGas,
  curveOf,
  extraGasOf,
  legCost,
  type Problem,
  withExtraGas,
  withoutEdges,
} from '../problem/problem.ts'
import { Allocation } from '../solver/allocation.ts'
import { solveDual } from '../solver/dual-solver.ts'
import { alongPath, type Flow, pushThrough } from '../solver/flow.ts'
import {
  GAS_UNCERTAINTY,
  HIGHER_GAS_FACTOR,
  IMPROVEMENT_WORK_SHARE,
  MAX_DISJOINT_PATHS,
  MAX_EXCHANGES_TRIED,
  MAX_RESIDUAL,
  MAX_SHORT_PATH_HOPS,
  MAX_SUCCESSIVE_EXCHANGES,
  MIN_GAIN_TO_MEASURE,
  SHARED_CALL_HOPS,
} from '../tolerances.ts'
import { pruneByTrial } from './pruning.ts'
import { isWithinLimits } from './stopping-rules.ts'

/** Relative price change of one tick. */
const TICK_PRICE_CHANGE = 1e-4

type Paths = {
  readonly spotRates: SpotRates
  /** The best path after gas. */
  readonly singlePath: readonly number[]
}

/**
 * Collects alternatives to a route, the most promising first. Some are variants of the route: with fewer pools, or with
 * one pool exchanged. Others are single paths: the best path, paths of fewer hops, paths whose consecutive hops share a
 * call, and paths that avoid the route's pools. The remaining ones are other routes of the search. Empty if the
 * uncertain gas is worth too little to change the ranking.
 *
 * @param flows - other routes of the search; null for attempts without one
 */
export function alternativesOf(
  problem: Problem,
  best: Flow,
  flows: readonly (Flow | null)[],
  { spotRates, singlePath }: Paths,
): readonly Flow[] {
  if (!shouldMeasure(problem, best)) return []
  const otherFlows = problem.budget.attempt(
    IMPROVEMENT_WORK_SHARE,
    () => [
      withFewerPools(problem, best),
      alongPath(problem, singlePath),
      ...withFewerHops(problem, best),
      ...pathsWithSharedCalls(problem, spotRates),
      ...withExchangedPool(problem, spotRates, best),
      ...disjointPaths(problem, best).flatMap((flow) => [flow, throughBestPools(problem, flow)]),
    ],
    () => [],
  )
  const candidates: (Flow | null)[] = [...flows, ...otherFlows]
  let rankedFlows = rankAlternatives(problem, best, candidates)
  let bestExpected = best
  for (let round = 1; round < MAX_SUCCESSIVE_EXCHANGES; round++) {
    const [bestAlternative] = rankedFlows
    if (!bestAlternative || !(expectedNet(problem, bestAlternative) > expectedNet(problem, bestExpected))) break
    bestExpected = bestAlternative
    const exchange = () => withExchangedPool(problem, spotRates, bestAlternative)
    candidates.push(...problem.budget.attempt(IMPROVEMENT_WORK_SHARE, exchange, () => []))
    rankedFlows = rankAlternatives(problem, best, candidates)
  }
  return rankedFlows
}

/** Returns true if the uncertain gas is worth enough that alternatives should be measured. */
function shouldMeasure({ maxAlternatives, isSinglePath }: Problem, best: Flow): boolean {
  return (
    maxAlternatives > 0 && !isSinglePath && gasCostOf(best) * GAS_UNCERTAINTY > MIN_GAIN_TO_MEASURE * best.amountOut
  )
}

/** `expectedNetOut`: output less the expected gas of the whole route, in output base units. */
type Alternative = { readonly flow: Flow; readonly expectedNetOut: number }

/** Selects the flows that may turn out better than the best one once gas is measured, most promising first. */
export function rankAlternatives(problem: Problem, best: Flow, flows: readonly (Flow | null)[]): readonly Flow[] {
  if (!shouldMeasure(problem, best)) return []
  const { maxAlternatives, outputFactors } = problem
  const alternatives = new Map<string, Alternative>()
  const bestKey = edgeKeyOf(best)
  let maxExpectedNetOut = expectedNet(problem, best)
  for (const flow of flows) {
    if (!flow || !isWithinLimits(problem, flow)) continue
    const key = edgeKeyOf(flow)
    // A pool with an output discount may pay less in the next block than in a simulation, so routes through such a pool
    // are skipped.
    if (key === bestKey || flow.edges.some((edge) => outputFactors.has(edge))) continue
    const expectedNetOut = expectedNet(problem, flow)
    const earlierAlternative = alternatives.get(key)
    if (earlierAlternative && earlierAlternative.expectedNetOut >= expectedNetOut) continue
    maxExpectedNetOut = Math.max(maxExpectedNetOut, expectedNetOut)
    alternatives.set(key, { flow, expectedNetOut })
  }
  const mayBeBest = ({ flow, expectedNetOut }: Alternative) =>
    expectedNetOut + GAS_UNCERTAINTY * Math.max(gasCostOf(best), gasCostOf(flow)) >= maxExpectedNetOut
  const sortedAlternatives = [...alternatives.values()]
    .filter(mayBeBest)
    .sort((a, b) => b.expectedNetOut - a.expectedNetOut)
  return sortedAlternatives.slice(0, maxAlternatives).map(({ flow }) => flow)
}

/**
 * Returns the best path for each smaller hop limit, up to `MAX_SHORT_PATH_HOPS`. The search underestimates the gas that
 * a shorter path saves, so such a path may turn out better.
 */
function withFewerHops(problem: Problem, { hops }: Flow): readonly (Flow | null)[] {
  const paths: (Flow | null)[] = []
  for (let maxHops = 1; maxHops < Math.min(hops, MAX_SHORT_PATH_HOPS + 1); maxHops++) {
    const shorterProblem = { ...problem, maxHops }
    const path = bestSinglePath(shorterProblem, bestSpotRates(shorterProblem, problem.target))
    paths.push(path && alongPath(problem, path))
  }
  return paths
}

/**
 * Output less the expected cost of the whole route, in output base units. It is more exact than `Flow.net`, which adds
 * up the costs of single legs.
 */
function expectedNet(problem: Problem, flow: Flow): number {
  const { edges, input, amountOut } = flow
  const { graph, requestTokens, measuredHops, costPerGas, costPerLeg } = problem
  const legs = edges.map((edge, k) => {
    const { pool, tokenIn, tokenOut, gas } = graph.edges[edge]!
    return { pool, tokenIn, tokenOut, gas: gas + crossingGas(problem, edge, input[k]!) }
  })
  const parts = gasParts({ ...requestTokens, legs })
  const hops = edges.flatMap((edge) => measuredHops.get(edge) ?? [])
  const gas =
    hops.length === edges.length
      ? measuredRouteGas({ ...requestTokens, legs }, hops) +
        gasOfParts(gasOutsideHops(parts)).charged +
        expectedOracleGas(problem, flow)
      : gasOfParts(parts).charged -
        joinedSavingBeyondTable(legs) +
        edges.reduce((sum, edge) => sum + extraGasOf(problem, edge), 0)
  return amountOut - gas * costPerGas - edges.length * costPerLeg
}

/**
 * Expected gas of oracle writes. A pool writes its oracle if a hop moves the price by at least a tick. When the gas of
 * a hop is measured, the hop trades too little for that, so the measured gas does not contain the write.
 */
function expectedOracleGas({ graph }: Problem, { edges, input }: Flow): number {
  return edges.reduce((sum, edge, k) => {
    const { gas } = partGas(`oracle:${graph.edges[edge]!.pool.family}`)
    return gas > 0 ? sum + gas * Math.min(1, input[k]! / graph.conductance[edge]! / TICK_PRICE_CHANGE) : sum
  }, 0)
}

/** The gas parts that neither the gas of measured hops nor its refunds contain: interactions of legs, and ticks. */
function gasOutsideHops(parts: GasParts): GasParts {
  return new Map([...parts].filter(([part]) => !/^(?:route|prepaid|joined|hop:.*|token:.*)$/.test(part)))
}

/**
 * Returns the best path of two hops and of three hops whose consecutive hops share a call, for each singleton family.
 * All pools of such a family are in one contract. Each hop is assumed to save an equal part of the gas that the shared
 * call saves.
 */
function pathsWithSharedCalls(problem: Problem, spotRates: SpotRates): readonly (Flow | null)[] {
  const { edges, topology } = problem.graph
  const families = new Set(Array.from(topology.poolsOfSource.keys(), ({ family }) => family))
  const pathOf = (family: string, hops: number) => {
    const savedGas = (edge: number) => {
      if (edges[edge]!.pool.family !== family) return 0
      const uncertainGas = problem.measuredHops.has(edge) ? 0 : GAS_UNCERTAINTY * edges[edge]!.gas
      return (joinedNetSaving(family) * (hops - 1)) / hops + uncertainGas
    }
    const path = bestSinglePath(
      withExtraGas(problem, (edge) => -savedGas(edge)),
      spotRates,
    )
    return path && alongPath(problem, path)
  }
  const hopCounts = SHARED_CALL_HOPS.filter((hops) => hops <= problem.maxHops)
  return [...families].filter(usesSingleton).flatMap((family) => hopCounts.map((hops) => pathOf(family, hops)))
}

/**
 * Replacement of the leg at `index` by `edges` (one or two). `gain`: increase of the net output, in output base units.
 */
type Exchange = { readonly index: number; readonly edges: readonly number[]; readonly gain: number }

/**
 * Returns variants of the flow, each with one leg replaced by the best pool of another family between the same tokens.
 * The replacement may also trade the native token instead of its wrapper, or the wrapper instead of the native token.
 */
function withExchangedPool(problem: Problem, spotRates: SpotRates, flow: Flow): readonly (Flow | null)[] {
  const { from, to } = problem.graph.topology
  const edgesOfWrapper = wrapperEdges(problem)
  const exchanges = flow.edges.flatMap((edge, index) => {
    const [soldToken, boughtToken] = [from[edge]!, to[edge]!]
    const unwrapEdge = edgesOfWrapper.find((wrapperEdge) => to[wrapperEdge] === boughtToken)
    const wrapEdge = edgesOfWrapper.find((wrapperEdge) => from[wrapperEdge] === soldToken)
    const replacements = [
      ...edgesBetween(problem, soldToken, boughtToken).map((replacementEdge) => [replacementEdge]),
      ...(unwrapEdge === undefined
        ? []
        : edgesBetween(problem, soldToken, from[unwrapEdge]!).map((replacementEdge) => [replacementEdge, unwrapEdge])),
      ...(wrapEdge === undefined
        ? []
        : edgesBetween(problem, to[wrapEdge]!, boughtToken).map((replacementEdge) => [wrapEdge, replacementEdge])),
    ]
    return bestOfFamilies(problem, spotRates, flow, { index, replacements })
  })
  const rankedExchanges = exchanges.toSorted((a, b) => b.gain - a.gain).slice(0, MAX_EXCHANGES_TRIED)
  return rankedExchanges.map((exchange) => withExchange(problem, flow, exchange))
}

/** The admitted edges of the native token's wrapper; none if the chain has none. */
function wrapperEdges({ graph, rate }: Problem): readonly number[] {
  const { tokenIndex, offset } = graph.topology
  const native = tokenIndex.get(ZERO_ADDRESS)
  if (native === undefined) return []
  for (let edge = offset[native]!; edge < offset[native + 1]!; edge++) {
    const { pool } = graph.edges[edge]!
    if (pool.family === WRAPPER_FAMILY)
      return (graph.topology.edgesOfPool.get(pool.id) ?? []).filter((wrapperEdge) => rate[wrapperEdge]! > 0)
  }
  return []
}

/** Admitted edges from one token to another. */
function edgesBetween({ graph, rate, budget }: Problem, soldToken: number, boughtToken: number): readonly number[] {
  const { offset, to } = graph.topology
  budget.spend(offset[soldToken + 1]! - offset[soldToken]!)
  const edges: number[] = []
  for (let edge = offset[soldToken]!; edge < offset[soldToken + 1]!; edge++)
    if (to[edge] === boughtToken && rate[edge]! > 0) edges.push(edge)
  return edges
}

/**
 * Returns, for each family (or pair of families) other than the leg's family, the replacement with the highest gain in
 * net output.
 */
function bestOfFamilies(
  problem: Problem,
  spotRates: SpotRates,
  { edges, input, amountOut }: Flow,
  { index, replacements }: { readonly index: number; readonly replacements: readonly (readonly number[])[] },
): readonly Exchange[] {
  const { graph, budget } = problem
  const familyOfEdge = (edge: number) => graph.edges[edge]!.pool.family
  const [edge, amount] = [edges[index]!, input[index]!]
  const output = outputOf(curveOf(problem, edge), amount)
  const legValue = Math.min(amountOut, output * spotRates.maxRate[graph.topology.to[edge]!]!)
  const bestByFamilies = new Map<string, Exchange>()
  budget.spend(replacements.length)
  for (const replacement of replacements) {
    const key = replacement.map(familyOfEdge).join()
    if (key === familyOfEdge(edge)) continue
    let [balance, cost] = [amount, 0]
    for (const replacementEdge of replacement) {
      cost += legCost(problem, replacementEdge, balance)
      balance = outputOf(curveOf(problem, replacementEdge), balance)
    }
    const gain = legValue * (balance / output - 1) + legCost(problem, edge, amount) - cost
    if (gain > (bestByFamilies.get(key)?.gain ?? -amountOut))
      bestByFamilies.set(key, { index, edges: replacement, gain })
  }
  return [...bestByFamilies.values()]
}

/** The flow after an exchange. If the flow already uses an edge of the replacement, this edge takes both amounts. */
function withExchange(problem: Problem, { edges, input }: Flow, { index, edges: replacement }: Exchange): Flow | null {
  const weights = new Map(edges.map((edge, k) => [edge, input[k]!]))
  weights.delete(edges[index]!)
  let amount = input[index]!
  for (const edge of replacement) {
    weights.set(edge, (weights.get(edge) ?? 0) + amount)
    amount = outputOf(curveOf(problem, edge), amount)
  }
  const flow = pushThrough(problem, [...weights.keys()], [...weights.values()])
  return flow && flow.unsoldShare === 0 ? flow : null
}

/** The best path without the route's pools, and then the best path that also avoids the pools of that path. */
export function disjointPaths(problem: Problem, best: Flow): readonly Flow[] {
  const { graph, target } = problem
  const pathFlows: Flow[] = []
  const closedEdges = new Set<number>()
  const closePools = ({ edges }: Flow) => {
    for (const edge of edges)
      for (const poolEdge of graph.topology.edgesOfPool.get(graph.edges[edge]!.pool.id) ?? []) closedEdges.add(poolEdge)
  }
  closePools(best)
  while (pathFlows.length < MAX_DISJOINT_PATHS) {
    const openProblem = withoutEdges(problem, closedEdges)
    const path = bestSinglePath(openProblem, bestSpotRates(openProblem, target))
    const flow = path && alongPath(problem, path)
    if (!flow) break
    pathFlows.push(flow)
    closePools(flow)
  }
  return pathFlows
}

/**
 * A path through the same tokens as the given path, by the best pool of each hop. These may include pools of the best
 * route.
 */
function throughBestPools(problem: Problem, { edges, input, amountOut }: Flow): Flow | null {
  const { graph, rate, budget } = problem
  const { offset, from, to } = graph.topology
  return alongPath(
    problem,
    edges.map((edge, index) => {
      const amount = input[index]!
      const token = from[edge]!
      const output = outputOf(curveOf(problem, edge), amount)
      // A relative gain on one hop is the same relative gain on the whole trade, whose output is in output base units.
      const netWith = (candidate: number) =>
        (amountOut * outputOf(curveOf(problem, candidate), amount)) / output - legCost(problem, candidate, amount)
      let [best, maxNet] = [edge, netWith(edge)]
      budget.spend(offset[token + 1]! - offset[token]!)
      for (let candidate = offset[token]!; candidate < offset[token + 1]!; candidate++) {
        if (to[candidate] !== to[edge] || rate[candidate] === 0) continue
        const candidateNet = netWith(candidate)
        if (candidateNet > maxNet) [best, maxNet] = [candidate, candidateNet]
      }
      return best
    }),
  )
}

/** The route, pruned as if gas cost more by `HIGHER_GAS_FACTOR`; null for single-pool routes. */
function withFewerPools(problem: Problem, best: Flow): Flow | null {
  if (best.edges.length < 2) return null
  const { from, to } = problem.graph.topology
  const costlierProblem = {
    ...problem,
    costPerGas: problem.costPerGas * HIGHER_GAS_FACTOR,
    costPerLeg: problem.costPerLeg * HIGHER_GAS_FACTOR,
  }
  const allocation = new Allocation(costlierProblem)
  for (const edge of best.edges.toReversed())
    allocation.addToken(from[edge]!, allocation.logPrice[to[edge]!]! + Math.log(problem.rate[edge]!))
  for (const edge of best.edges) allocation.addEdge(edge)
  solveDual(allocation, MAX_RESIDUAL)
  const flow = pruneByTrial(costlierProblem, allocation)
  return flow && { ...flow, net: flow.amountOut - (flow.amountOut - flow.net) / HIGHER_GAS_FACTOR }
}

const gasCostOf = ({ amountOut, net }: Flow) => amountOut - net

const edgeKeyOf = ({ edges }: Flow): string => edges.toSorted((a, b) => a - b).join()
