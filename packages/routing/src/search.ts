/**
 * Searches for the best flow of a problem. A flow is a set of edges (pools in one direction) with their inputs. It
 * comes from an allocation (edges with their trades at common token prices), from which edges that do not earn their
 * gas are pruned. Gas makes the problem non-convex, so the search starts from several allocations and then refines the
 * best flow. Called by `exact/search-and-settle.ts`, which settles the flow: computes its amounts in exact integers.
 */
import { addIdleEdges, generateColumns } from './columns/columns.ts'
import { Frontier } from './columns/frontier.ts'
import { bestSinglePath, curveQuoter } from './columns/single-path.ts'
import { NO_PRICES, type TokenPrices, upperBound } from './columns/upper-bound.ts'
import { netBound } from './net-bound/net-bound.ts'
import { bestSpotRates, distancesFrom, pathTo, type SpotRates } from './problem/potentials.ts'
import { hasNoLegCosts, type Problem } from './problem/problem.ts'
import { roundingOfTaxes } from './problem/rounding.ts'
import { alternativesOf } from './refine/alternatives.ts'
import {
  hasProfitableCycle,
  type OpenAllocation,
  openCycles,
  restrictToOrder,
  soldTokenOrder,
} from './refine/cycles.ts'
import {
  divide,
  divideFromGasFreeDivision,
  divideWithoutPools,
  hasSmallPool,
  isDivisible,
  isSmallGraph,
} from './refine/divisions.ts'
import { extendByPaths, joinPaths } from './refine/join-paths.ts'
import { withinLimits } from './refine/limits.ts'
import { localSearch } from './refine/local-search.ts'
import { isSameLongList, prune, pruneByTrial } from './refine/pruning.ts'
import { bestFromRestricted } from './refine/restricted-starts.ts'
import { shortenChains } from './refine/shorten-chains.ts'
import {
  bestOf,
  isCertified,
  isFarBelow,
  isUncertain,
  isWorthless,
  mayImprove,
  mayPayFor,
} from './refine/stopping-rules.ts'
import { Allocation, allocationOver } from './solver/allocation.ts'
import { solveDual } from './solver/dual-solver.ts'
import { alongPath, type Flow, flowOf } from './solver/flow.ts'
import {
  COARSE_COLUMN_ROUNDS,
  DIVISION_MIN_GAP,
  IMPROVEMENT_WORK_SHARE,
  MAX_COLUMN_ROUNDS,
  MAX_COMBINED_EDGES,
  MAX_GAP_TO_COMBINE,
  MAX_GAP_TO_STOP,
  MAX_POOLS_TO_JOIN_PATHS,
  MAX_RESIDUAL,
  MAX_RESTRICTED_WORK,
  MAX_TOKEN_ORDERS,
  MAX_WORK_TO_LEAVE_OUT,
  RESTRICTED_WORK,
  ROOMY_DIVISION_MIN_GAP,
} from './tolerances.ts'

/** Result of a search, before settlement. */
export type SearchResult = {
  readonly flow: Flow
  /**
   * Best flow before restricted problems were searched, if it differs from `flow`. Used if a pool refuses its part of
   * `flow`.
   */
  readonly fallback?: Flow
  /**
   * Upper bound on the output of any route before gas, in output base units. Null if unknown, or if an arbitrage makes
   * the bound useless.
   */
  readonly bound: number | null
  /** Part of `bound`: the maximum that pools may pay above their price curves. */
  readonly hiddenBound: number
  /** Prices at which `bound` was computed; empty without a bound. */
  readonly tokenPrices: TokenPrices
  /** Upper bound on the output after gas of any route; null if none was found, undefined if it was not computed. */
  readonly netBound: number | null | undefined
  /** Best spot rates from each token to the target, over all admitted pools. */
  readonly spotRates: SpotRates
  /** Other routes that may turn out better once gas is measured, best first. Empty unless the problem asks for them. */
  readonly alternatives: readonly Flow[]
}

/**
 * Finds the best flow within the work budget: at least the best single path, if the budget suffices for one. Null if no
 * flow takes the whole amount.
 *
 * @param enclosingBound - known bounds of a problem that admits at least the same edges. They hold for this problem,
 *   too, so none are computed. Null if unknown
 */
export function search(
  problem: Problem,
  enclosingBound: Pick<SearchResult, 'bound' | 'hiddenBound' | 'tokenPrices'> | null = null,
): SearchResult | null {
  const { source, target } = problem
  const spotRates = bestSpotRates(problem, target)
  // The input would not buy one base unit even at spot rates.
  if (!(spotRates.maxRate[source]! * problem.amountIn >= 1)) return null
  const noLegCosts = hasNoLegCosts(problem)
  const spotPath = pathTo(problem, spotRates, source, target)
  const singlePath =
    (noLegCosts && !problem.isSinglePath && spotPath) ||
    bestSinglePath(problem, spotRates) ||
    partialPath(problem, spotRates)
  if (!singlePath) return null
  if (problem.acceptsAnyRoute && !problem.isSinglePath) {
    const flow = bestOf(problem, [
      allocateOnce(problem, singlePath, spotRates, MAX_COLUMN_ROUNDS),
      alongPath(problem, singlePath),
    ])
    return flow
      ? { flow, bound: null, hiddenBound: 0, tokenPrices: NO_PRICES, netBound: undefined, spotRates, alternatives: [] }
      : null
  }
  const { remaining: workAtStart } = problem.budget
  const hiddenBound = enclosingBound?.hiddenBound ?? 0
  const initialCurveBound = enclosingBound && enclosingBound.bound !== null ? enclosingBound.bound - hiddenBound : null
  const progress: Progress = {
    flows: [],
    knownEdges: new Set(),
    curveBound: initialCurveBound,
    hiddenBound,
    tokenPrices: enclosingBound?.tokenPrices ?? NO_PRICES,
    best: undefined,
  }
  if (!problem.isSinglePath) {
    const improve = () => runAllocations(problem, { spotRates, spotPath, singlePath }, progress)
    problem.budget.attempt(IMPROVEMENT_WORK_SHARE, improve, () => {})
    const allocateCoarsely = () => allocateOnce(problem, singlePath, spotRates, COARSE_COLUMN_ROUNDS)
    if (!bestOf(problem, progress.flows))
      progress.flows.push(problem.budget.attempt(IMPROVEMENT_WORK_SHARE, allocateCoarsely, () => null))
  }
  const bestFlow = progress.best ?? bestOf(problem, [...progress.flows, alongPath(problem, singlePath)])
  const initialFlow = bestFlow ?? bestOf(problem, [divide(problem, null)])
  if (!initialFlow) return null
  const { curveBound } = progress
  const fullBound = curveBound === null ? null : curveBound + progress.hiddenBound
  const workSpent = workAtStart - problem.budget.remaining
  const isFlowUncertain =
    !problem.isSinglePath && isUncertain(initialFlow, curveBound, isSmallGraph(problem) ? 0 : undefined)
  const needsEarlyNetBound = isFlowUncertain && !noLegCosts && isSmallGraph(problem)
  const maxNetOut = needsEarlyNetBound
    ? netBound(problem, initialFlow, { bound: fullBound, tokenPrices: progress.tokenPrices }, spotRates)
    : undefined
  const searchRestrictedProblems = () =>
    searchRestricted(problem, initialFlow, { spotRates, spotPath, singlePath }, progress, {
      workSpent,
      maxNetOut,
    })
  const flow =
    isFlowUncertain && !isCertified(initialFlow, maxNetOut)
      ? problem.budget.attempt(1 / 2, searchRestrictedProblems, () => initialFlow)
      : initialFlow
  const checkCycles = () => hasProfitableCycle(problem)
  const isBoundWorthless =
    isWorthless(flow.amountOut, curveBound) && problem.budget.attempt(1 / 2, checkCycles, () => true)
  return {
    flow,
    ...(flow !== initialFlow && { fallback: initialFlow }),
    bound: isBoundWorthless ? null : fullBound,
    hiddenBound: progress.hiddenBound,
    tokenPrices: progress.tokenPrices,
    netBound:
      maxNetOut !== undefined && (isBoundWorthless || curveBound === null) && isWorthless(flow.net, maxNetOut)
        ? null
        : maxNetOut,
    spotRates,
    alternatives: alternativesOf(problem, flow, progress.flows, { spotRates, singlePath }),
  }
}

/** Path from which an allocation starts if no path takes the whole amount; null if the trade must not be divided. */
function partialPath(problem: Problem, spotRates: SpotRates): readonly number[] | null {
  return problem.isSinglePath ? null : bestSinglePath(problem, spotRates, curveQuoter(problem, 'a part'))
}

/**
 * Improves a flow by searching restricted problems (see `refine/restricted-starts.ts`), and by dividing the trade among
 * paths. The restricted problems take about as much work as the search has spent. Returns `best` unchanged if the
 * search has already spent much work.
 */
function searchRestricted(
  problem: Problem,
  best: Flow,
  paths: Paths,
  progress: Progress,
  { workSpent, maxNetOut }: { readonly workSpent: number; readonly maxNetOut: number | null | undefined },
): Flow {
  const { spotRates } = paths
  const { source, target } = problem
  const { knownEdges } = progress
  // A bound is loose if it is missing or far above the flow, as when an arbitrage raises it. A much better route may
  // then exist.
  const isNetLoose = maxNetOut !== undefined && (maxNetOut === null || isWorthless(best.net, maxNetOut))
  const isLoose = isNetLoose || progress.curveBound === null || isWorthless(best.amountOut, progress.curveBound)
  if (workSpent > MAX_RESTRICTED_WORK && !isLoose) return best
  const allocate = (restrictedProblem: Problem): Flow | null => {
    const restrictedRates = bestSpotRates(restrictedProblem, target)
    const singlePath =
      bestSinglePath(restrictedProblem, restrictedRates) ?? partialPath(restrictedProblem, restrictedRates)
    if (!singlePath) return null
    const restrictedProgress: Progress = {
      flows: [],
      knownEdges,
      curveBound: progress.curveBound,
      hiddenBound: progress.hiddenBound,
      tokenPrices: progress.tokenPrices,
      best: undefined,
    }
    runAllocations(
      restrictedProblem,
      { spotRates: restrictedRates, spotPath: pathTo(restrictedProblem, restrictedRates, source, target), singlePath },
      restrictedProgress,
    )
    return restrictedProgress.best ?? null
  }
  const maxWork = isLoose ? MAX_RESTRICTED_WORK : Math.max(RESTRICTED_WORK, workSpent)
  const flow = bestFromRestricted(problem, best, {
    knownEdges,
    values: spotRates.maxRate,
    allocate,
    poolsDisagree: isLoose,
    mayLeaveOutPools: isSmallGraph(problem) && (isLoose || workSpent < MAX_WORK_TO_LEAVE_OUT),
    maxWork,
  })
  const prunedFlow = flow === best || hasNoLegCosts(problem) ? flow : pruneAgain(problem, flow, spotRates)
  if (!isDivisible(problem)) return prunedFlow
  const maxNet = maxNetOut ?? progress.curveBound
  const isCapacityLimited = hasSmallPool(problem, prunedFlow, spotRates)
  const minGap = isCapacityLimited ? DIVISION_MIN_GAP : ROOMY_DIVISION_MIN_GAP
  if (maxNet !== null && !(prunedFlow.net < maxNet * (1 - minGap))) return prunedFlow
  const dividedFlow = bestOf(problem, [prunedFlow, divide(problem, prunedFlow)]) ?? prunedFlow
  if (!isCapacityLimited || !isLoose || hasNoLegCosts(problem)) return dividedFlow
  return divideWithoutPools(problem, divideFromGasFreeDivision(problem, dividedFlow), spotRates.maxRate, allocate)
}

/** Removes the pools of a flow that stopped earning their gas after other pools joined. */
function pruneAgain(problem: Problem, flow: Flow, spotRates: SpotRates): Flow {
  if (flow.edges.length > MAX_COMBINED_EDGES) return flow
  const allocation = allocationOver(problem, flow.edges, spotRates)
  solveDual(allocation, MAX_RESIDUAL)
  return bestOf(problem, [flow, pruneByTrial(problem, allocation)])!
}

/** State of a search, shared by its stages. */
type Progress = {
  /** All flows found; null for attempts without one. */
  readonly flows: (Flow | null)[]
  /** Edges that some allocation included. */
  readonly knownEdges: Set<number>
  /** Upper bound on the output of any route if pools pay exactly their price curves; null until it is computed. */
  curveBound: number | null
  /** Maximum that pools may pay above their price curves, in output base units. */
  hiddenBound: number
  /** Prices at which `curveBound` was computed. */
  tokenPrices: TokenPrices
  /** Best flow of the completed stages. */
  best: Flow | undefined
}

/** Paths from which allocations start, and best spot rates from each token to the target. */
type Paths = {
  readonly spotRates: SpotRates
  /** The best path at spot rates; null if it contains a cycle or is too long. */
  readonly spotPath: readonly number[] | null
  /** The best path for the whole amount, after gas. */
  readonly singlePath: readonly number[]
}

/**
 * Allocates the trade from all promising starts, refines the best flow, and records flows and bounds in `progress`. An
 * open problem is the problem without the edges that were removed to open profitable cycles (see `refine/cycles.ts`).
 */
function runAllocations(problem: Problem, paths: Paths, progress: Progress): void {
  const { spotRates, spotPath, singlePath } = paths
  const noLegCosts = hasNoLegCosts(problem)
  const distances = distancesFrom(problem, problem.source)
  const newFrontier = (openProblem: Problem) => new Frontier(openProblem, spotRates, distances)
  const frontier = newFrontier(problem)
  const initialEdges = new Set(noLegCosts || !spotPath ? singlePath : [...spotPath, ...singlePath])
  const initialAllocation = allocationOver(problem, initialEdges, spotRates)
  generateColumns(problem, initialAllocation, frontier)
  // A bound that is already known, from a problem with at least these edges, also holds here.
  const gasFreeAllocation =
    progress.curveBound === null ? computeBound(problem, initialAllocation, frontier, progress) : initialAllocation
  const { curveBound, flows } = progress
  const allocate = (openProblem: Problem, edges: readonly number[]): OpenAllocation => {
    const allocation = allocationOver(openProblem, edges, spotRates)
    generateColumns(openProblem, allocation, openProblem === problem ? frontier : newFrontier(openProblem))
    return openCycles({ openProblem, allocation }, newFrontier)
  }
  const toReducedFlow = ({ openProblem, allocation }: OpenAllocation, idleEdgePolicy: 'drop' | 'keep' = 'drop') =>
    noLegCosts ? limitedFlow(openProblem, allocation) : prune(openProblem, allocation, idleEdgePolicy)

  const cyclicCheckpoint = initialAllocation.checkpoint()
  const openedAllocation = openCycles({ openProblem: problem, allocation: initialAllocation }, newFrontier)
  const wasCyclic = openedAllocation.openProblem !== problem
  for (const edge of initialAllocation.edges) progress.knownEdges.add(edge)
  const firstUsedEdges = edgesInUse(openedAllocation.allocation)
  flows.push(toReducedFlow(openedAllocation))
  if (mayImprove(problem, flows, curveBound, spotRates)) flows.push(alongPath(problem, singlePath))
  let { openProblem: currentProblem } = openedAllocation
  if (wasCyclic) {
    initialAllocation.restore(cyclicCheckpoint)
    solveDual(initialAllocation, MAX_RESIDUAL)
    flows.push(toReducedFlow({ openProblem: problem, allocation: initialAllocation }))
    currentProblem = reallocateInOrder(problem, flows, (orderedProblem, { edges }) =>
      toReducedFlow(allocate(orderedProblem, edges)),
    )
  }
  if (!noLegCosts && mayImprove(currentProblem, flows, curveBound, spotRates)) {
    // Gas makes the problem non-convex, so other starts can lead to better flows.
    const bestSoFar = bestOf(problem, flows)
    const isNearBound = bestSoFar && !isUncertain(bestSoFar, curveBound)
    const startedFromSinglePath = initialEdges.size === singlePath.length
    const secondAllocation = isNearBound || startedFromSinglePath ? null : allocate(problem, singlePath)
    if (secondAllocation && !isSameLongList(edgesInUse(secondAllocation.allocation), firstUsedEdges))
      flows.push(toReducedFlow(secondAllocation))
    const usedEdges = flows.flatMap((flow) => flow?.edges ?? [])
    const otherEdges = secondAllocation?.allocation.edges ?? []
    const jointAllocation = allocate(currentProblem, [...usedEdges, ...initialAllocation.edges, ...otherEdges])
    addIdleEdges(jointAllocation.openProblem, jointAllocation.allocation)
    flows.push(toReducedFlow(jointAllocation, 'keep'))
    // Several edges may earn their gas together although no single one does. So all edges that pay without gas are also
    // allocated, if the gap to the bound pays for at least two more legs.
    const isFarBelowBound = !wasCyclic && isFarBelow(currentProblem, flows, curveBound)
    if (isFarBelowBound && mayPayFor(2, problem, bestOf(problem, flows), curveBound)) {
      const allocation = copyOnto(currentProblem, gasFreeAllocation)
      flows.push(toReducedFlow(openCycles({ openProblem: currentProblem, allocation }, newFrontier)))
    }
  }
  let best = bestOf(problem, flows)
  progress.best = best ?? bestOf(problem, otherRoutes(problem, [], progress, paths))
  if (!best) return
  if (!noLegCosts) progress.best = best = shortenChains(problem, best)
  // A profitable cycle raises the bound above every route, so the gap to the bound then says nothing about the flow.
  const mayLengthen = noLegCosts ? isFarBelow(problem, [best], curveBound) : mayPayFor(1, problem, best, curveBound)
  if (!wasCyclic && mayLengthen && mayImprove(problem, [best], curveBound, spotRates)) {
    const usedEdges = gasFreeAllocation.edges.filter((_, k) => gasFreeAllocation.input[k]! > 0)
    const extendedFlow = extendByPaths(problem, best, [...usedEdges, ...best.edges, ...singlePath], spotRates.maxRate)
    if (extendedFlow !== best)
      progress.best = best = noLegCosts
        ? extendedFlow
        : shortenChains(problem, pruneAgain(problem, extendedFlow, spotRates))
  }
  if (!noLegCosts && mayImprove(currentProblem, [best], curveBound, spotRates)) {
    const combinedFlow = bestOf(problem, [best, combineFlows(currentProblem, flows, best, spotRates)])!
    if (combinedFlow !== best) progress.best = best = shortenChains(problem, combinedFlow)
  }
  const otherFlows = otherRoutes(problem, [best], progress, paths)
  flows.push(best, ...otherFlows)
  progress.best = localSearch(problem, bestOf(problem, [best, ...otherFlows])!)
}

/** Returns an allocation of a problem over the edges and prices of another allocation. */
function copyOnto(problem: Problem, original: Allocation): Allocation {
  const allocation = new Allocation(problem)
  allocation.restore(original.checkpoint())
  allocation.evaluate()
  return allocation
}

const edgesInUse = ({ edges, input }: Allocation): readonly number[] => edges.filter((_, k) => input[k]! > 0)

/**
 * Allocates the trade with at most `rounds` rounds of column generation, without refining the flow. Used if any route
 * is acceptable, or if the full search exceeds its budget.
 */
function allocateOnce(
  problem: Problem,
  singlePath: readonly number[],
  spotRates: SpotRates,
  rounds: number,
): Flow | null {
  const allocation = allocationOver(problem, singlePath, spotRates)
  const frontier = new Frontier(problem, spotRates, distancesFrom(problem, problem.source))
  generateColumns(problem, allocation, frontier, rounds)
  return hasNoLegCosts(problem) ? limitedFlow(problem, allocation) : prune(problem, allocation, 'drop')
}

/**
 * Returns two flows that an allocation may miss because of limits, gas, or cycles. One is the flow of the best path.
 * The other is built path by path. Empty if the current flows cannot be improved.
 */
function otherRoutes(
  problem: Problem,
  currentFlows: readonly (Flow | null)[],
  { curveBound, knownEdges }: Progress,
  { spotRates, singlePath }: Paths,
): readonly (Flow | null)[] {
  if (!mayImprove(problem, currentFlows, curveBound, spotRates)) return []
  const path = hasNoLegCosts(problem) ? bestSinglePath(problem, spotRates) : singlePath
  const pathFlow = path && alongPath(problem, path)
  if (problem.maxPools > MAX_POOLS_TO_JOIN_PATHS) return [pathFlow]
  return [pathFlow, joinPaths(problem, [...knownEdges, ...(path ?? [])], spotRates.maxRate)]
}

/**
 * Allocates again in the token order of the best flow so far, while the flow improves. Cycles cannot occur if all edges
 * follow one order of the tokens. Which edge of a cycle to remove is only a guess, so another order may give a better
 * flow. Returns the problem restricted to the last order.
 */
function reallocateInOrder(
  problem: Problem,
  flows: (Flow | null)[],
  reallocate: (orderedProblem: Problem, best: Flow) => Flow | null,
): Problem {
  let orderedProblem = problem
  for (let round = 0; round < MAX_TOKEN_ORDERS; round++) {
    const best = bestOf(problem, flows)
    if (!best) break
    orderedProblem = restrictToOrder(problem, soldTokenOrder(problem, best))
    flows.push(reallocate(orderedProblem, best))
    if (!((bestOf(problem, flows)?.net ?? 0) > best.net * (1 + MAX_GAP_TO_STOP))) break
  }
  return orderedProblem
}

/**
 * Allocates over the edges of all good flows together. Null if the best flow has all of these edges, or if there are
 * too many of them.
 */
function combineFlows(
  problem: Problem,
  flows: readonly (Flow | null)[],
  best: Flow,
  spotRates: SpotRates,
): Flow | null {
  const goodFlows = flows.filter((flow) => flow !== null && flow.net > best.net * (1 - MAX_GAP_TO_COMBINE))
  const edges = new Set([...goodFlows, best].flatMap((flow) => flow!.edges))
  if (edges.size > MAX_COMBINED_EDGES || edges.size === best.edges.length) return null
  const allocation = allocationOver(problem, [...edges], spotRates)
  solveDual(allocation, MAX_RESIDUAL)
  return pruneByTrial(problem, allocation)
}

/**
 * Computes the bounds on the output of all routes before gas, and records them in `progress`.
 *
 * @returns the allocation without gas from which the bounds follow. With gas, it is not the given one, because edges
 *   that do not earn their gas also affect the bounds
 */
function computeBound(problem: Problem, allocation: Allocation, frontier: Frontier, progress: Progress): Allocation {
  const gasFreeProblem = hasNoLegCosts(problem) ? problem : { ...problem, costPerGas: 0, costPerLeg: 0 }
  let gasFreeAllocation = allocation
  if (gasFreeProblem !== problem) {
    gasFreeAllocation = new Allocation(gasFreeProblem)
    gasFreeAllocation.restore(allocation.checkpoint())
    generateColumns(gasFreeProblem, gasFreeAllocation, frontier)
  }
  const bound = upperBound(gasFreeProblem, gasFreeAllocation, frontier)
  const earningsOutside = bound && problem.subgraph ? problem.subgraph.maxEarningsOutside(gasFreeAllocation) : 0
  if (bound && earningsOutside !== null) {
    const inputPrice = bound.tokenPrices.get(problem.source)!
    progress.curveBound = bound.curveBound + earningsOutside
    progress.hiddenBound =
      bound.hiddenBound + roundingOfTaxes(problem, problem.adjustedCurves.keys(), problem.maxPools, inputPrice)
    progress.tokenPrices = bound.tokenPrices
  }
  return gasFreeAllocation
}

/** Flow of an allocation within the limits on pools and hops; null if there is none. */
function limitedFlow(problem: Problem, allocation: Allocation): Flow | null {
  const flow = flowOf(problem, allocation)
  return flow && withinLimits(problem, allocation, flow)
}
