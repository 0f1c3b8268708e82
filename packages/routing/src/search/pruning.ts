/** Takes out of a division what does not earn its gas, and what is above the limits on pools and hops. */
import { TIGHT } from './columns.ts'
import { type Flow, flowOf, groupBy, NEGLIGIBLE } from './flow.ts'
import type { Problem } from './problem.ts'
import { costAtBest, holdAtTicks } from './ticks.ts'
import type { WaterFilling } from './water-filling.ts'

const MAX_ROUNDS = 200
/** What earns less than this part of its cost goes together with others of its kind, this part of them at a time. */
const HOPELESS = 0.3
const BATCH = 0.5
/** Removals that earn more than this multiple of their cost are not tried. */
const SOLID = 3
const SOLVE_STEPS = 25
/** Of the edges above the limit on pools, the part that goes at once. */
const BULK_PART = 0.25
/** A division that leaves more than this part over is no division. */
const UNSOLVED = 1e-4
/** Ways to shorten a route that are tried: what an edge earns says little of what takes its place. */
const MAX_TRIED = 8

/**
 * What an edge earns at the present prices is at most what its removal loses. Those that earn less than they cost are taken
 * out, the largest saving first, with all that their removal strands, and the rest is solved again.
 *
 * @param idle - whether edges without flow may take over what others leave
 */
export function prune(problem: Problem, filling: WaterFilling, idle: 'drop' | 'keep'): Flow | null {
  if (idle === 'drop') {
    filling.removeEdges(idleEdges(filling))
    filling.evaluate()
  }
  const kept = new Set<number>()
  let batch = BATCH
  let best = netOf(problem, filling)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const removals = savings(problem, filling, kept)
    const [first] = removals
    if (!first) break
    const hopeless = removals.filter(({ saving, earned }) => earned < HOPELESS * (saving + earned))
    const together = hopeless.slice(0, Math.floor(hopeless.length * batch))
    const before = filling.checkpoint()
    const idle = idleEdges(filling)
    filling.removeEdges(new Set((together.length > 1 ? together : [first]).flatMap(({ edges }) => [...edges])))
    filling.solve(TIGHT, SOLVE_STEPS)
    let net = netOf(problem, filling)
    if (net <= best && sendBack(problem, filling, idle)) net = netOf(problem, filling)
    if (net > best) {
      best = net
      continue
    }
    filling.restore(before)
    filling.evaluate()
    if (together.length > 1) batch /= 4
    else kept.add(first.cause)
  }
  const flow = flowOf(problem, filling)
  const allowed = flow && withinLimits(problem, filling, flow)
  return allowed && holdAtTicks(problem, filling, allowed)
}

/** What a division pays after its costs by its prices; −∞ where it was not solved: without a way to the target, say. */
function netOf(problem: Problem, filling: WaterFilling): number {
  if (!(filling.residual < UNSOLVED)) return Number.NEGATIVE_INFINITY
  const { from, to } = problem.graph.topology
  let net = filling.value
  for (let k = 0; k < filling.edges.length; k++) {
    const edge = filling.edges[k]!
    const [input, output] = [filling.input[k]!, filling.output[k]!]
    const ends = { sold: filling.price(from[edge]!), bought: filling.price(to[edge]!) }
    // Edges that are idle but for rounding are not going to be legs.
    if (input * ends.sold > NEGLIGIBLE * filling.value) net -= costAtBest(problem, edge, { input, output }, ends)
  }
  return net
}

function idleEdges(filling: WaterFilling): ReadonlySet<number> {
  return new Set(filling.edges.filter((_, k) => !(filling.input[k]! > 0)))
}

/** Takes out edges that a removal woke and that do not earn their cost; false where there are none. */
function sendBack(problem: Problem, filling: WaterFilling, idle: ReadonlySet<number>): boolean {
  const woken = [...bookkeeping(problem, filling)].filter(([edge, { profit, cost }]) => idle.has(edge) && profit < cost)
  if (woken.length === 0) return false
  filling.removeEdges(new Set(woken.map(([edge]) => edge)))
  filling.solve(TIGHT, SOLVE_STEPS)
  return true
}

type Removal = {
  readonly edges: ReadonlySet<number>
  readonly cause: number
  readonly saving: number
  readonly earned: number
}

/** Removals that promise to save more than they lose, the best first. */
function savings(problem: Problem, filling: WaterFilling, kept: ReadonlySet<number>): readonly Removal[] {
  const books = bookkeeping(problem, filling)
  const ways = waysOf(problem, [...books.keys()])
  const removals: Removal[] = []
  for (const [edge, { profit, cost }] of books) {
    if (kept.has(edge) || profit > cost * SOLID) continue
    const edges = stranded(problem, ways, edge)
    if (!edges) continue
    let saving = 0
    let earned = 0
    for (const other of edges) {
      const book = books.get(other)!
      saving += book.cost - book.profit
      earned += book.profit
    }
    if (saving > 0) removals.push({ edges, cause: edge, saving, earned })
  }
  return removals.sort((a, b) => b.saving - a.saving)
}

/** Profit at the present prices and cost of every edge in use, in output base units. */
function bookkeeping(problem: Problem, filling: WaterFilling) {
  const { from, to } = problem.graph.topology
  const books = new Map<number, { readonly profit: number; readonly cost: number }>()
  filling.edges.forEach((edge, k) => {
    const input = filling.input[k]!
    if (!(input > 0)) return
    const output = filling.output[k]!
    const ends = { sold: filling.price(from[edge]!), bought: filling.price(to[edge]!) }
    const profit = output * ends.bought - input * ends.sold
    books.set(edge, { profit, cost: costAtBest(problem, edge, { input, output }, ends) })
  })
  return books
}

/** Edges in use, by the token that they buy and by the one that they sell. */
type Ways = {
  readonly into: ReadonlyMap<number, readonly number[]>
  readonly outOf: ReadonlyMap<number, readonly number[]>
}

function waysOf({ graph }: Problem, used: readonly number[]): Ways {
  const { from, to } = graph.topology
  return { into: groupBy(used, (edge) => to[edge]!), outOf: groupBy(used, (edge) => from[edge]!) }
}

/** The edge and all that its removal leaves without a way in or out; null where that is every way to the target. */
function stranded({ source, target, graph }: Problem, { into, outOf }: Ways, first: number): Set<number> | null {
  const { from, to } = graph.topology
  const gone = new Set([first])
  const queue = [first]
  const take = (edges: readonly number[]) => {
    for (const edge of edges) {
      if (gone.has(edge)) continue
      gone.add(edge)
      queue.push(edge)
    }
  }
  for (let edge = queue.pop(); edge !== undefined; edge = queue.pop()) {
    const u = from[edge]!
    const v = to[edge]!
    const noWayIn = (into.get(v) ?? []).every((other) => gone.has(other))
    const noWayOut = (outOf.get(u) ?? []).every((other) => gone.has(other))
    if ((noWayIn && v === target) || (noWayOut && u === source)) return null
    if (noWayIn) take(outOf.get(v) ?? [])
    if (noWayOut) take(into.get(u) ?? [])
  }
  return gone
}

function leavesWay({ source, target, graph }: Problem, used: readonly number[], without: ReadonlySet<number>): boolean {
  const { from, to } = graph.topology
  const left = used.filter((edge) => !without.has(edge))
  return left.some((edge) => from[edge] === source) && left.some((edge) => to[edge] === target)
}

/** Takes out the edges that earn least until the flow has no more pools and hops than it may, and no pool twice. */
export function withinLimits(problem: Problem, filling: WaterFilling, flow: Flow): Flow | null {
  let best: Flow | null = flow
  while (best) {
    const candidates = violations(problem, best)
    if (candidates.length === 0) return best
    const books = bookkeeping(problem, filling)
    const used = [...books.keys()]
    const ways = waysOf(problem, used)
    const above: number = best.edges.length - problem.maxPools
    const ranked: readonly Candidate[] = candidates
      .flatMap((edge) => stranded(problem, ways, edge) ?? [])
      .map((edges) => ({ edges, profit: [...edges].reduce((sum, edge) => sum + (books.get(edge)?.profit ?? 0), 0) }))
      .sort((a, b) => a.profit - b.profit)
    const removals =
      above > 0 ? [least(problem, used, ranked, Math.ceil(above * BULK_PART))] : ranked.slice(0, MAX_TRIED)
    const before = filling.checkpoint()
    const tried = removals.flatMap(({ edges }) => {
      filling.restore(before)
      filling.removeEdges(edges)
      filling.solve(TIGHT, SOLVE_STEPS)
      const left = flowOf(problem, filling)
      return left ? [{ flow: left, after: filling.checkpoint() }] : []
    })
    const next = tried.sort((a, b) => b.flow.net - a.flow.net)[0]
    if (!next) return null
    filling.restore(next.after)
    filling.solve(TIGHT, SOLVE_STEPS)
    best = next.flow
  }
  return null
}

type Candidate = { readonly edges: ReadonlySet<number>; readonly profit: number }

/** The removals that lose least, as many as take out so many edges; the first alone where nothing would be left. */
function least(
  problem: Problem,
  used: readonly number[],
  ranked: readonly Candidate[],
  count: number,
): Pick<Candidate, 'edges'> {
  const edges = new Set<number>()
  for (const removal of ranked) {
    if (edges.size >= count) break
    for (const edge of removal.edges) edges.add(edge)
  }
  return leavesWay(problem, used, edges) ? { edges } : ranked[0]!
}

/** Edges one of which has to go: all of them above the pool limit, those of the longest way above the hop limit. */
function violations(problem: Problem, flow: Flow): readonly number[] {
  const { graph, maxPools, maxHops, reuse } = problem
  if (!reuse) {
    const ofPool = groupBy(flow.edges, (edge) => graph.edges[edge]!.pool.id)
    const twice = [...ofPool.values()].find((edges) => edges.length > 1)
    if (twice) return twice
  }
  if (flow.edges.length > maxPools) return flow.edges
  return flow.hops > maxHops ? longestWay(problem, flow) : []
}

function longestWay({ graph, source, target }: Problem, { edges }: Flow): readonly number[] {
  const { from, to } = graph.topology
  const depth = new Map<number, number>([[source, 0]])
  const last = new Map<number, number>()
  for (const edge of edges) {
    const reached = depth.get(from[edge]!)! + 1
    if (reached <= (depth.get(to[edge]!) ?? 0)) continue
    depth.set(to[edge]!, reached)
    last.set(to[edge]!, edge)
  }
  const way: number[] = []
  for (let token = target; token !== source; token = from[way.at(-1)!]!) way.push(last.get(token)!)
  return way
}
