/**
 * Divides a trade among paths without prices: assigns chunks to the path that gains most, and then moves amounts between paths. It is
 * coarser than the dual and takes more work, but needs neither prices that determine the inputs (very deep pools, pools at their
 * ends) nor pools that take all that a price sends them. With gas, it also tries combinations that the dual's order of removals misses.
 */
import { capacityOf, inputBefore, marginalRate, outputOf, piecesCrossed } from '../graph/price-curve.ts'
import { costOf, curveOf, isFree, type Problem } from '../problem/problem.ts'
import { type Flow, pushThrough } from '../solver/flow.ts'
import {
  DIVISION_CHUNKS,
  DIVISION_COARSE_PART,
  DIVISION_MIN_GAIN,
  DIVISION_MIN_PART,
  DIVISION_MOVES,
  DIVISION_OPENING_PART,
  DIVISION_PATHS,
  DIVISION_TARGETS,
  DIVISION_WORK,
  FLOW_ROUNDING,
  MAX_PATHS_OF_FLOW,
  TICK_MARGIN,
} from '../tolerances.ts'
import { pathsOver } from './few-pools.ts'

/**
 * The best division that was found; null if no division sells the whole amount.
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
  // With gas, chunks choose few paths, and find less than the flow's own paths.
  if ((flows.length === 0 || isFree(problem)) && division.assignChunks()) flows.push(division.improve().toFlow())
  return flows.reduce((best, next) => (next && !(best && best.net >= next.net) ? next : best), null)
}

type Path = readonly number[]
type PathOfFlow = { readonly edges: Path; readonly amount: number }

/** Paths of a flow, each with its part of the input; none if they are too many. */
function pathsOfFlow({ graph, source, target, amountIn }: Problem, { edges, input }: Flow): readonly PathOfFlow[] {
  const { from, to } = graph.topology
  const sold = new Map<number, number>()
  for (const [k, edge] of edges.entries()) sold.set(from[edge]!, (sold.get(from[edge]!) ?? 0) + input[k]!)
  const paths: PathOfFlow[] = []
  const follow = (token: number, path: Path, amount: number): void => {
    if (token === target) paths.push({ edges: path, amount })
    else if (paths.length <= MAX_PATHS_OF_FLOW)
      for (const [k, edge] of edges.entries())
        if (from[edge] === token) follow(to[edge]!, [...path, edge], (amount * input[k]!) / sold.get(token)!)
  }
  follow(source, [], amountIn)
  return paths.length > MAX_PATHS_OF_FLOW ? [] : paths
}

/** The paths of a flow, followed by the best other paths for the whole trade and for fractions of it. */
function candidatePaths(
  problem: Problem,
  flowPaths: readonly PathOfFlow[],
  edges: ReadonlySet<number>,
): readonly Path[] {
  const paths = pathsOver(problem, edges)
  const candidates = new Map(flowPaths.map((path) => [path.edges.join(), path.edges]))
  for (const amount of ['little', 'part', 'whole'] as const)
    for (const path of paths.toSorted((a, b) => b[amount] - a[amount]).slice(0, DIVISION_PATHS))
      candidates.set(path.edges.join(), path.edges)
  // A set of paths is a bit mask of 31 bits.
  return [...candidates.values()].slice(0, 31)
}

/** Edges of a set of paths in topological order of their sold tokens, each with the paths that use it. */
type Plan = readonly { readonly edge: number; readonly paths: readonly number[] }[]
type State = { readonly amounts: Float64Array; readonly net: number }

class Division {
  private readonly problem: Problem
  private readonly paths: readonly Path[]
  /** Input of each path, in base units. */
  private readonly amounts: Float64Array
  private readonly balances: Float64Array
  /** By set of paths, as a bit mask; null if they form a cycle, use a pool twice, or exceed a limit. */
  private readonly plans = new Map<number, Plan | null>()
  /** Net output of the amounts. */
  private net = 0
  /** Paths by the value of one more unit of input, descending. */
  private ranking: readonly number[] = []
  /** Work units of the budget at which the moves end. */
  private readonly minRest: number

  constructor(problem: Problem, paths: readonly Path[]) {
    this.problem = problem
    this.paths = paths
    this.amounts = new Float64Array(paths.length)
    this.balances = new Float64Array(paths.length)
    this.minRest = problem.budget.rest - DIVISION_WORK
  }

  /** Starts with some amounts. Returns false if the pools do not take them. */
  startAt(amounts: readonly number[]): boolean {
    this.amounts.fill(0)
    this.amounts.set(amounts)
    const plan = this.planOf(this.amounts)
    this.accept(plan ? this.netOf(plan) : Number.NEGATIVE_INFINITY)
    return this.net > Number.NEGATIVE_INFINITY
  }

  /** Assigns the whole amount in chunks, smaller ones if no path takes a chunk. Returns false if a part remains. */
  assignChunks(): boolean {
    const { amountIn } = this.problem
    this.amounts.fill(0)
    this.accept(0)
    let size = amountIn / DIVISION_CHUNKS
    for (let remaining = amountIn; this.hasWork && size > DIVISION_COARSE_PART * amountIn; ) {
      const chunk = Math.min(size, remaining)
      const [place, net] = this.bestGain(chunk, [])
      if (place < 0) size = chunk / 2
      else {
        this.amounts[place]! += chunk
        this.accept(net)
        remaining -= chunk
        if (!(remaining > DIVISION_MIN_GAIN * amountIn)) return true
      }
    }
    return false
  }

  /**
   * Moves amounts between paths while the net output grows. With gas, also closes edges: the first closure may lose, since several
   * edges may save gas only together.
   */
  improve(): this {
    const { amountIn } = this.problem
    const moveLargeAmounts = () => {
      for (let size = amountIn / 2; size > DIVISION_COARSE_PART * amountIn; size /= 4) this.moveAmounts(size, [])
    }
    moveLargeAmounts()
    let best: State = { amounts: this.amounts.slice(), net: this.net }
    while (!isFree(this.problem) && this.hasWork && this.reduceEdge()) {
      moveLargeAmounts()
      if (!(this.net > best.net)) break
      best = { amounts: this.amounts.slice(), net: this.net }
    }
    this.amounts.set(best.amounts)
    this.accept(best.net)
    const idle = [...this.amounts.keys()].filter((place) => this.amounts[place] === 0)
    for (let size = DIVISION_COARSE_PART * amountIn; size > DIVISION_MIN_PART * amountIn; size /= 4)
      this.moveAmounts(size, size > DIVISION_OPENING_PART * amountIn ? [] : idle)
    return this
  }

  toFlow(): Flow | null {
    const plan = this.planOf(this.amounts)!
    const edges = plan.map(({ edge }) => edge)
    return pushThrough(this.problem, edges, this.inputsOf(plan))
  }

  private get hasWork(): boolean {
    return this.problem.budget.rest > this.minRest
  }

  /** Moves amounts of up to a size to other paths while the net output grows. */
  private moveAmounts(size: number, closedPaths: readonly number[]): void {
    const { amounts } = this
    for (let move = 0, idle = 0; move < DIVISION_MOVES && idle < amounts.length && this.hasWork; move++) {
      const from = move % amounts.length
      idle++
      const share = Math.min(amounts[from]!, size)
      if (share === 0) continue
      amounts[from]! -= share
      const [place, net] = this.bestGain(share, [from, ...closedPaths])
      if (place >= 0 && net > this.net + DIVISION_MIN_GAIN * Math.abs(this.net)) {
        amounts[place]! += share
        this.accept(net)
        idle = 0
      } else amounts[from]! += share
    }
  }

  /**
   * Closes an edge, or stops it before its last tick, and moves the amounts of its paths to other paths. Chooses the
   * edge for which that leaves most. Returns false if there is none.
   */
  private reduceEdge(): boolean {
    const { problem, amounts } = this
    const before = amounts.slice()
    const plan = this.planOf(amounts)!
    const inputs = this.inputsOf(plan)
    const states: State[] = []
    for (const [k, { edge, paths }] of plan.entries()) {
      const curve = curveOf(problem, edge)
      const crossed = curve.gasPerPiece === 0 ? 0 : piecesCrossed(curve, inputs[k]!)
      const partsToKeep =
        crossed === 0 ? [0] : [0, (inputBefore(curve, crossed) / curve.keepIn / inputs[k]!) * (1 - TICK_MARGIN)]
      for (const part of partsToKeep) {
        const net = this.movePartOf(paths, part, edge)
        if (net > Number.NEGATIVE_INFINITY) states.push({ amounts: amounts.slice(), net })
        amounts.set(before)
      }
    }
    if (states.length === 0) return false
    const best = states.reduce((a, b) => (b.net > a.net ? b : a))
    amounts.set(best.amounts)
    this.accept(best.net)
    return true
  }

  /** Moves all but a part of the amounts of some paths to paths without an edge. Returns the net output; −∞ if it is impossible. */
  private movePartOf(places: readonly number[], keptPart: number, edge: number): number {
    const { amounts, paths } = this
    const closedPaths = paths.flatMap((path, place) => (path.includes(edge) ? [place] : []))
    const moved = places.map((place) => amounts[place]! * (1 - keptPart))
    for (const place of places) amounts[place]! *= keptPart
    let net = Number.NEGATIVE_INFINITY
    for (const amount of moved) {
      const [place, next] = this.bestGain(amount, closedPaths)
      if (place < 0) return Number.NEGATIVE_INFINITY
      amounts[place]! += amount
      net = next
    }
    return net
  }

  /**
   * The path to which an amount is added best, and the net output with it; −1 if no path takes it. Tries the best paths in use and the
   * best others, since those not in use must earn their gas.
   */
  private bestGain(amount: number, closedPaths: readonly number[]): readonly [place: number, net: number] {
    const { amounts } = this
    let best = -1
    let bestNet = Number.NEGATIVE_INFINITY
    let [used, idle] = [0, 0]
    for (const place of this.ranking) {
      const before = amounts[place]!
      if (closedPaths.includes(place) || (before > 0 ? used : idle) === DIVISION_TARGETS) continue
      amounts[place] = before + amount
      const plan = this.planOf(amounts)
      const net = plan ? this.netOf(plan) : Number.NEGATIVE_INFINITY
      amounts[place] = before
      if (net === Number.NEGATIVE_INFINITY) continue
      if (before > 0) used++
      else idle++
      if (net > bestNet) [best, bestNet] = [place, net]
    }
    return [best, bestNet]
  }

  /** Accepts the amounts with their net output, and ranks the paths at these amounts. */
  private accept(net: number): void {
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
   * Net output of the amounts; −∞ if a pool cannot take its input.
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
      for (const place of paths) input += balances[place]!
      if (input > capacityOf(curve) * (1 + FLOW_ROUNDING)) return Number.NEGATIVE_INFINITY
      const rate = outputOf(curve, input) / input
      for (const place of paths) balances[place]! *= rate
      cost += costOf(problem, edge, input)
      inputs?.push(input)
    }
    return balances.reduce((sum, balance) => sum + balance, -cost)
  }

  private planOf(amounts: Float64Array): Plan | null {
    let mask = 0
    for (let place = 0; place < amounts.length; place++) if (amounts[place]! > 0) mask |= 1 << place
    let plan = this.plans.get(mask)
    if (plan === undefined) {
      plan = planOf(this.problem, this.paths, (place) => amounts[place]! > 0)
      this.plans.set(mask, plan)
    }
    return plan
  }
}

/** Orders the edges of the paths in use; null if they form a cycle, use a pool twice, or exceed a limit. */
function planOf(problem: Problem, paths: readonly Path[], isInUse: (place: number) => boolean): Plan | null {
  const { graph, source, target, maxPools, maxHops, budget } = problem
  const { from, to } = graph.topology
  const users = new Map<number, number[]>()
  for (const [place, path] of paths.entries()) {
    if (!isInUse(place)) continue
    for (const edge of path) {
      const edgePaths = users.get(edge)
      if (edgePaths) edgePaths.push(place)
      else users.set(edge, [place])
    }
  }
  const edges = [...users.keys()]
  budget.spend(40 * edges.length)
  const pools = new Set(edges.map((edge) => graph.edges[edge]!.pool.id))
  if (edges.length > maxPools || pools.size < edges.length) return null
  // Longest paths from the source. If they still grow after as many rounds as the limit has hops, there are too many hops, or a cycle.
  const depth = new Map<number, number>([[source, 0]])
  for (let round = 0, isGrowing = true; isGrowing; round++) {
    if (round > maxHops) return null
    isGrowing = false
    for (const edge of edges) {
      const reached = (depth.get(from[edge]!) ?? Number.NaN) + 1
      if (!(reached > (depth.get(to[edge]!) ?? 0))) continue
      depth.set(to[edge]!, reached)
      isGrowing = true
    }
  }
  if (depth.get(target)! > maxHops) return null
  const sortedEdges = edges.toSorted((a, b) => depth.get(from[a]!)! - depth.get(from[b]!)!)
  return sortedEdges.map((edge) => ({ edge, paths: users.get(edge)! }))
}
