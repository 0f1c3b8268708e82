/**
 * Divides a trade among paths of edges (pools in one direction) without token prices. Assigns chunks of the trade, each
 * to the path that gains most, and then moves amounts between paths. This is coarser than the usual allocation by token
 * prices, and takes more work. But it also works if prices do not determine the inputs, as with very deep pools, or
 * pools whose whole liquidity is used. With gas, it also tries combinations of paths that pruning misses. Called by
 * `divisions.ts`.
 */
import { capacityOf, inputBefore, marginalRate, outputOf, piecesCrossed } from '../graph/price-curve.ts'
import { curveOf, hasNoLegCosts, legCost, type Problem } from '../problem/problem.ts'
import { type Flow, pushThrough } from '../solver/flow.ts'
import {
  DIVISION_CHUNKS,
  DIVISION_MIN_COARSE_PART,
  DIVISION_MIN_GAIN,
  DIVISION_MIN_OPENING_PART,
  DIVISION_MIN_PART,
  DIVISION_PATHS_PER_AMOUNT,
  FLOW_ROUNDING,
  MAX_DIVISION_MOVES,
  MAX_DIVISION_TARGETS,
  MAX_DIVISION_WORK,
  MAX_PATHS_OF_FLOW,
  TICK_MARGIN,
} from '../tolerances.ts'
import { enumeratePaths } from './join-paths.ts'

/**
 * Returns the best division found; null if no division sells the whole amount.
 *
 * @param flow - a flow that the division may improve; null if none is known
 * @param edges - edges of the paths that are considered
 */
export function divideAmongPaths(problem: Problem, flow: Flow | null, edges: ReadonlySet<number>): Flow | null {
  const flowPaths = flow ? pathsOfFlow(problem, flow) : []
  const division = new Division(problem, candidatePaths(problem, flowPaths, edges))
  const flows: (Flow | null)[] = []
  if (flowPaths.length > 0 && division.startAt(flowPaths.map(({ amount }) => amount)))
    flows.push(division.improve().toFlow())
  // With gas, single chunks do not earn the gas of many paths, so the paths of the flow are the better start.
  if ((flows.length === 0 || hasNoLegCosts(problem)) && division.assignChunks()) flows.push(division.improve().toFlow())
  return flows.reduce((best, candidate) => (candidate && !(best && best.net >= candidate.net) ? candidate : best), null)
}

/** Edges in series. */
type Path = readonly number[]
/** A path of a flow, with its part of the trade's input. */
type PathOfFlow = { readonly edges: Path; readonly amount: number }

/** Splits a flow into paths, each with its part of the input. Empty if there are too many paths. */
function pathsOfFlow({ graph, source, target, amountIn }: Problem, { edges, input }: Flow): readonly PathOfFlow[] {
  const { from, to } = graph.topology
  const soldByToken = new Map<number, number>()
  for (const [k, edge] of edges.entries()) soldByToken.set(from[edge]!, (soldByToken.get(from[edge]!) ?? 0) + input[k]!)
  const paths: PathOfFlow[] = []
  const follow = (token: number, path: Path, amount: number): void => {
    if (token === target) paths.push({ edges: path, amount })
    else if (paths.length <= MAX_PATHS_OF_FLOW)
      for (const [k, edge] of edges.entries())
        if (from[edge] === token) follow(to[edge]!, [...path, edge], (amount * input[k]!) / soldByToken.get(token)!)
  }
  follow(source, [], amountIn)
  return paths.length > MAX_PATHS_OF_FLOW ? [] : paths
}

/** The paths of the flow, followed by the best other paths for the whole trade and for fractions of it. At most 31. */
function candidatePaths(
  problem: Problem,
  flowPaths: readonly PathOfFlow[],
  edges: ReadonlySet<number>,
): readonly Path[] {
  const paths = enumeratePaths(problem, edges)
  const candidates = new Map(flowPaths.map((path) => [path.edges.join(), path.edges]))
  for (const net of ['netOfSmallPart', 'netOfPart', 'netOfWhole'] as const)
    for (const path of paths.toSorted((a, b) => b[net] - a[net]).slice(0, DIVISION_PATHS_PER_AMOUNT))
      candidates.set(path.edges.join(), path.edges)
  // A bit mask of 31 bits identifies a set of paths.
  return [...candidates.values()].slice(0, 31)
}

/**
 * Edges of a set of paths in topological order of their sold tokens, each with the indices of the paths that use the
 * edge.
 */
type Plan = readonly { readonly edge: number; readonly paths: readonly number[] }[]
/** Input of each path, and the net output with these inputs. */
type DivisionState = { readonly amounts: Float64Array; readonly net: number }

class Division {
  private readonly problem: Problem
  private readonly paths: readonly Path[]
  /** Input of each path, in base units. */
  private readonly amounts: Float64Array
  /** Scratch: amount on each path after the edges evaluated so far. */
  private readonly balances: Float64Array
  /**
   * Plans by the bit mask of the paths in use; null if these paths form a cycle, use a pool twice, or exceed a limit.
   */
  private readonly plans = new Map<number, Plan | null>()
  /** Net output of the amounts. */
  private net = 0
  /** Indices of the paths, sorted by the value of one more unit of input, highest first. */
  private ranking: readonly number[] = []
  /** Work units that must remain in the budget; at fewer, the moves end. */
  private readonly minRemainingWork: number

  constructor(problem: Problem, paths: readonly Path[]) {
    this.problem = problem
    this.paths = paths
    this.amounts = new Float64Array(paths.length)
    this.balances = new Float64Array(paths.length)
    this.minRemainingWork = problem.budget.remaining - MAX_DIVISION_WORK
  }

  /** Starts with some amounts. Returns false if the pools do not take them. */
  startAt(amounts: readonly number[]): boolean {
    this.amounts.fill(0)
    this.amounts.set(amounts)
    const plan = this.planOf(this.amounts)
    this.recordNet(plan ? this.netOf(plan) : Number.NEGATIVE_INFINITY)
    return this.net > Number.NEGATIVE_INFINITY
  }

  /**
   * Assigns the whole amount in chunks. If no path takes a chunk, the chunk is halved. Returns false if a part of the
   * amount remains.
   */
  assignChunks(): boolean {
    const { amountIn } = this.problem
    this.amounts.fill(0)
    this.recordNet(0)
    let size = amountIn / DIVISION_CHUNKS
    for (let remaining = amountIn; this.hasWorkLeft && size > DIVISION_MIN_COARSE_PART * amountIn; ) {
      const chunk = Math.min(size, remaining)
      const [pathIndex, net] = this.bestPathFor(chunk, [])
      if (pathIndex < 0) size = chunk / 2
      else {
        this.amounts[pathIndex]! += chunk
        this.recordNet(net)
        remaining -= chunk
        if (!(remaining > DIVISION_MIN_GAIN * amountIn)) return true
      }
    }
    return false
  }

  /**
   * Moves amounts between paths while the net output grows. With gas, also closes edges: moves the amounts of their
   * paths to other paths. The first closed edge may reduce the net output, since several edges may save gas only
   * together.
   */
  improve(): this {
    const { amountIn } = this.problem
    const moveLargeAmounts = () => {
      for (let size = amountIn / 2; size > DIVISION_MIN_COARSE_PART * amountIn; size /= 4) this.moveAmounts(size, [])
    }
    moveLargeAmounts()
    let best: DivisionState = { amounts: this.amounts.slice(), net: this.net }
    while (!hasNoLegCosts(this.problem) && this.hasWorkLeft && this.reduceEdge()) {
      moveLargeAmounts()
      if (!(this.net > best.net)) break
      best = { amounts: this.amounts.slice(), net: this.net }
    }
    this.amounts.set(best.amounts)
    this.recordNet(best.net)
    const idlePaths = [...this.amounts.keys()].filter((pathIndex) => this.amounts[pathIndex] === 0)
    for (let size = DIVISION_MIN_COARSE_PART * amountIn; size > DIVISION_MIN_PART * amountIn; size /= 4)
      this.moveAmounts(size, size > DIVISION_MIN_OPENING_PART * amountIn ? [] : idlePaths)
    return this
  }

  /** Returns the flow of the current amounts. */
  toFlow(): Flow | null {
    const plan = this.planOf(this.amounts)!
    const edges = plan.map(({ edge }) => edge)
    return pushThrough(this.problem, edges, this.inputsOf(plan))
  }

  private get hasWorkLeft(): boolean {
    return this.problem.budget.remaining > this.minRemainingWork
  }

  /** Moves amounts of at most `size` to other paths, except `closedPaths`, while the net output grows. */
  private moveAmounts(size: number, closedPaths: readonly number[]): void {
    const { amounts } = this
    for (
      let move = 0, movesWithoutGain = 0;
      move < MAX_DIVISION_MOVES && movesWithoutGain < amounts.length && this.hasWorkLeft;
      move++
    ) {
      const sourcePath = move % amounts.length
      movesWithoutGain++
      const amount = Math.min(amounts[sourcePath]!, size)
      if (amount === 0) continue
      amounts[sourcePath]! -= amount
      const [pathIndex, net] = this.bestPathFor(amount, [sourcePath, ...closedPaths])
      if (pathIndex >= 0 && net > this.net + DIVISION_MIN_GAIN * Math.abs(this.net)) {
        amounts[pathIndex]! += amount
        this.recordNet(net)
        movesWithoutGain = 0
      } else amounts[sourcePath]! += amount
    }
  }

  /**
   * Closes an edge, or stops it before the last tick that it crosses, and moves the amounts of its paths to other
   * paths. Chooses the edge with the highest net output after the move, even if that is lower than before. Returns
   * false if no edge can be reduced.
   */
  private reduceEdge(): boolean {
    const { problem, amounts } = this
    const initialAmounts = amounts.slice()
    const plan = this.planOf(amounts)!
    const inputs = this.inputsOf(plan)
    const states: DivisionState[] = []
    for (const [k, { edge, paths }] of plan.entries()) {
      const curve = curveOf(problem, edge)
      const crossedPieces = curve.gasPerPiece === 0 ? 0 : piecesCrossed(curve, inputs[k]!)
      const fractionsToKeep =
        crossedPieces === 0
          ? [0]
          : [0, (inputBefore(curve, crossedPieces) / curve.keepIn / inputs[k]!) * (1 - TICK_MARGIN)]
      for (const fractionToKeep of fractionsToKeep) {
        const net = this.movePartOf(paths, fractionToKeep, edge)
        if (net > Number.NEGATIVE_INFINITY) states.push({ amounts: amounts.slice(), net })
        amounts.set(initialAmounts)
      }
    }
    if (states.length === 0) return false
    const best = states.reduce((a, b) => (b.net > a.net ? b : a))
    amounts.set(best.amounts)
    this.recordNet(best.net)
    return true
  }

  /**
   * Leaves a fraction of the amounts on the given paths, and moves the rest to paths that do not use `edge`. Returns
   * the net output; −∞ if no path takes one of the moved amounts.
   */
  private movePartOf(pathIndices: readonly number[], fractionToKeep: number, edge: number): number {
    const { amounts, paths } = this
    const closedPaths = paths.flatMap((path, pathIndex) => (path.includes(edge) ? [pathIndex] : []))
    const movedAmounts = pathIndices.map((pathIndex) => amounts[pathIndex]! * (1 - fractionToKeep))
    for (const pathIndex of pathIndices) amounts[pathIndex]! *= fractionToKeep
    let net = Number.NEGATIVE_INFINITY
    for (const amount of movedAmounts) {
      const [pathIndex, nextNet] = this.bestPathFor(amount, closedPaths)
      if (pathIndex < 0) return Number.NEGATIVE_INFINITY
      amounts[pathIndex]! += amount
      net = nextNet
    }
    return net
  }

  /**
   * Finds the path to which an amount is best added. Returns its index, and the net output with the amount; −1 if no
   * path takes the amount. Tries the best paths in use and the best idle paths, which must also earn their gas.
   */
  private bestPathFor(amount: number, closedPaths: readonly number[]): readonly [pathIndex: number, net: number] {
    const { amounts } = this
    let bestPath = -1
    let bestNet = Number.NEGATIVE_INFINITY
    let [triedUsedPaths, triedIdlePaths] = [0, 0]
    for (const pathIndex of this.ranking) {
      const amountBefore = amounts[pathIndex]!
      if (
        closedPaths.includes(pathIndex) ||
        (amountBefore > 0 ? triedUsedPaths : triedIdlePaths) === MAX_DIVISION_TARGETS
      )
        continue
      amounts[pathIndex] = amountBefore + amount
      const plan = this.planOf(amounts)
      const net = plan ? this.netOf(plan) : Number.NEGATIVE_INFINITY
      amounts[pathIndex] = amountBefore
      if (net === Number.NEGATIVE_INFINITY) continue
      if (amountBefore > 0) triedUsedPaths++
      else triedIdlePaths++
      if (net > bestNet) [bestPath, bestNet] = [pathIndex, net]
    }
    return [bestPath, bestNet]
  }

  /** Records the net output of the current amounts, and ranks the paths at these amounts. */
  private recordNet(net: number): void {
    const { problem, amounts, paths } = this
    this.net = net
    const plan = this.planOf(amounts) ?? []
    const inputs = this.inputsOf(plan)
    const rates = new Map(plan.map(({ edge }, k) => [edge, marginalRate(curveOf(problem, edge), inputs[k]!)]))
    const values = paths.map((path) =>
      path.reduce((value, edge) => value * (rates.get(edge) ?? problem.rate[edge]!), 1),
    )
    this.ranking = [...paths.keys()].sort((a, b) => values[b]! - values[a]!)
    problem.budget.spend(10 * paths.length)
  }

  private inputsOf(plan: Plan): readonly number[] {
    const inputs: number[] = []
    this.netOf(plan, inputs)
    return inputs
  }

  /**
   * Computes the net output of the amounts; −∞ if a pool cannot take its input.
   *
   * @param inputs - receives the input of each edge
   */
  private netOf(plan: Plan, inputs?: number[]): number {
    const { problem, balances, amounts } = this
    problem.budget.spend(8 * plan.length)
    balances.set(amounts)
    let cost = 0
    for (const { edge, paths } of plan) {
      const curve = curveOf(problem, edge)
      let input = 0
      for (const pathIndex of paths) input += balances[pathIndex]!
      if (input > capacityOf(curve) * (1 + FLOW_ROUNDING)) return Number.NEGATIVE_INFINITY
      const rate = outputOf(curve, input) / input
      for (const pathIndex of paths) balances[pathIndex]! *= rate
      cost += legCost(problem, edge, input)
      inputs?.push(input)
    }
    return balances.reduce((sum, balance) => sum + balance, -cost)
  }

  private planOf(amounts: Float64Array): Plan | null {
    let mask = 0
    for (let pathIndex = 0; pathIndex < amounts.length; pathIndex++) if (amounts[pathIndex]! > 0) mask |= 1 << pathIndex
    let plan = this.plans.get(mask)
    if (plan === undefined) {
      plan = planOf(this.problem, this.paths, (pathIndex) => amounts[pathIndex]! > 0)
      this.plans.set(mask, plan)
    }
    return plan
  }
}

/** Orders the edges of the paths in use; null if they form a cycle, use a pool twice, or exceed a limit. */
function planOf(problem: Problem, paths: readonly Path[], isInUse: (pathIndex: number) => boolean): Plan | null {
  const { graph, source, target, maxPools, maxHops, budget } = problem
  const { from, to } = graph.topology
  const pathIndicesByEdge = new Map<number, number[]>()
  for (const [pathIndex, path] of paths.entries()) {
    if (!isInUse(pathIndex)) continue
    for (const edge of path) {
      const edgePaths = pathIndicesByEdge.get(edge)
      if (edgePaths) edgePaths.push(pathIndex)
      else pathIndicesByEdge.set(edge, [pathIndex])
    }
  }
  const edges = [...pathIndicesByEdge.keys()]
  budget.spend(40 * edges.length)
  const pools = new Set(edges.map((edge) => graph.edges[edge]!.pool.id))
  if (edges.length > maxPools || pools.size < edges.length) return null
  // By token: length of the longest path from the source. If it still grows after `maxHops` rounds, there are too many
  // hops or a cycle.
  const hopsFromSource = new Map<number, number>([[source, 0]])
  for (let round = 0, isGrowing = true; isGrowing; round++) {
    if (round > maxHops) return null
    isGrowing = false
    for (const edge of edges) {
      const newHops = (hopsFromSource.get(from[edge]!) ?? Number.NaN) + 1
      if (!(newHops > (hopsFromSource.get(to[edge]!) ?? 0))) continue
      hopsFromSource.set(to[edge]!, newHops)
      isGrowing = true
    }
  }
  if (hopsFromSource.get(target)! > maxHops) return null
  const sortedEdges = edges.toSorted((a, b) => hopsFromSource.get(from[a]!)! - hopsFromSource.get(from[b]!)!)
  return sortedEdges.map((edge) => ({ edge, paths: pathIndicesByEdge.get(edge)! }))
}
