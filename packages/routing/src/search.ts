/** The steps of a search, from several starts where gas makes the problem non-convex. */
import { addAlternatives, generateColumns } from './columns/columns.ts'
import { Frontier } from './columns/frontier.ts'
import { bestSinglePath, onCurves } from './columns/single-path.ts'
import { upperBound } from './columns/upper-bound.ts'
import { gainsInCycle, inOrderOf, type OpenAllocation, openCycles, orderOf } from './integrate/cycles.ts'
import { shortenChains } from './integrate/direct.ts'
import { extend, joinPaths } from './integrate/few-pools.ts'
import { withinLimits } from './integrate/limits.ts'
import { fromNarrower } from './integrate/narrower.ts'
import { polish } from './integrate/polish.ts'
import { bestOf, isCertified, isFarBelow, isInDoubt, isWorthless, mayImprove, mayPayFor } from './integrate/promise.ts'
import { isLongAgain, prune, pruneByTrial } from './integrate/pruning.ts'
import { rivalsOf } from './integrate/rivals.ts'
import { netBound } from './net-bound/net-bound.ts'
import { distancesFrom, type Potential, potential, wayTo } from './problem/potentials.ts'
import { isFree, type Problem } from './problem/problem.ts'
import { Allocation, allocationOver } from './solver/allocation.ts'
import { solve } from './solver/dual-solver.ts'
import { alongPath, type Flow, flowOf } from './solver/flow.ts'
import {
  COARSE_ROUNDS,
  COLUMN_ROUNDS,
  DOUBTED_EDGES,
  FEW_POOLS,
  GOOD_ENOUGH,
  IMPROVING_PART,
  MOST_COMBINED,
  MUCH_WORSE,
  NARROW_MOST,
  NARROW_WORK,
  ORDERS,
  TIGHT,
} from './tolerances.ts'

export type Found = {
  readonly flow: Flow
  /** The best before narrower problems were searched, where that is another: for when a pool refuses its part of `flow`. */
  readonly instead?: Flow
  /**
   * Output base units that no route can exceed, gas aside; null where none is known, or where what running in cycles would
   * earn makes it say nothing.
   */
  readonly bound: number | null
  /** Part of the bound by which pools may pay more than their curves. */
  readonly beyondCurves: number
  /** The same after the cost of legs; undefined where it was not sought. */
  readonly netBound: number | null | undefined
  /** Spot rates to the target, by which it was sought: bounds on all that the pools left then pay. */
  readonly backward: Potential
  /** Other routes that may be the best by the gas that they are charged, the best first; where the problem asks for them. */
  readonly rivals: readonly Flow[]
}

/**
 * The best that the budget allows for: at least the best path, where that much was left.
 *
 * @param known - bound on the output of a problem that admits at least as much; null when none is known
 */
export function search(problem: Problem, known: Pick<Found, 'bound' | 'beyondCurves'> | null = null): Found | null {
  const { source, target } = problem
  const backward = potential(problem, target, 'to')
  // Not even at the rates of the first unit would it buy one.
  if (!(backward.best[source]! * problem.amountIn >= 1)) return null
  const free = isFree(problem)
  const first = wayTo(problem, backward, source, target)
  const single =
    (free && !problem.onePath && first) || bestSinglePath(problem, backward) || beginning(problem, backward)
  if (!single) return null
  if (problem.anyRoute && !problem.onePath) {
    const flow = bestOf(problem, [allocateOnce(problem, single, backward, COLUMN_ROUNDS), alongPath(problem, single)])
    return flow ? { flow, bound: null, beyondCurves: 0, netBound: undefined, backward, rivals: [] } : null
  }
  const { rest } = problem.budget
  const beyondCurves = known?.beyondCurves ?? 0
  const knownBound = known && known.bound !== null ? known.bound - beyondCurves : null
  const progress: Progress = { flows: [], known: new Set(), bound: knownBound, beyondCurves, best: undefined }
  if (!problem.onePath) {
    const improve = () => allocations(problem, { backward, first, single }, progress)
    problem.budget.attempt(IMPROVING_PART, improve, () => {})
    const coarse = () => allocateOnce(problem, single, backward, COARSE_ROUNDS)
    if (!bestOf(problem, progress.flows))
      progress.flows.push(problem.budget.attempt(IMPROVING_PART, coarse, () => null))
  }
  const found = progress.best ?? bestOf(problem, [...progress.flows, alongPath(problem, single)])
  if (!found) return null
  const { bound } = progress
  const sureBound = bound === null ? null : bound + progress.beyondCurves
  const spent = rest - problem.budget.rest
  const isSmall = problem.rate.length <= DOUBTED_EDGES
  const isDoubted = !problem.onePath && isInDoubt(found, bound, isSmall ? 0 : undefined)
  const isBoundedFirst = isDoubted && !free && isSmall
  const most = isBoundedFirst ? netBound(problem, found, sureBound, backward) : undefined
  const isNetLoose = most !== undefined && (most === null || isWorthless(found.net, most))
  const narrow = () => narrowed(problem, found, { backward, first, single }, progress, { spent, isNetLoose })
  const flow = isDoubted && !isCertified(found, most) ? problem.budget.attempt(1 / 2, narrow, () => found) : found
  const cyclic = () => gainsInCycle(problem)
  const worthless = isWorthless(flow.amountOut, bound) && problem.budget.attempt(1 / 2, cyclic, () => true)
  return {
    flow,
    ...(flow !== found && { instead: found }),
    bound: worthless ? null : sureBound,
    beyondCurves: progress.beyondCurves,
    netBound: most !== undefined && (worthless || bound === null) && isWorthless(flow.net, most) ? null : most,
    backward,
    rivals: rivalsOf(problem, flow, progress.flows, { backward, single }),
  }
}

/** A path for an allocation to begin with when no path takes the whole amount; null when it may not be divided. */
function beginning(problem: Problem, backward: Potential): readonly number[] | null {
  return problem.onePath ? null : bestSinglePath(problem, backward, onCurves(problem, 'a part'))
}

/** The best from narrower starts as well, for about as much work as was spent; not where that was much. */
function narrowed(
  problem: Problem,
  best: Flow,
  paths: Paths,
  progress: Progress,
  { spent, isNetLoose }: { readonly spent: number; readonly isNetLoose: boolean },
): Flow {
  const { backward } = paths
  const { source, target } = problem
  const { known } = progress
  // Where an arbitrage lifts the bound, or there is none, more is at stake.
  const isLoose = isNetLoose || progress.bound === null || isWorthless(best.amountOut, progress.bound)
  if (spent > NARROW_MOST && !isLoose) return best
  const allocate = (narrow: Problem): Flow | null => {
    const labels = potential(narrow, target, 'to')
    const single = bestSinglePath(narrow, labels) ?? beginning(narrow, labels)
    if (!single) return null
    const own: Progress = {
      flows: [],
      known,
      bound: progress.bound,
      beyondCurves: progress.beyondCurves,
      best: undefined,
    }
    allocations(narrow, { backward: labels, first: wayTo(narrow, labels, source, target), single }, own)
    return own.best ?? null
  }
  const work = isLoose ? NARROW_MOST : Math.max(NARROW_WORK, spent)
  const flow = fromNarrower(problem, best, {
    known,
    values: backward.best,
    allocate,
    disagrees: isLoose,
    work,
  })
  return flow === best || isFree(problem) ? flow : prunedAgain(problem, flow, backward)
}

/** A route without the pools that no longer earn their gas since others joined it. */
function prunedAgain(problem: Problem, flow: Flow, backward: Potential): Flow {
  if (flow.edges.length > MOST_COMBINED) return flow
  const allocation = allocationOver(problem, flow.edges, backward)
  solve(allocation, TIGHT)
  return bestOf(problem, [flow, pruneByTrial(problem, allocation)])!
}

/** Routes found so far, for whoever looks further. */
type Progress = {
  readonly flows: (Flow | null)[]
  /** Edges that an allocation was made over. */
  readonly known: Set<number>
  /** Bound by the curves of pools, which what is still worth trying depends on, and the most that pools pay beyond those. */
  bound: number | null
  beyondCurves: number
  best: Flow | undefined
}

type Paths = {
  readonly backward: Potential
  /** Best at spot rates, and best after gas. */
  readonly first: readonly number[] | null
  readonly single: readonly number[]
}

/** Divides the trade in all the ways that are worth it. */
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
  // What no route pays, none of a narrower problem does.
  const gross = progress.bound === null ? certify(problem, opening, frontier, progress) : opening
  const { bound } = progress
  const allocate = (open: Problem, edges: readonly number[]): OpenAllocation => {
    const allocation = allocationOver(open, edges, backward)
    generateColumns(open, allocation, open === problem ? frontier : around(open))
    return openCycles({ open, allocation }, around)
  }
  const reduce = ({ open, allocation }: OpenAllocation, idle: 'drop' | 'keep' = 'drop') =>
    free ? limited(open, allocation) : prune(open, allocation, idle)

  const tangled = opening.checkpoint()
  const opened = openCycles({ open: problem, allocation: opening }, around)
  const cyclic = opened.open !== problem
  const { flows } = progress
  for (const edge of opening.edges) progress.known.add(edge)
  const usedFirst = edgesInUse(opened.allocation)
  flows.push(reduce(opened))
  if (mayImprove(problem, flows, bound, backward)) flows.push(alongPath(problem, single))
  let { open } = opened
  if (cyclic) {
    opening.restore(tangled)
    solve(opening, TIGHT)
    flows.push(reduce({ open: problem, allocation: opening }), reduce(allocate(open, single)))
    open = turnAround(problem, flows, (ordered, { edges }) => reduce(allocate(ordered, edges)))
  }
  if (!free && mayImprove(open, flows, bound, backward)) {
    // The fixed costs make the problem non-convex: other starts end in other places.
    const soFar = bestOf(problem, flows)
    const isTrusted = soFar && !isInDoubt(soFar, bound)
    const second = isTrusted || initial.size === single.length ? [] : [allocate(problem, single)]
    for (const fresh of second) if (!isLongAgain(edgesInUse(fresh.allocation), usedFirst)) flows.push(reduce(fresh))
    const inUse = flows.flatMap((flow) => flow?.edges ?? [])
    const others = second.flatMap(({ allocation }) => allocation.edges)
    const repaired = allocate(open, [...inUse, ...opening.edges, ...others])
    addAlternatives(repaired.open, repaired.allocation)
    flows.push(reduce(repaired, 'keep'))
    // What pays without gas may pay with it, though no single column of it did: two legs more at least.
    if (!cyclic && isFarBelow(open, flows, bound) && mayPayFor(2, problem, bestOf(problem, flows), bound)) {
      const whole = new Allocation(open)
      whole.restore(gross.checkpoint())
      whole.evaluate()
      flows.push(reduce(openCycles({ open, allocation: whole }, around)))
    }
  }
  let best = bestOf(problem, flows)
  if (!best) {
    progress.best = bestOf(problem, otherShapes(problem, [], progress, paths))
    return
  }
  progress.best = best
  if (!free) progress.best = best = shortenChains(problem, best)
  // Where money runs in cycles the bound is beyond reach, and says nothing of what a route lacks.
  const mayLengthen = free ? isFarBelow(problem, [best], bound) : mayPayFor(1, problem, best, bound)
  if (!cyclic && mayLengthen && mayImprove(problem, [best], bound, backward)) {
    const inUse = gross.edges.filter((_, k) => gross.input[k]! > 0)
    const longer = extend(problem, best, [...inUse, ...best.edges, ...single], backward.best)
    if (longer !== best)
      progress.best = best = free ? longer : shortenChains(problem, prunedAgain(problem, longer, backward))
  }
  if (!free && mayImprove(open, [best], bound, backward)) {
    const mixed = bestOf(problem, [best, combined(open, flows, best, backward)])!
    if (mixed !== best) progress.best = best = shortenChains(problem, mixed)
  }
  const others = otherShapes(problem, [best], progress, paths)
  flows.push(best, ...others)
  progress.best = polish(problem, bestOf(problem, [best, ...others])!)
}

const edgesInUse = ({ edges, input }: Allocation): readonly number[] => edges.filter((_, k) => input[k]! > 0)

/**
 * The route of one allocation over the pools that so many rounds bring: what is left to do where all else was too much work.
 */
function allocateOnce(problem: Problem, single: readonly number[], backward: Potential, rounds: number): Flow | null {
  const allocation = allocationOver(problem, single, backward)
  const frontier = new Frontier(problem, backward, distancesFrom(problem, problem.source))
  generateColumns(problem, allocation, frontier, rounds)
  return isFree(problem) ? limited(problem, allocation) : prune(problem, allocation, 'drop')
}

/**
 * Routes of other shapes, where limits, fixed costs or cycles may have kept an allocation from being the best: the best
 * path, and joined ones.
 */
function otherShapes(
  problem: Problem,
  found: readonly (Flow | null)[],
  { bound, known }: Progress,
  { backward, single }: Paths,
): readonly (Flow | null)[] {
  if (!mayImprove(problem, found, bound, backward)) return []
  const path = isFree(problem) ? bestSinglePath(problem, backward) : single
  const alone = path && alongPath(problem, path)
  if (problem.maxPools > FEW_POOLS) return [alone]
  return [alone, joinPaths(problem, [...known, ...(path ?? [])], backward.best)]
}

/**
 * Which edge of a cycle has to go is a guess: the trade is divided again in the order of the best route so far, as long as
 * that makes a better one. Returns the problem in that order.
 */
function turnAround(
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
    if (!((bestOf(problem, flows)?.net ?? 0) > best.net * (1 + GOOD_ENOUGH))) break
  }
  return ordered
}

/** Routes have parts that the best of them lacks: all are divided over once more. Null where there are none, or too many. */
function combined(problem: Problem, flows: readonly (Flow | null)[], best: Flow, backward: Potential): Flow | null {
  const good = flows.filter((flow) => flow !== null && flow.net > best.net * (1 - MUCH_WORSE))
  const edges = new Set([...good, best].flatMap((flow) => flow!.edges))
  if (edges.size > MOST_COMBINED || edges.size === best.edges.length) return null
  const allocation = allocationOver(problem, [...edges], backward)
  solve(allocation, TIGHT)
  return pruneByTrial(problem, allocation)
}

/** Bounds all routes. @returns the allocation without gas behind the bound: gas keeps edges out that its prices need */
function certify(problem: Problem, allocation: Allocation, frontier: Frontier, progress: Progress): Allocation {
  const free = isFree(problem) ? problem : { ...problem, perGas: 0, perLeg: 0 }
  let gross = allocation
  if (free !== problem) {
    gross = new Allocation(free)
    gross.restore(allocation.checkpoint())
    generateColumns(free, gross, frontier)
  }
  const bound = upperBound(free, gross, frontier)
  const beyond = bound && problem.excerpt ? problem.excerpt.earnedBeyond(gross) : 0
  if (bound && beyond !== null) {
    progress.bound = bound.onCurves + beyond
    progress.beyondCurves = bound.beyondCurves
  }
  return gross
}

function limited(problem: Problem, allocation: Allocation): Flow | null {
  const flow = flowOf(problem, allocation)
  return flow && withinLimits(problem, allocation, flow)
}
