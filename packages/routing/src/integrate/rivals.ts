/**
 * Routes that may be the best one once gas is measured: what legs cost is known to a few parts in a hundred before a route
 * is run, and routes that differ by less than that are for a simulation to decide between.
 */
import { partGas } from '@sluice/liquidity'
import { isSingleton } from '@sluice/program'
import { bestSinglePath } from '../columns/single-path.ts'
import { type GasParts, gasParts } from '../gas/parts.ts'
import { joinedBeyondTable, joinedSaves, measuredRouteGas } from '../gas/refunds.ts'
import { gasOfParts } from '../gas/route-gas.ts'
import { outputOf } from '../graph/price-curve.ts'
import { type Potential, potential } from '../problem/potentials.ts'
import { costOf, crossingGas, curveOf, type Problem, withMoreGas, without } from '../problem/problem.ts'
import { Allocation } from '../solver/allocation.ts'
import { solve } from '../solver/dual-solver.ts'
import { alongPath, type Flow } from '../solver/flow.ts'
import {
  DEAR_GAS,
  DOUBTED_GAS,
  EXCHANGES_TRIED,
  IMPROVING_PART,
  MEASURED_GAIN,
  PATHS_ELSEWHERE,
  SHORT_PATHS,
  TIGHT,
} from '../tolerances.ts'
import { fits } from './promise.ts'
import { pruneByTrial } from './pruning.ts'

/** Part of a price that a tick is. */
const TICK = 1e-4

type Paths = {
  readonly backward: Potential
  /** The best after gas. */
  readonly single: readonly number[]
}

/**
 * The best others of the routes that were found on the way to the best, that one on fewer pools, the best path, those of fewer
 * hops, paths through none of the best route's pools, their tokens through the best pools, the best path where hops of one contract
 * follow each other in one call, and the route with one pool in another's place; none where too little gas is in doubt to tell
 * routes apart by.
 */
export function rivalsOf(
  problem: Problem,
  best: Flow,
  flows: readonly (Flow | null)[],
  { backward, single }: Paths,
): readonly Flow[] {
  if (!isMeasured(problem, best)) return []
  const others = problem.budget.attempt(
    IMPROVING_PART,
    () => [
      onFewerPools(problem, best),
      alongPath(problem, single),
      ...onFewerHops(problem, best),
      ...joined(problem, backward),
      ...exchanged(problem, best),
      ...pathsElsewhere(problem, best).flatMap((flow) => [flow, throughBest(problem, flow)]),
    ],
    () => [],
  )
  return rankedRivals(problem, best, [...flows, ...others])
}

/** True where so much gas is in doubt that routes are told apart by measuring them. */
function isMeasured({ mostRivals, onePath }: Problem, best: Flow): boolean {
  return mostRivals > 0 && !onePath && spentOn(best) * DOUBTED_GAS > MEASURED_GAIN * best.amountOut
}

type Rival = { readonly flow: Flow; readonly expected: number }

/** Those of some routes that may be better than the best one once gas is measured, the most promising first. */
export function rankedRivals(problem: Problem, best: Flow, flows: readonly (Flow | null)[]): readonly Flow[] {
  if (!isMeasured(problem, best)) return []
  const { mostRivals, believed } = problem
  const rivals = new Map<string, Rival>()
  const bestKey = keyOf(best)
  let most = expectedNet(problem, best)
  for (const flow of flows) {
    if (!flow || !fits(problem, flow)) continue
    const key = keyOf(flow)
    // What a pool is likely to withdraw is not seen in a simulation.
    if (key === bestKey || flow.edges.some((edge) => believed.has(edge))) continue
    const expected = expectedNet(problem, flow)
    const known = rivals.get(key)
    if (known && known.expected >= expected) continue
    most = Math.max(most, expected)
    rivals.set(key, { flow, expected })
  }
  const mayBeMost = ({ flow, expected }: Rival) =>
    expected + DOUBTED_GAS * Math.max(spentOn(best), spentOn(flow)) >= most
  const ranked = [...rivals.values()].filter(mayBeMost).sort((a, b) => b.expected - a.expected)
  return ranked.slice(0, mostRivals).map(({ flow }) => flow)
}

/** The best paths of one hop and of two, where a route has more: what a hop less saves beside its pool, the search does not see. */
function onFewerHops(problem: Problem, { hops }: Flow): readonly (Flow | null)[] {
  const paths: (Flow | null)[] = []
  for (let maxHops = 1; maxHops < Math.min(hops, SHORT_PATHS + 1); maxHops++) {
    const narrow = { ...problem, maxHops }
    const path = bestSinglePath(narrow, potential(narrow, problem.target, 'to'))
    paths.push(path && alongPath(problem, path))
  }
  return paths
}

/** Output after the gas that the whole route is expected to be charged; the search adds up legs alone. */
function expectedNet(problem: Problem, flow: Flow): number {
  const { edges, input, amountOut } = flow
  const { graph, swap, learned, measured, perGas, perLeg } = problem
  const legs = edges.map((edge, k) => {
    const { pool, tokenIn, tokenOut, gas } = graph.edges[edge]!
    return { pool, tokenIn, tokenOut, gas: gas + crossingGas(problem, edge, input[k]!) }
  })
  const parts = gasParts({ ...swap, legs })
  const hops = edges.flatMap((edge) => measured.get(edge) ?? [])
  const gas =
    hops.length === edges.length
      ? measuredRouteGas({ ...swap, legs }, hops) + gasOfParts(beyondHops(parts)).charged + oracleGas(problem, flow)
      : gasOfParts(parts).charged -
        joinedBeyondTable(legs) +
        edges.reduce((sum, edge) => sum + (learned.get(edge) ?? 0), 0)
  return amountOut - gas * perGas - edges.length * perLeg
}

/** Gas of oracle entries, which hops write if they move the price by a tick; measured hops move it by less. */
function oracleGas({ graph }: Problem, { edges, input }: Flow): number {
  return edges.reduce((sum, edge, k) => {
    const { gas } = partGas(`oracle:${graph.edges[edge]!.pool.family}`)
    return gas > 0 ? sum + gas * Math.min(1, input[k]! / graph.conductance[edge]! / TICK) : sum
  }, 0)
}

/** Parts that measured hops and their refunds do not hold: what several legs have to do with one another, and ticks. */
function beyondHops(parts: GasParts): GasParts {
  return new Map([...parts].filter(([part]) => !/^(?:route|prepaid|joined|hop:.*|token:.*)$/.test(part)))
}

/** For each contract that many pools share: the best path were every hop of it one of two that follow each other there. */
function joined(problem: Problem, backward: Potential): readonly (Flow | null)[] {
  const { edges, topology } = problem.graph
  const families = new Set(Array.from(topology.poolsOfSource.keys(), ({ family }) => family))
  return [...families].filter(isSingleton).map((family) => {
    const saved = (edge: number) => {
      if (edges[edge]!.pool.family !== family) return 0
      const doubted = problem.measured.has(edge) ? 0 : DOUBTED_GAS * edges[edge]!.gas
      return joinedSaves(family) / 2 + doubted
    }
    const path = bestSinglePath(
      withMoreGas(problem, (edge) => -saved(edge)),
      backward,
    )
    return path && alongPath(problem, path)
  })
}

type Exchange = { readonly place: number; readonly edge: number; readonly net: number }

/** A path with one of its pools in exchange for another of the same tokens: of each other family the one that pays most. */
function exchanged(problem: Problem, { edges, input, amountOut, net, hops }: Flow): readonly (Flow | null)[] {
  if (edges.length !== hops) return []
  const { graph, rate, budget } = problem
  const { offset, from, to } = graph.topology
  const kind = (edge: number) => graph.edges[edge]!.pool.family
  const found: Exchange[] = []
  edges.forEach((edge, place) => {
    const amount = input[place]!
    const paid = outputOf(curveOf(problem, edge), amount)
    const cost = costOf(problem, edge, amount)
    const byFamily = new Map<string, Exchange>()
    const token = from[edge]!
    budget.spend(offset[token + 1]! - offset[token]!)
    for (let other = offset[token]!; other < offset[token + 1]!; other++) {
      if (to[other] !== to[edge] || rate[other] === 0 || kind(other) === kind(edge)) continue
      const more = outputOf(curveOf(problem, other), amount) / paid - 1
      const left = net + amountOut * more + cost - costOf(problem, other, amount)
      if (left > (byFamily.get(kind(other))?.net ?? 0)) byFamily.set(kind(other), { place, edge: other, net: left })
    }
    found.push(...byFamily.values())
  })
  const tried = found.toSorted((a, b) => b.net - a.net).slice(0, EXCHANGES_TRIED)
  return tried.map(({ place, edge }) => alongPath(problem, edges.with(place, edge)))
}

/** The best path that shares no pool with a route, and the best that shares none with either. */
export function pathsElsewhere(problem: Problem, best: Flow): readonly Flow[] {
  const { graph, target } = problem
  const found: Flow[] = []
  const taken = new Set<number>()
  const take = ({ edges }: Flow) => {
    for (const edge of edges)
      for (const other of graph.topology.edgesOfPool.get(graph.edges[edge]!.pool.id) ?? []) taken.add(other)
  }
  take(best)
  while (found.length < PATHS_ELSEWHERE) {
    const open = without(problem, taken)
    const path = bestSinglePath(open, potential(open, target, 'to'))
    const flow = path && alongPath(problem, path)
    if (!flow) break
    found.push(flow)
    take(flow)
  }
  return found
}

/** The tokens of a path, through the pools that leave most for each hop: those of the best route may be among them. */
function throughBest(problem: Problem, { edges, input, amountOut }: Flow): Flow | null {
  const { graph, rate, budget } = problem
  const { offset, from, to } = graph.topology
  return alongPath(
    problem,
    edges.map((edge, place) => {
      const amount = input[place]!
      const token = from[edge]!
      const paid = outputOf(curveOf(problem, edge), amount)
      // In base units of the target: what a hop pays more, the trade pays more in the same part.
      const left = (other: number) =>
        (amountOut * outputOf(curveOf(problem, other), amount)) / paid - costOf(problem, other, amount)
      let [best, most] = [edge, left(edge)]
      budget.spend(offset[token + 1]! - offset[token]!)
      for (let other = offset[token]!; other < offset[token + 1]!; other++) {
        if (to[other] !== to[edge] || rate[other] === 0) continue
        const leaves = left(other)
        if (leaves > most) [best, most] = [other, leaves]
      }
      return best
    }),
  )
}

/** The best that is left of a route were gas dearer; null of a route of one pool. */
function onFewerPools(problem: Problem, best: Flow): Flow | null {
  if (best.edges.length < 2) return null
  const { from, to } = problem.graph.topology
  const dear = { ...problem, perGas: problem.perGas * DEAR_GAS, perLeg: problem.perLeg * DEAR_GAS }
  const allocation = new Allocation(dear)
  for (const edge of best.edges.toReversed())
    allocation.addToken(from[edge]!, allocation.logPrice[to[edge]!]! + Math.log(problem.rate[edge]!))
  for (const edge of best.edges) allocation.addEdge(edge)
  solve(allocation, TIGHT)
  const flow = pruneByTrial(dear, allocation)
  return flow && { ...flow, net: flow.amountOut - (flow.amountOut - flow.net) / DEAR_GAS }
}

const spentOn = ({ amountOut, net }: Flow) => amountOut - net

const keyOf = ({ edges }: Flow): string => edges.toSorted((a, b) => a - b).join()
