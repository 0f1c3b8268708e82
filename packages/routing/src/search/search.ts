/** The steps of a search, from several starts where gas makes the problem non-convex. */

import { upperBound } from './certificate.ts'
import { type Division, gainsInCircle, inOrderOf, openCircles } from './circles.ts'
import { addAlternatives, generateColumns } from './columns.ts'
import { shortenChains } from './direct.ts'
import { FEW_POOLS, joinPaths } from './few-pools.ts'
import { type Flow, flowOf, pushThrough } from './flow.ts'
import { Frontier } from './frontier.ts'
import { withinLimits } from './limits.ts'
import { polish } from './polish.ts'
import { distancesFrom, type Potential, potential, wayTo } from './potentials.ts'
import { isFree, leastLegCost, type Problem } from './problem.ts'
import { prune, pruneByTrial } from './pruning.ts'
import { bestSinglePath } from './single-path.ts'
import { TIGHT, WaterFilling } from './water-filling.ts'

/** No more is looked for within this part of what is possible. */
const GOOD_ENOUGH = 1e-6
/** A bound that an arbitrage lifts by more than this part says nothing of the route. */
const WORTHLESS = 1e-3
/** Routes that are worse by more than this part are not combined with the best, */
const MUCH_WORSE = 2e-3
/** nor those of more pools together. */
const MOST_COMBINED = 24
/** Orders that are tried where pools disagree on a price. */
const MAX_TURNS = 4

export type Found = {
  readonly flow: Flow
  /**
   * Output base units that no route can exceed, gas aside; null where none is known, or where what running in circles would
   * earn makes it say nothing.
   */
  readonly bound: number | null
}

/** The part of a budget that improving on the best path may take. */
const IMPROVING_PART = 2 / 3

/** Rounds in which pools join where all of them would be too many: with each there are about three times as many tokens. */
const COARSE_ROUNDS = 3

/** The best that the budget allows for: at least the best path, where that much was left. */
export function search(problem: Problem): Found | null {
  const { source, target } = problem
  const backward = potential(problem, target, 'to')
  // Not even at the rates of the first unit would it buy one.
  if (!(backward.best[source]! * problem.amountIn >= 1)) return null
  const free = isFree(problem)
  const first = wayTo(problem, backward, source, target)
  const single = free && first && !problem.onePath ? first : bestSinglePath(problem, backward)
  if (!single) return null
  const progress: Progress = { flows: [], known: new Set(), bound: null, best: undefined }
  if (!problem.onePath) {
    const improve = () => divided(problem, { backward, first, single }, progress)
    problem.budget.attempt(IMPROVING_PART, improve, () => {})
    const coarse = () => dividedCoarsely(problem, single, backward)
    if (!bestOf(problem, progress.flows))
      progress.flows.push(problem.budget.attempt(IMPROVING_PART, coarse, () => null))
  }
  const flow = progress.best ?? bestOf(problem, [...progress.flows, alongPath(problem, single)])
  if (!flow) return null
  const { bound } = progress
  const suspect = bound !== null && bound > flow.amountOut * (1 + WORTHLESS)
  const worthless =
    suspect &&
    problem.budget.attempt(
      1 / 2,
      () => gainsInCircle(problem),
      () => true,
    )
  return { flow, bound: worthless ? null : bound }
}

/** What has been found, by whoever looks further. */
type Progress = {
  readonly flows: (Flow | null)[]
  /** Edges that a division was made over. */
  readonly known: Set<number>
  bound: number | null
  best: Flow | undefined
}

type Paths = {
  readonly backward: Potential
  /** Best at spot rates, and best after gas. */
  readonly first: readonly number[] | null
  readonly single: readonly number[]
}

/** Divides the trade in all the ways that are worth it. */
function divided(problem: Problem, paths: Paths, progress: Progress): void {
  const { backward, first, single } = paths
  const { source } = problem
  const free = isFree(problem)
  const around = (open: Problem) => new Frontier(open, backward, distances)
  const distances = distancesFrom(problem, source)
  const frontier = around(problem)
  const opening = start(problem, free || !first ? single : [...first, ...single], backward)
  generateColumns(problem, opening, frontier)
  const bound = certify(problem, opening, frontier)
  progress.bound = bound
  const divide = (open: Problem, edges: readonly number[]): Division => {
    const filling = start(open, edges, backward)
    generateColumns(open, filling, open === problem ? frontier : around(open))
    return openCircles({ open, filling }, around)
  }
  const reduce = ({ open, filling }: Division, idle: 'drop' | 'keep' = 'drop') =>
    free ? limited(open, filling) : prune(open, filling, idle)

  const tangled = opening.checkpoint()
  const opened = openCircles({ open: problem, filling: opening }, around)
  const circular = opened.open !== problem
  const { flows, known } = progress
  for (const edge of opening.edges) known.add(edge)
  flows.push(reduce(opened))
  if (mayImprove(problem, flows, bound, backward)) flows.push(alongPath(problem, single))
  let { open } = opened
  if (circular) {
    opening.restore(tangled)
    opening.solve(TIGHT)
    flows.push(reduce({ open: problem, filling: opening }), reduce(divide(open, single)))
    open = turnAround(problem, flows, (ordered, { edges }) => reduce(divide(ordered, edges)))
  }
  if (!free && mayImprove(open, flows, bound, backward)) {
    // The fixed costs make the problem non-convex: other starts end in other places.
    const fresh = divide(problem, single)
    flows.push(reduce(fresh))
    const inUse = flows.flatMap((flow) => flow?.edges ?? [])
    const repaired = divide(open, [...inUse, ...opening.edges, ...fresh.filling.edges])
    addAlternatives(repaired.open, repaired.filling)
    flows.push(reduce(repaired, 'keep'))
  }
  let best = bestOf(problem, flows)
  if (!best) {
    progress.best = bestOf(problem, otherShapes(problem, [], progress, paths))
    return
  }
  progress.best = best
  if (!free) {
    progress.best = best = shortenChains(problem, best)
    if (mayImprove(open, [best], bound, backward)) {
      const mixed = bestOf(problem, [best, combined(open, flows, best, backward)])!
      if (mixed !== best) progress.best = best = shortenChains(problem, mixed)
    }
  }
  const others = otherShapes(problem, [best], progress, paths)
  progress.best = polish(problem, bestOf(problem, [best, ...others])!)
}

/** Over the pools that the first rounds bring: what is left to do where dividing over all that pay was too much work. */
function dividedCoarsely(problem: Problem, single: readonly number[], backward: Potential): Flow | null {
  const filling = start(problem, single, backward)
  const frontier = new Frontier(problem, backward, distancesFrom(problem, problem.source))
  generateColumns(problem, filling, frontier, COARSE_ROUNDS)
  return isFree(problem) ? limited(problem, filling) : prune(problem, filling, 'drop')
}

/** Where limits, fixed costs or circles may have kept a division from being the best: the best path, and joined ones. */
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

function alongPath(problem: Problem, path: readonly number[]): Flow | null {
  return pushThrough(
    problem,
    path,
    path.map(() => 1),
  )
}

/**
 * Which edge of a circle has to go is a guess: the trade is divided again in the order of the best route so far, as long as
 * that makes a better one. Returns the problem in that order.
 */
function turnAround(
  problem: Problem,
  flows: (Flow | null)[],
  divided: (ordered: Problem, best: Flow) => Flow | null,
): Problem {
  let ordered = problem
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const best = bestOf(problem, flows)
    if (!best) break
    ordered = inOrderOf(problem, best)
    flows.push(divided(ordered, best))
    if (!((bestOf(problem, flows)?.net ?? 0) > best.net * (1 + GOOD_ENOUGH))) break
  }
  return ordered
}

/** Routes have parts that the best of them lacks: all are divided over once more. Null where there are none, or too many. */
function combined(problem: Problem, flows: readonly (Flow | null)[], best: Flow, backward: Potential): Flow | null {
  const good = flows.filter((flow) => flow !== null && flow.net > best.net * (1 - MUCH_WORSE))
  const edges = new Set([...good, best].flatMap((flow) => flow!.edges))
  if (edges.size > MOST_COMBINED || edges.size === best.edges.length) return null
  const filling = start(problem, [...edges], backward)
  filling.solve(TIGHT)
  return pruneByTrial(problem, filling)
}

function bestOf(problem: Problem, flows: readonly (Flow | null)[]): Flow | undefined {
  return flows.filter((flow): flow is Flow => flow !== null && fits(problem, flow)).sort((a, b) => b.net - a.net)[0]
}

/** Whether a route may still be better by what matters: none pays more than the bound less the cost of its fewest legs. */
function mayImprove(
  problem: Problem,
  flows: readonly (Flow | null)[],
  bound: number | null,
  { hops }: Potential,
): boolean {
  const best = bestOf(problem, flows)
  if (bound === null || !best || best.cut) return true
  return best.net < (bound - hops[problem.source]! * leastLegCost(problem)) * (1 - GOOD_ENOUGH)
}

/** The bound knows no gas, but gas keeps edges out that its prices need: they join in a division of their own. */
function certify(problem: Problem, filling: WaterFilling, frontier: Frontier): number | null {
  if (isFree(problem)) return upperBound(problem, filling, frontier)
  const free = { ...problem, perGas: 0, perLeg: 0 }
  const gross = new WaterFilling(free)
  gross.restore(filling.checkpoint())
  generateColumns(free, gross, frontier)
  return upperBound(free, gross, frontier)
}

function start(problem: Problem, edges: readonly number[], backward: Potential): WaterFilling {
  const { from, to } = problem.graph.topology
  const filling = new WaterFilling(problem)
  // Both ends: what is put together of several divisions may lack the edges out of a token.
  for (const edge of edges)
    for (const token of [from[edge]!, to[edge]!]) filling.addToken(token, Math.log(backward.best[token]!))
  for (const edge of edges) filling.addEdge(edge)
  return filling
}

function limited(problem: Problem, filling: WaterFilling): Flow | null {
  const flow = flowOf(problem, filling)
  return flow && withinLimits(problem, filling, flow)
}

function fits({ maxPools, maxHops }: Problem, flow: Flow): boolean {
  return flow.edges.length <= maxPools && flow.hops <= maxHops && flow.amountOut > 0
}
