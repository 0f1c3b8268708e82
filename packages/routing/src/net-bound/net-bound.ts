/**
 * Upper bound on the net output (after gas) of any route. The gas of a pool is a fixed cost, so the best route solves a
 * mixed-integer problem. Its Lagrangian relaxation gives a bound at any token prices. The bound is the value of the
 * input, plus each pool's earnings in excess of its cost, less the cheapest path's unearned cost. The unearned cost of
 * an edge (a pool in one direction) is its cost less its earnings, at least 0. The cheapest path is the one from the
 * source to the target with the lowest total of unearned costs; every route contains a path. If the bound is not tight,
 * the edges that no better route uses are removed (see `reduction.ts`). If it is still not tight, the routes that use
 * some edge and the routes that avoid it are bounded separately. The higher of the two bounds holds for all routes
 * (branch and bound).
 */

import { NO_PRICES, type TokenPrices } from '../columns/upper-bound.ts'
import { WorkBudget } from '../problem/budget.ts'
import type { SpotRates } from '../problem/potentials.ts'
import { legBaseCost, minLegCost, type Problem } from '../problem/problem.ts'
import { roundingOfTaxes } from '../problem/rounding.ts'
import type { Flow } from '../solver/flow.ts'
import { FLOAT_ERROR } from '../tolerances.ts'
import { reduceTo, type TokenRates } from './reduction.ts'
import { Relaxation, type RelaxedBound } from './relaxation.ts'
import { edgesOnShortPaths, type ShortestPath, shortestPath } from './shortest-path.ts'
import {
  FIRST_RELAXATION_WORK_SHARE,
  MAX_REDUCED_SHARE,
  MAX_RELAXATIONS,
  MIN_NET_BOUND_WORK,
  MIN_REDUCIBLE_EDGES,
  NET_BOUND_MAX_WORK,
  NET_BOUND_WORK_PER_EDGE,
  TIGHT_NET_BOUND_GAP,
} from './tolerances.ts'

/** A set of routes: those that use all required edges and no excluded edge. */
type Branch = {
  readonly requiredEdges: ReadonlySet<number>
  readonly excludedEdges: ReadonlySet<number>
  /**
   * Edges that trade on their price curves in the relaxation, not on envelopes (see `envelope.ts`). Null if a
   * relaxation must be solved for the branch before it can be divided.
   */
  readonly wholeEdges: ReadonlySet<number> | null
  /** Solved relaxation at whose prices the branch is bounded. */
  readonly relaxed: RelaxedBound
  /** True if `relaxed` was solved for this branch, not for its parent. */
  readonly hasOwnRelaxation: boolean
  /** Upper bound on the net output of the routes in the branch. */
  readonly bound: number
  /** Path with the lowest total of unearned costs. */
  readonly shortestPath: ShortestPath
}

/**
 * Computes an upper bound on the net output of any route, in output base units as a float. Null for single-path
 * requests, and if the net output of the flow is not above 0. Also null if the work runs out before the first
 * relaxation is solved.
 *
 * @param beforeGas - upper bound without gas, null if unknown, and the prices at which it was computed
 */
export function netBound(
  problem: Problem,
  { edges, net }: Pick<Flow, 'edges' | 'net'>,
  { bound: boundBeforeGas, tokenPrices }: { readonly bound: number | null; readonly tokenPrices: TokenPrices },
  spotRates: SpotRates,
): number | null {
  const { budget, isSinglePath, source, subgraph } = problem
  if (isSinglePath || !(net > 0)) return null
  // Every route has at least `minHops` legs.
  const minHops = subgraph?.minHops ?? spotRates.hops[source]!
  const simpleBound =
    boundBeforeGas === null ? Number.POSITIVE_INFINITY : boundBeforeGas - minHops * minLegCost(problem)
  // A relaxation sees only the subgraph. Routes through other pools may have fewer legs, so only the simple bound
  // holds.
  if (subgraph) return boundBeforeGas === null ? null : simpleBound
  if (net >= simpleBound * (1 - TIGHT_NET_BOUND_GAP)) return simpleBound
  // The work limit depends on the size of the graph, not on earlier work, so that requests with and without
  // alternatives get the same bound.
  const graphWork = NET_BOUND_WORK_PER_EDGE * problem.rate.length
  const separateBudget = new WorkBudget(
    Math.min(budget.remaining / 2, Math.max(MIN_NET_BOUND_WORK, Math.min(NET_BOUND_MAX_WORK, graphWork))),
  )
  const { remaining } = separateBudget
  const relaxedBound = problem.graph.topology.scratch.within(() =>
    new BranchAndBound({ ...problem, budget: separateBudget }, spotRates, { edges, net }).run(tokenPrices),
  )
  budget.spend(remaining - separateBudget.remaining)
  if (relaxedBound === null) return null
  const rounding = roundingOfTaxes(problem, problem.adjustedCurves.keys(), problem.maxPools, spotRates.maxRate[source]!)
  return Math.min(relaxedBound * (1 + FLOAT_ERROR) + rounding, simpleBound)
}

const NO_EDGES: ReadonlySet<number> = new Set()
/** Maximum rounds of branching and relaxing. */
const MAX_ROUNDS = 200

class BranchAndBound {
  private readonly problem: Problem
  private readonly tokenRates: TokenRates
  private readonly relaxation: Relaxation
  /** Net output of the flow that was found. No bound can be below it. */
  private readonly net: number
  /** Bound that is tight enough: slightly above `net`. */
  private readonly sufficientBound: number
  private readonly routeEdges: ReadonlySet<number>
  /** Number of edges that may be used. A reduced graph also has others, such as the reverse edges. */
  private readonly usableEdges: number
  private relaxationCount = 0

  constructor(problem: Problem, tokenRates: TokenRates, { edges, net }: Pick<Flow, 'edges' | 'net'>) {
    this.problem = problem
    this.tokenRates = tokenRates
    this.net = net
    this.sufficientBound = net * (1 + TIGHT_NET_BOUND_GAP)
    this.routeEdges = new Set(edges)
    this.usableEdges = problem.rate.reduce((count, rate) => (rate > 0 ? count + 1 : count), 0)
    this.relaxation = new Relaxation(problem, tokenRates)
  }

  /**
   * Returns the bound on all routes; null if the work runs out before a bound is found.
   *
   * @param tokenPrices - prices at which the bound before gas is tight; empty if unknown
   * @param maxBound - a known bound
   */
  run(tokenPrices: TokenPrices, maxBound = Number.POSITIVE_INFINITY): number | null {
    const findRoots = [
      () =>
        tokenPrices.size > 0 && this.mayReduce ? this.rootAt(this.relaxation.evaluateAt(tokenPrices), null) : null,
      () => this.rootAt(this.relaxRoot(), this.routeEdges),
    ]
    let root: Branch | null = null
    let bound = maxBound
    for (const findRoot of findRoots) {
      const nextRoot = this.problem.budget.attempt(1, findRoot, () => null)
      if (!nextRoot) continue
      bound = Math.min(bound, nextRoot.bound)
      if (bound <= this.sufficientBound) return Math.max(bound, this.net)
      const reducedBound = this.boundBetterRoutes(nextRoot, bound)
      if (reducedBound !== null) return Math.max(reducedBound, this.net)
      root = { ...nextRoot, bound }
    }
    return root && this.tighten(root)
  }

  private rootAt(relaxed: RelaxedBound | null, wholeEdges: ReadonlySet<number> | null): Branch | null {
    return relaxed && this.boundBranch(NO_EDGES, NO_EDGES, relaxed, wholeEdges)
  }

  /** Solves the relaxation of all routes. */
  private relaxRoot(): RelaxedBound | null {
    const relax = () => this.relaxation.solve(this.routeEdges, NO_EDGES, null, this.sufficientBound)
    return this.problem.budget.within(FIRST_RELAXATION_WORK_SHARE, relax)
  }

  private get mayReduce(): boolean {
    return this.usableEdges > MIN_REDUCIBLE_EDGES
  }

  /**
   * Bounds the routes that may be better than the known one, on a graph that contains only their edges. Null if too
   * many edges are left, or if the work runs out. The length of a path is the total unearned cost of its edges. At the
   * prices of the root, a route pays at most B + S − P. B is the bound of the root, S is the length of the shortest
   * path, and P is the length of any path that the route contains.
   *
   * @param maxBound - a known bound, which may be lower than the root's
   */
  private boundBetterRoutes(root: Branch, maxBound: number): number | null {
    const { problem, net, tokenRates, routeEdges } = this
    if (!this.mayReduce) return null
    const boundBetter = (): number | null => {
      const maxLength = root.bound + root.shortestPath.length - net
      const edges = edgesOnShortPaths(problem, (edge) => this.unearnedCost(root.relaxed, edge), maxLength)
      if (edges.length > this.usableEdges * MAX_REDUCED_SHARE) return null
      if (edges.length === 0) return net
      const reduced = reduceTo(problem, edges, tokenRates, [...routeEdges])
      return reduced.problem.graph.topology.scratch.within(() =>
        new BranchAndBound(reduced.problem, reduced.tokenRates, { edges: reduced.routeEdges, net }).run(
          NO_PRICES,
          maxBound,
        ),
      )
    }
    return problem.budget.attempt(1, boundBetter, () => null)
  }

  /** Cost of an edge less its earnings at the prices of a relaxation, in output base units; at least 0. */
  private unearnedCost({ boundAtPrices: { earnerByEdge } }: RelaxedBound, edge: number): number {
    const earner = earnerByEdge.get(edge)
    return earner ? Math.max(0, earner.cost - earner.earnings) : legBaseCost(this.problem, edge)
  }

  /** Lowers the bound of all routes by dividing branches. */
  private tighten(root: Branch): number {
    const { budget } = this.problem
    const openBranches = [root]
    // Highest bound of the branches that cannot be improved; at least `net`, which no bound can be below.
    let closedBound = this.net
    // Each round divides the branch with the highest bound, or solves a relaxation for it.
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const worstBranch = openBranches.reduce((a, b) => (b.bound > a.bound ? b : a), openBranches[0]!)
      if (!worstBranch || worstBranch.bound <= Math.max(this.sufficientBound, closedBound)) break
      const improve = () => (worstBranch.wholeEdges && this.divide(worstBranch)) ?? this.solveAgain(worstBranch)
      const newBranches = budget.attempt(1, improve, () => null)
      if (budget.remaining === 0) break
      // A branch that cannot be divided further keeps its bound.
      if (!newBranches) closedBound = Math.max(closedBound, worstBranch.bound)
      openBranches.splice(openBranches.indexOf(worstBranch), 1, ...(newBranches ?? []))
    }
    return openBranches.reduce((max, { bound }) => Math.max(max, bound), closedBound)
  }

  /** Bounds a branch at the prices of a relaxation; null if the branch contains no route. */
  private boundBranch(
    requiredEdges: ReadonlySet<number>,
    excludedEdges: ReadonlySet<number>,
    relaxed: RelaxedBound,
    wholeEdges: ReadonlySet<number> | null,
  ): Branch | null {
    const { problem } = this
    const { inputValue, earners, earnerByEdge } = relaxed.boundAtPrices
    let bound = inputValue
    for (const { edges, earnings, cost } of earners) {
      if (edges.length === 1 && excludedEdges.has(edges[0]!)) continue
      const requiredCost = edges.reduce(
        (sum, edge) => (requiredEdges.has(edge) ? sum + legBaseCost(problem, edge) : sum),
        0,
      )
      bound += requiredCost > 0 ? earnings - Math.max(requiredCost, cost) : Math.max(0, earnings - cost)
    }
    for (const edge of requiredEdges) if (!earnerByEdge.has(edge)) bound -= legBaseCost(problem, edge)
    const path = shortestPath(problem, this.tokenRates, (edge) => {
      if (excludedEdges.has(edge)) return Number.POSITIVE_INFINITY
      return requiredEdges.has(edge) ? 0 : this.unearnedCost(relaxed, edge)
    })
    return (
      path && {
        requiredEdges,
        excludedEdges,
        relaxed,
        wholeEdges,
        hasOwnRelaxation: false,
        bound: bound - path.length,
        shortestPath: path,
      }
    )
  }

  /** Solves a relaxation for the branch itself; null if it has one already, or if no relaxation is found. */
  private solveAgain(branch: Branch): readonly Branch[] | null {
    if (branch.hasOwnRelaxation || this.relaxationCount++ >= MAX_RELAXATIONS) return null
    const wholeEdges = new Set([...branch.requiredEdges, ...branch.shortestPath.edges])
    const relaxed = this.relaxation.solve(
      wholeEdges,
      branch.excludedEdges,
      branch.relaxed.boundAtPrices,
      this.sufficientBound,
    )
    if (!relaxed) return null
    const ownBranch = this.boundBranch(branch.requiredEdges, branch.excludedEdges, relaxed, wholeEdges)!
    return [{ ...ownBranch, hasOwnRelaxation: true, bound: Math.min(ownBranch.bound, branch.bound) }]
  }

  /**
   * Divides the branch into the routes that use an edge and those that avoid it; null if no edge is uncertain. Chooses
   * the most uncertain edge.
   */
  private divide(branch: Branch): readonly Branch[] | null {
    const { requiredEdges, excludedEdges, relaxed, wholeEdges } = branch
    const edge = this.findUncertainEdge(branch)
    if (edge === null) return null
    // If the edge traded on its price curve, the prices also suit the routes that use it.
    const branchWithEdge = this.boundBranch(
      new Set([...requiredEdges, edge]),
      excludedEdges,
      relaxed,
      wholeEdges?.has(edge) ? wholeEdges : null,
    )
    const branchWithoutEdge = this.boundBranch(requiredEdges, new Set([...excludedEdges, edge]), relaxed, null)
    return [branchWithEdge, branchWithoutEdge].flatMap((child) =>
      child ? [{ ...child, bound: Math.min(child.bound, branch.bound) }] : [],
    )
  }

  /**
   * Finds the edge with the largest uncertainty: the difference between the edge's cost in the relaxation and in a
   * route, in output base units. Null if no edge is uncertain.
   */
  private findUncertainEdge({ requiredEdges, relaxed, wholeEdges, shortestPath }: Branch): number | null {
    const pathEdges = new Set(shortestPath.edges)
    let chosenEdge: number | null = null
    let maxUncertainty = 0
    const consider = (edge: number, uncertainty: number) => {
      if (requiredEdges.has(edge) || !(uncertainty > maxUncertainty)) return
      maxUncertainty = uncertainty
      chosenEdge = edge
    }
    for (const edge of wholeEdges!) if (!pathEdges.has(edge)) consider(edge, this.unearnedCost(relaxed, edge))
    for (const edge of pathEdges) if (!wholeEdges!.has(edge)) consider(edge, this.unearnedCost(relaxed, edge))
    for (const { edge, costFraction } of relaxed.partialCosts)
      consider(edge, Math.min(costFraction, 1 - costFraction) * legBaseCost(this.problem, edge))
    return chosenEdge
  }
}
