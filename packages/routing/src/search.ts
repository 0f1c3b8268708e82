/** The steps of a search. With gas the problem is not convex, so the search starts from several allocations. */
import { addAlternatives, generateColumns } from './columns/columns.ts'
import { Frontier } from './columns/frontier.ts'
import { bestSinglePath, onCurves } from './columns/single-path.ts'
import { upperBound } from './columns/upper-bound.ts'
import { capacityOf } from './graph/price-curve.ts'
import { alternativesOf } from './integrate/alternatives.ts'
import { gainsInCycle, inOrderOf, type OpenAllocation, openCycles, orderOf } from './integrate/cycles.ts'
import { shortenChains } from './integrate/direct.ts'
import { extend, joinPaths } from './integrate/few-pools.ts'
import { withinLimits } from './integrate/limits.ts'
import { bestFromRestricted } from './integrate/narrower.ts'
import { divideAmongPaths } from './integrate/path-division.ts'
import { localSearch } from './integrate/polish.ts'
import {
  bestOf,
  isCertified,
  isFarBelow,
  isUncertain,
  isWorthless,
  mayImprove,
  mayPayFor,
} from './integrate/promise.ts'
import { isLongAgain, prune, pruneByTrial } from './integrate/pruning.ts'
import { netBound } from './net-bound/net-bound.ts'
import { distancesFrom, type Potential, pathTo, potential } from './problem/potentials.ts'
import { baseCost, curveOf, isFree, type Problem, without } from './problem/problem.ts'
import { Allocation, allocationOver } from './solver/allocation.ts'
import { solve } from './solver/dual-solver.ts'
import { alongPath, type Flow, flowOf } from './solver/flow.ts'
import {
  COARSE_ROUNDS,
  COLUMN_ROUNDS,
  COSTLY_PART,
  COSTLY_POOLS_WORK,
  DIVISION_MIN_GAP,
  DIVISION_WORK,
  FEW_POOLS,
  IMPROVING_PART,
  LEFT_OUT_MAX_SPENT,
  MAX_COMBINED_EDGES,
  MAX_GAP_TO_COMBINE,
  MAX_GAP_TO_STOP,
  MAX_RESIDUAL,
  MAX_RESTRICTED_WORK,
  ORDERS,
  POOLS_LEFT_OUT,
  RESTRICTED_WORK,
  ROOMY_DIVISION_MIN_GAP,
  SMALL_GRAPH_EDGES,
} from './tolerances.ts'

/** Result of a search, before settlement. */
export type SearchResult = {
  readonly flow: Flow
  /**
   * Best flow before restricted problems were searched, if it differs from `flow`. Used when a pool refuses its share of `flow`.
   */
  readonly fallback?: Flow
  /**
   * Upper bound on the output of any route, in output base units, without gas. Null if unknown, or if arbitrage makes it useless.
   */
  readonly bound: number | null
  /** Part of the bound by which pools may pay more than their price curves. */
  readonly beyondCurves: number
  /** Upper bound on the net output; null if none was found, undefined if it was not computed. */
  readonly netBound: number | null | undefined
  /** Best spot rates to the target of the searched problem: bounds on the payout of all admitted pools. */
  readonly backward: Potential
  /** Other routes that may turn out better once gas is measured, best first. Empty unless the problem asks for them. */
  readonly alternatives: readonly Flow[]
}

/**
 * Finds the best flow within the budget: at least the best single path, if the budget suffices for one. Null if nothing routes.
 *
 * @param outer - bound of a problem that admits at least the same edges; null if there is none
 */
export function search(
  problem: Problem,
  outer: Pick<SearchResult, 'bound' | 'beyondCurves'> | null = null,
): SearchResult | null {
  const { source, target } = problem
  const backward = potential(problem, target, 'to')
  // The input would not buy one base unit even at spot rates.
  if (!(backward.best[source]! * problem.amountIn >= 1)) return null
  const free = isFree(problem)
  const first = pathTo(problem, backward, source, target)
  const single =
    (free && !problem.onePath && first) || bestSinglePath(problem, backward) || partialPath(problem, backward)
  if (!single) return null
  if (problem.anyRoute && !problem.onePath) {
    const flow = bestOf(problem, [allocateOnce(problem, single, backward, COLUMN_ROUNDS), alongPath(problem, single)])
    return flow ? { flow, bound: null, beyondCurves: 0, netBound: undefined, backward, alternatives: [] } : null
  }
  const { rest } = problem.budget
  const beyondCurves = outer?.beyondCurves ?? 0
  const outerBound = outer && outer.bound !== null ? outer.bound - beyondCurves : null
  const progress: Progress = { flows: [], knownEdges: new Set(), bound: outerBound, beyondCurves, best: undefined }
  if (!problem.onePath) {
    const improve = () => allocations(problem, { backward, first, single }, progress)
    problem.budget.attempt(IMPROVING_PART, improve, () => {})
    const coarse = () => allocateOnce(problem, single, backward, COARSE_ROUNDS)
    if (!bestOf(problem, progress.flows))
      progress.flows.push(problem.budget.attempt(IMPROVING_PART, coarse, () => null))
  }
  const bestFlow = progress.best ?? bestOf(problem, [...progress.flows, alongPath(problem, single)])
  const initial = bestFlow ?? bestOf(problem, [divide(problem, null)])
  if (!initial) return null
  const { bound } = progress
  const sureBound = bound === null ? null : bound + progress.beyondCurves
  const spent = rest - problem.budget.rest
  const isFlowUncertain = !problem.onePath && isUncertain(initial, bound, isSmall(problem) ? 0 : undefined)
  const isBoundedFirst = isFlowUncertain && !free && isSmall(problem)
  const maxNet = isBoundedFirst ? netBound(problem, initial, sureBound, backward) : undefined
  const narrow = () => searchRestricted(problem, initial, { backward, first, single }, progress, { spent, maxNet })
  const flow =
    isFlowUncertain && !isCertified(initial, maxNet) ? problem.budget.attempt(1 / 2, narrow, () => initial) : initial
  const cyclic = () => gainsInCycle(problem)
  const worthless = isWorthless(flow.amountOut, bound) && problem.budget.attempt(1 / 2, cyclic, () => true)
  return {
    flow,
    ...(flow !== initial && { fallback: initial }),
    bound: worthless ? null : sureBound,
    beyondCurves: progress.beyondCurves,
    netBound: maxNet !== undefined && (worthless || bound === null) && isWorthless(flow.net, maxNet) ? null : maxNet,
    backward,
    alternatives: alternativesOf(problem, flow, progress.flows, { backward, single }),
  }
}

const isSmall = ({ rate }: Problem): boolean => rate.length <= SMALL_GRAPH_EDGES

/** Start path for an allocation if no path takes the whole amount; null if the trade must not be divided. */
function partialPath(problem: Problem, backward: Potential): readonly number[] | null {
  return problem.onePath ? null : bestSinglePath(problem, backward, onCurves(problem, 'a part'))
}

/** Searches restricted problems with about as much work as was spent so far. Returns `best` if that was already a lot. */
function searchRestricted(
  problem: Problem,
  best: Flow,
  paths: Paths,
  progress: Progress,
  { spent, maxNet }: { readonly spent: number; readonly maxNet: number | null | undefined },
): Flow {
  const { backward } = paths
  const { source, target } = problem
  const { knownEdges } = progress
  // If an arbitrage inflates the bound, or there is no bound, more can be gained.
  const isNetLoose = maxNet !== undefined && (maxNet === null || isWorthless(best.net, maxNet))
  const isLoose = isNetLoose || progress.bound === null || isWorthless(best.amountOut, progress.bound)
  if (spent > MAX_RESTRICTED_WORK && !isLoose) return best
  const allocate = (narrow: Problem): Flow | null => {
    const labels = potential(narrow, target, 'to')
    const single = bestSinglePath(narrow, labels) ?? partialPath(narrow, labels)
    if (!single) return null
    const restrictedProgress: Progress = {
      flows: [],
      knownEdges,
      bound: progress.bound,
      beyondCurves: progress.beyondCurves,
      best: undefined,
    }
    allocations(narrow, { backward: labels, first: pathTo(narrow, labels, source, target), single }, restrictedProgress)
    return restrictedProgress.best ?? null
  }
  const work = isLoose ? MAX_RESTRICTED_WORK : Math.max(RESTRICTED_WORK, spent)
  const flow = bestFromRestricted(problem, best, {
    knownEdges,
    values: backward.best,
    allocate,
    disagrees: isLoose,
    leavesOut: isSmall(problem) && (isLoose || spent < LEFT_OUT_MAX_SPENT),
    work,
  })
  const prunedFlow = flow === best || isFree(problem) ? flow : pruneAgain(problem, flow, backward)
  if (!isDivisible(problem)) return prunedFlow
  const maxValue = maxNet ?? progress.bound
  const isLimited = hasSmallPool(problem, prunedFlow, backward)
  const minGap = isLimited ? DIVISION_MIN_GAP : ROOMY_DIVISION_MIN_GAP
  if (maxValue !== null && !(prunedFlow.net < maxValue * (1 - minGap))) return prunedFlow
  const divided = bestOf(problem, [prunedFlow, divide(problem, prunedFlow)]) ?? prunedFlow
  if (!isLimited || !isLoose || isFree(problem)) return divided
  return divideWithoutPools(problem, divideFromWithoutGas(problem, divided), backward.best, allocate)
}

/**
 * Improves a flow by the best division without one of its pools: a division does not weigh the gas of a pool against what
 * its other paths would pay.
 *
 * @param values - values of tokens in the output token; pools with little input are tried first
 * @param allocate - finds the route from which the division without the pool starts
 */
function divideWithoutPools(
  problem: Problem,
  flow: Flow,
  values: Float64Array,
  allocate: (narrow: Problem) => Flow | null,
): Flow {
  const { budget, graph } = problem
  const { from } = graph.topology
  const end = budget.rest - COSTLY_POOLS_WORK
  const costlyEdges = [...flow.edges.entries()]
    .filter(([, edge]) => baseCost(problem, edge) > flow.net * COSTLY_PART)
    .map(([k, edge]) => ({ edge, value: flow.input[k]! * values[from[edge]!]! }))
    .sort((a, b) => a.value - b.value)
  const pools = new Set(costlyEdges.map(({ edge }) => graph.edges[edge]!.pool.id))
  const divided = [...pools].slice(0, POOLS_LEFT_OUT).map((id) => {
    if (budget.rest < end || !isDivisible(problem)) return null
    const divideWithout = () => {
      const narrow = without(problem, graph.topology.edgesOfPool.get(id)!)
      return divide(narrow, allocate(narrow))
    }
    return budget.attempt(1 / 2, divideWithout, () => null)
  })
  return bestOf(problem, [flow, ...divided]) ?? flow
}

/**
 * Returns true if a pool of the flow is too small for the whole trade. Otherwise prices alone find almost every division: of 2,000
 * uncertified trades on small graphs, 4 others gained more than 3 bps, and their bounds were 0.8 % away or more.
 */
function hasSmallPool(problem: Problem, { edges }: Flow, { best }: Potential): boolean {
  const { from } = problem.graph.topology
  const value = problem.amountIn * best[problem.source]!
  return edges.some((edge) => capacityOf(curveOf(problem, edge)) * best[from[edge]!]! < value)
}

/** Improves a flow by the best division without gas, whose chunks find paths that gas hides: with it they choose few paths. */
function divideFromWithoutGas(problem: Problem, flow: Flow): Flow {
  const start = divide({ ...problem, perGas: 0, perLeg: 0 }, flow)
  return (start && bestOf(problem, [flow, divide(problem, start)])) || flow
}

/** Returns true for a small graph, if enough work is left for a division. */
const isDivisible = (problem: Problem): boolean =>
  !problem.onePath && isSmall(problem) && problem.budget.rest >= DIVISION_WORK

/** Divides the trade among all paths of a small graph; null for larger graphs, with little work left, or if no division was found. */
function divide(problem: Problem, flow: Flow | null): Flow | null {
  if (!isDivisible(problem)) return null
  const edges = new Set([...problem.rate.keys()].filter((edge) => problem.rate[edge]! > 0))
  return problem.budget.attempt(
    1 / 2,
    () => divideAmongPaths(problem, flow, edges),
    () => null,
  )
}

/** Removes the pools of a flow that stopped earning their gas after other pools joined. */
function pruneAgain(problem: Problem, flow: Flow, backward: Potential): Flow {
  if (flow.edges.length > MAX_COMBINED_EDGES) return flow
  const allocation = allocationOver(problem, flow.edges, backward)
  solve(allocation, MAX_RESIDUAL)
  return bestOf(problem, [flow, pruneByTrial(problem, allocation)])!
}

/** State shared by the stages of a search. */
type Progress = {
  readonly flows: (Flow | null)[]
  /** Edges that some allocation included. */
  readonly knownEdges: Set<number>
  /** Bound by price curves, on which the effort depends, and the maximum that pools pay beyond their curves. */
  bound: number | null
  beyondCurves: number
  best: Flow | undefined
}

type Paths = {
  readonly backward: Potential
  /** The best path at spot rates, and the best path after gas. */
  readonly first: readonly number[] | null
  readonly single: readonly number[]
}

/** Divides the trade from all promising starts, and records the flows and bounds in `progress`. */
function allocations(problem: Problem, paths: Paths, progress: Progress): void {
  const { backward, first, single } = paths
  const { source } = problem
  const free = isFree(problem)
  const around = (open: Problem) => new Frontier(open, backward, distances)
  const distances = distancesFrom(problem, source)
  const frontier = around(problem)
  const initial = new Set(free || !first ? single : [...first, ...single])
  const opening = allocationOver(problem, initial, backward)
  generateColumns(problem, opening, frontier)
  // The bound of the whole problem also holds for restricted problems.
  const gross = progress.bound === null ? certify(problem, opening, frontier, progress) : opening
  const { bound } = progress
  const allocate = (open: Problem, edges: readonly number[]): OpenAllocation => {
    const allocation = allocationOver(open, edges, backward)
    generateColumns(open, allocation, open === problem ? frontier : around(open))
    return openCycles({ open, allocation }, around)
  }
  const reduce = ({ open, allocation }: OpenAllocation, idle: 'drop' | 'keep' = 'drop') =>
    free ? limitedFlow(open, allocation) : prune(open, allocation, idle)

  const tangled = opening.checkpoint()
  const acyclic = openCycles({ open: problem, allocation: opening }, around)
  const cyclic = acyclic.open !== problem
  const { flows } = progress
  for (const edge of opening.edges) progress.knownEdges.add(edge)
  const usedFirst = edgesInUse(acyclic.allocation)
  flows.push(reduce(acyclic))
  if (mayImprove(problem, flows, bound, backward)) flows.push(alongPath(problem, single))
  let { open } = acyclic
  if (cyclic) {
    opening.restore(tangled)
    solve(opening, MAX_RESIDUAL)
    flows.push(reduce({ open: problem, allocation: opening }))
    open = reallocateInOrder(problem, flows, (ordered, { edges }) => reduce(allocate(ordered, edges)))
  }
  if (!free && mayImprove(open, flows, bound, backward)) {
    // Fixed costs make the problem non-convex, so other starts can lead to other optima.
    const soFar = bestOf(problem, flows)
    const isTrusted = soFar && !isUncertain(soFar, bound)
    const second = isTrusted || initial.size === single.length ? [] : [allocate(problem, single)]
    for (const freshAllocation of second)
      if (!isLongAgain(edgesInUse(freshAllocation.allocation), usedFirst)) flows.push(reduce(freshAllocation))
    const usedEdges = flows.flatMap((flow) => flow?.edges ?? [])
    const otherEdges = second.flatMap(({ allocation }) => allocation.edges)
    const repaired = allocate(open, [...usedEdges, ...opening.edges, ...otherEdges])
    addAlternatives(repaired.open, repaired.allocation)
    flows.push(reduce(repaired, 'keep'))
    // Edges that pay without gas may pay together with gas although no single column did. That takes at least two more legs.
    if (!cyclic && isFarBelow(open, flows, bound) && mayPayFor(2, problem, bestOf(problem, flows), bound)) {
      const whole = new Allocation(open)
      whole.restore(gross.checkpoint())
      whole.evaluate()
      flows.push(reduce(openCycles({ open, allocation: whole }, around)))
    }
  }
  let best = bestOf(problem, flows)
  if (!best) {
    progress.best = bestOf(problem, otherRoutes(problem, [], progress, paths))
    return
  }
  progress.best = best
  if (!free) progress.best = best = shortenChains(problem, best)
  // If there is a profitable cycle, the bound is out of reach, so the gap to it is not a loss of the route.
  const mayLengthen = free ? isFarBelow(problem, [best], bound) : mayPayFor(1, problem, best, bound)
  if (!cyclic && mayLengthen && mayImprove(problem, [best], bound, backward)) {
    const usedEdges = gross.edges.filter((_, k) => gross.input[k]! > 0)
    const longer = extend(problem, best, [...usedEdges, ...best.edges, ...single], backward.best)
    if (longer !== best)
      progress.best = best = free ? longer : shortenChains(problem, pruneAgain(problem, longer, backward))
  }
  if (!free && mayImprove(open, [best], bound, backward)) {
    const mixed = bestOf(problem, [best, combine(open, flows, best, backward)])!
    if (mixed !== best) progress.best = best = shortenChains(problem, mixed)
  }
  const otherFlows = otherRoutes(problem, [best], progress, paths)
  flows.push(best, ...otherFlows)
  progress.best = localSearch(problem, bestOf(problem, [best, ...otherFlows])!)
}

const edgesInUse = ({ edges, input }: Allocation): readonly number[] => edges.filter((_, k) => input[k]! > 0)

/** Allocates over the pools of a few column rounds only: the fallback if the full search exceeds its budget. */
function allocateOnce(problem: Problem, single: readonly number[], backward: Potential, rounds: number): Flow | null {
  const allocation = allocationOver(problem, single, backward)
  const frontier = new Frontier(problem, backward, distancesFrom(problem, problem.source))
  generateColumns(problem, allocation, frontier, rounds)
  return isFree(problem) ? limitedFlow(problem, allocation) : prune(problem, allocation, 'drop')
}

/** Routes that an allocation may miss because of limits, fixed costs, or cycles: the best path, and paths joined one by one. */
function otherRoutes(
  problem: Problem,
  current: readonly (Flow | null)[],
  { bound, knownEdges }: Progress,
  { backward, single }: Paths,
): readonly (Flow | null)[] {
  if (!mayImprove(problem, current, bound, backward)) return []
  const path = isFree(problem) ? bestSinglePath(problem, backward) : single
  const alone = path && alongPath(problem, path)
  if (problem.maxPools > FEW_POOLS) return [alone]
  return [alone, joinPaths(problem, [...knownEdges, ...(path ?? [])], backward.best)]
}

/**
 * Reallocates in the token order of the best route so far while that improves it, since the choice of the edge to
 * remove from a cycle is a guess. Returns the problem restricted to that order.
 */
function reallocateInOrder(
  problem: Problem,
  flows: (Flow | null)[],
  allocated: (ordered: Problem, best: Flow) => Flow | null,
): Problem {
  let ordered = problem
  for (let turn = 0; turn < ORDERS; turn++) {
    const best = bestOf(problem, flows)
    if (!best) break
    ordered = inOrderOf(problem, orderOf(problem, best))
    flows.push(allocated(ordered, best))
    if (!((bestOf(problem, flows)?.net ?? 0) > best.net * (1 + MAX_GAP_TO_STOP))) break
  }
  return ordered
}

/**
 * Reallocates over the edges of all good routes together. Null if the best route has all of these edges, or if they are too many.
 */
function combine(problem: Problem, flows: readonly (Flow | null)[], best: Flow, backward: Potential): Flow | null {
  const good = flows.filter((flow) => flow !== null && flow.net > best.net * (1 - MAX_GAP_TO_COMBINE))
  const edges = new Set([...good, best].flatMap((flow) => flow!.edges))
  if (edges.size > MAX_COMBINED_EDGES || edges.size === best.edges.length) return null
  const allocation = allocationOver(problem, [...edges], backward)
  solve(allocation, MAX_RESIDUAL)
  return pruneByTrial(problem, allocation)
}

/**
 * Computes the bound on all routes.
 *
 * @returns the allocation without gas behind the bound, which needs prices of edges that gas excludes
 */
function certify(problem: Problem, allocation: Allocation, frontier: Frontier, progress: Progress): Allocation {
  const free = isFree(problem) ? problem : { ...problem, perGas: 0, perLeg: 0 }
  let gross = allocation
  if (free !== problem) {
    gross = new Allocation(free)
    gross.restore(allocation.checkpoint())
    generateColumns(free, gross, frontier)
  }
  const bound = upperBound(free, gross, frontier)
  const beyond = bound && problem.subgraph ? problem.subgraph.earnedBeyond(gross) : 0
  if (bound && beyond !== null) {
    progress.bound = bound.onCurves + beyond
    progress.beyondCurves = bound.beyondCurves
  }
  return gross
}

function limitedFlow(problem: Problem, allocation: Allocation): Flow | null {
  const flow = flowOf(problem, allocation)
  return flow && withinLimits(problem, allocation, flow)
}
