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
  EXCHANGES_TRIED,
  GAS_UNCERTAINTY,
  HIGHER_GAS_FACTOR,
  IMPROVEMENT_WORK_SHARE,
  MAX_DISJOINT_PATHS,
  MAX_EXCHANGES,
  MAX_RESIDUAL,
  MAX_SHORT_PATH_HOPS,
  MIN_GAIN_TO_MEASURE,
  SHARED_CALL_HOPS,
} from '../tolerances.ts'
import { pruneByTrial } from './pruning.ts'
import { fits } from './stopping-rules.ts'

/** Relative price change of one tick. */
const TICK = 1e-4

type Paths = {
  readonly backward: SpotRates
  /** The best path after gas. */
  readonly singlePath: readonly number[]
}

/**
 * Collects alternatives: other routes of the search, the route on fewer pools, the best path, paths of fewer hops,
 * paths that avoid the route's pools, the same tokens through the best pools, paths whose consecutive hops share a
 * call, and routes with one pool exchanged. Empty if too little gas is uncertain to change the ranking.
 */
export function alternativesOf(
  problem: Problem,
  best: Flow,
  flows: readonly (Flow | null)[],
  { backward, singlePath }: Paths,
): readonly Flow[] {
  if (!shouldMeasure(problem, best)) return []
  const otherFlows = problem.budget.attempt(
    IMPROVEMENT_WORK_SHARE,
    () => [
      onFewerPools(problem, best),
      alongPath(problem, singlePath),
      ...onFewerHops(problem, best),
      ...pathsWithSharedCalls(problem, backward),
      ...withExchangedPool(problem, backward, best),
      ...disjointPaths(problem, best).flatMap((flow) => [flow, throughBestPools(problem, flow)]),
    ],
    () => [],
  )
  const candidates: (Flow | null)[] = [...flows, ...otherFlows]
  let rankedFlows = rankAlternatives(problem, best, candidates)
  let bestExpected = best
  for (let exchanges = 1; exchanges < MAX_EXCHANGES; exchanges++) {
    const [first] = rankedFlows
    if (!first || !(expectedNet(problem, first) > expectedNet(problem, bestExpected))) break
    bestExpected = first
    const exchange = () => withExchangedPool(problem, backward, first)
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

type Alternative = { readonly flow: Flow; readonly expectedNetOut: number }

/** The routes that may turn out better than the best one, most promising first. */
export function rankAlternatives(problem: Problem, best: Flow, flows: readonly (Flow | null)[]): readonly Flow[] {
  if (!shouldMeasure(problem, best)) return []
  const { maxAlternatives, outputFactors } = problem
  const alternatives = new Map<string, Alternative>()
  const bestKey = edgeKeyOf(best)
  let maxExpected = expectedNet(problem, best)
  for (const flow of flows) {
    if (!flow || !fits(problem, flow)) continue
    const key = edgeKeyOf(flow)
    // A simulation does not show whether a pool's quote fades in the next block, so pools with a discount are skipped.
    if (key === bestKey || flow.edges.some((edge) => outputFactors.has(edge))) continue
    const expectedNetOut = expectedNet(problem, flow)
    const previous = alternatives.get(key)
    if (previous && previous.expectedNetOut >= expectedNetOut) continue
    maxExpected = Math.max(maxExpected, expectedNetOut)
    alternatives.set(key, { flow, expectedNetOut })
  }
  const mayBeBest = ({ flow, expectedNetOut }: Alternative) =>
    expectedNetOut + GAS_UNCERTAINTY * Math.max(gasCostOf(best), gasCostOf(flow)) >= maxExpected
  const sorted = [...alternatives.values()].filter(mayBeBest).sort((a, b) => b.expectedNetOut - a.expectedNetOut)
  return sorted.slice(0, maxAlternatives).map(({ flow }) => flow)
}

/**
 * The best paths of one and two hops, if the route has more hops. The search underestimates the gas that a shorter path
 * saves.
 */
function onFewerHops(problem: Problem, { hops }: Flow): readonly (Flow | null)[] {
  const paths: (Flow | null)[] = []
  for (let maxHops = 1; maxHops < Math.min(hops, MAX_SHORT_PATH_HOPS + 1); maxHops++) {
    const shorterProblem = { ...problem, maxHops }
    const path = bestSinglePath(shorterProblem, bestSpotRates(shorterProblem, problem.target, 'to'))
    paths.push(path && alongPath(problem, path))
  }
  return paths
}

/** Output net of the expected gas of the whole route, while the search only adds the gas of single legs. */
function expectedNet(problem: Problem, flow: Flow): number {
  const { edges, input, amountOut } = flow
  const { graph, swap, measuredHops, costPerGas, costPerLeg } = problem
  const legs = edges.map((edge, k) => {
    const { pool, tokenIn, tokenOut, gas } = graph.edges[edge]!
    return { pool, tokenIn, tokenOut, gas: gas + crossingGas(problem, edge, input[k]!) }
  })
  const parts = gasParts({ ...swap, legs })
  const hops = edges.flatMap((edge) => measuredHops.get(edge) ?? [])
  const gas =
    hops.length === edges.length
      ? measuredRouteGas({ ...swap, legs }, hops) + gasOfParts(gasBeyondHops(parts)).charged + oracleGas(problem, flow)
      : gasOfParts(parts).charged -
        joinedSavingBeyondTable(legs) +
        edges.reduce((sum, edge) => sum + extraGasOf(problem, edge), 0)
  return amountOut - gas * costPerGas - edges.length * costPerLeg
}

/** Expected gas of oracle writes, which happen if a hop moves the price by a tick. Measured hops move it by less. */
function oracleGas({ graph }: Problem, { edges, input }: Flow): number {
  return edges.reduce((sum, edge, k) => {
    const { gas } = partGas(`oracle:${graph.edges[edge]!.pool.family}`)
    return gas > 0 ? sum + gas * Math.min(1, input[k]! / graph.conductance[edge]! / TICK) : sum
  }, 0)
}

/** Gas parts outside of measured hops and their refunds: interactions of legs, and ticks. */
function gasBeyondHops(parts: GasParts): GasParts {
  return new Map([...parts].filter(([part]) => !/^(?:route|prepaid|joined|hop:.*|token:.*)$/.test(part)))
}

/**
 * Returns the best paths for each singleton family (one contract for all pools), if consecutive hops share a call. Each
 * hop is assumed to save the average gas of a shared call with two or with three hops.
 */
function pathsWithSharedCalls(problem: Problem, backward: SpotRates): readonly (Flow | null)[] {
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
      backward,
    )
    return path && alongPath(problem, path)
  }
  const lengths = SHARED_CALL_HOPS.filter((hops) => hops <= problem.maxHops)
  return [...families].filter(isSingleton).flatMap((family) => lengths.map((hops) => pathOf(family, hops)))
}

type Exchange = { readonly index: number; readonly edges: readonly number[]; readonly gain: number }

/**
 * Returns the flow with one leg replaced by the best pool of another family between the same tokens. The replacement
 * may also trade the native token instead of its wrapper, or the reverse.
 */
function withExchangedPool(problem: Problem, backward: SpotRates, flow: Flow): readonly (Flow | null)[] {
  const { from, to } = problem.graph.topology
  const wrapper = wrapperEdges(problem)
  const exchanges = flow.edges.flatMap((edge, index) => {
    const [soldToken, boughtToken] = [from[edge]!, to[edge]!]
    const unwrapEdge = wrapper.find((other) => to[other] === boughtToken)
    const wrapEdge = wrapper.find((other) => from[other] === soldToken)
    const replacements = [
      ...edgesBetween(problem, soldToken, boughtToken).map((other) => [other]),
      ...(unwrapEdge === undefined
        ? []
        : edgesBetween(problem, soldToken, from[unwrapEdge]!).map((other) => [other, unwrapEdge])),
      ...(wrapEdge === undefined
        ? []
        : edgesBetween(problem, to[wrapEdge]!, boughtToken).map((other) => [wrapEdge, other])),
    ]
    return bestOfFamilies(problem, backward, flow, { index, replacements })
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
function edgesBetween({ graph, rate, budget }: Problem, soldToken: number, boughtToken: number): readonly number[] {
  const { offset, to } = graph.topology
  budget.spend(offset[soldToken + 1]! - offset[soldToken]!)
  const edges: number[] = []
  for (let edge = offset[soldToken]!; edge < offset[soldToken + 1]!; edge++)
    if (to[edge] === boughtToken && rate[edge]! > 0) edges.push(edge)
  return edges
}

/** The best replacement of a leg by each other family, by output after the gas of the legs, in output base units. */
function bestOfFamilies(
  problem: Problem,
  backward: SpotRates,
  { edges, input, amountOut }: Flow,
  { index, replacements }: { readonly index: number; readonly replacements: readonly (readonly number[])[] },
): readonly Exchange[] {
  const { graph, budget } = problem
  const familyOfEdge = (edge: number) => graph.edges[edge]!.pool.family
  const [edge, amount] = [edges[index]!, input[index]!]
  const output = outputOf(curveOf(problem, edge), amount)
  const value = Math.min(amountOut, output * backward.best[graph.topology.to[edge]!]!)
  const bestByFamilies = new Map<string, Exchange>()
  budget.spend(replacements.length)
  for (const replacement of replacements) {
    const key = replacement.map(familyOfEdge).join()
    if (key === familyOfEdge(edge)) continue
    let [balance, cost] = [amount, 0]
    for (const next of replacement) {
      cost += legCost(problem, next, balance)
      balance = outputOf(curveOf(problem, next), balance)
    }
    const gain = value * (balance / output - 1) + legCost(problem, edge, amount) - cost
    if (gain > (bestByFamilies.get(key)?.gain ?? -amountOut))
      bestByFamilies.set(key, { index, edges: replacement, gain })
  }
  return [...bestByFamilies.values()]
}

/** The flow after an exchange. An edge that the flow already used takes both amounts. */
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
  const results: Flow[] = []
  const closedEdges = new Set<number>()
  const closePools = ({ edges }: Flow) => {
    for (const edge of edges)
      for (const other of graph.topology.edgesOfPool.get(graph.edges[edge]!.pool.id) ?? []) closedEdges.add(other)
  }
  closePools(best)
  while (results.length < MAX_DISJOINT_PATHS) {
    const openProblem = withoutEdges(problem, closedEdges)
    const path = bestSinglePath(openProblem, bestSpotRates(openProblem, target, 'to'))
    const flow = path && alongPath(problem, path)
    if (!flow) break
    results.push(flow)
    closePools(flow)
  }
  return results
}

/** The tokens of a path through the best pool of each hop, which may include pools of the best route. */
function throughBestPools(problem: Problem, { edges, input, amountOut }: Flow): Flow | null {
  const { graph, rate, budget } = problem
  const { offset, from, to } = graph.topology
  return alongPath(
    problem,
    edges.map((edge, index) => {
      const amount = input[index]!
      const token = from[edge]!
      const output = outputOf(curveOf(problem, edge), amount)
      // In target base units: a relative gain on one hop is the same relative gain on the trade.
      const netWith = (other: number) =>
        (amountOut * outputOf(curveOf(problem, other), amount)) / output - legCost(problem, other, amount)
      let [best, maxNet] = [edge, netWith(edge)]
      budget.spend(offset[token + 1]! - offset[token]!)
      for (let other = offset[token]!; other < offset[token + 1]!; other++) {
        if (to[other] !== to[edge] || rate[other] === 0) continue
        const otherNet = netWith(other)
        if (otherNet > maxNet) [best, maxNet] = [other, otherNet]
      }
      return best
    }),
  )
}

/** The route pruned at a higher gas price; null for single-pool routes. */
function onFewerPools(problem: Problem, best: Flow): Flow | null {
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
