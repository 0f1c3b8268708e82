/** Takes out of a division what does not earn its gas, and what is above the limits on pools and hops. */
import { TIGHT } from './columns.ts'
import { type Flow, flowOf, groupBy } from './flow.ts'
import { costOf, type Problem } from './problem.ts'
import type { WaterFilling } from './water-filling.ts'

const MAX_ROUNDS = 200
/** In the first rounds everything that earns less than this part of its cost goes at once. */
const BULK_ROUNDS = 8
const HOPELESS = 0.1
/** Removals that earn more than this multiple of their cost are not tried. */
const SOLID = 3
const SOLVE_STEPS = 25
/** Ways to shorten a route that are tried: what an edge earns says little of what takes its place. */
const MAX_TRIED = 8
/** Of the edges above the limit on pools, the part that goes at once. */
const BULK_PART = 0.25

/**
 * What an edge earns at the present prices is at most what its removal loses. Those that earn less than they cost are taken
 * out, the largest saving first, with all that their removal strands, and the rest is solved again.
 */
export function prune(problem: Problem, filling: WaterFilling): Flow | null {
  const kept = new Set<number>()
  let best = flowOf(problem, filling)
  for (let round = 0; round < MAX_ROUNDS && best; round++) {
    const bulky = round < BULK_ROUNDS
    const removal = bestRemoval(problem, filling, kept, bulky)
    if (!removal) break
    const before = filling.checkpoint()
    filling.removeEdges(removal.edges)
    filling.solve(TIGHT, SOLVE_STEPS)
    const flow = flowOf(problem, filling)
    if (flow && flow.net > best.net) {
      best = flow
      continue
    }
    filling.restore(before)
    filling.evaluate()
    if (removal.bulk) round = Math.max(round, BULK_ROUNDS)
    else kept.add(removal.cause)
  }
  return best && withinLimits(problem, filling, best)
}

type Removal = { readonly edges: ReadonlySet<number>; readonly cause: number; readonly bulk: boolean }

function bestRemoval(
  problem: Problem,
  filling: WaterFilling,
  kept: ReadonlySet<number>,
  bulky: boolean,
): Removal | null {
  const books = bookkeeping(problem, filling)
  const ways = waysOf(problem, [...books.keys()])
  const bulk = new Set<number>()
  let best: Removal | null = null
  let bestSaving = 0
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
    if (bulky && earned < HOPELESS * (saving + earned)) for (const other of edges) bulk.add(other)
    if (saving > bestSaving) {
      bestSaving = saving
      best = { edges, cause: edge, bulk: false }
    }
  }
  if (best && bulk.size > best.edges.size && leavesWay(problem, [...books.keys()], bulk))
    return { edges: bulk, cause: best.cause, bulk: true }
  return best
}

/** Profit at the present prices and cost of every edge in use, in output base units. */
function bookkeeping(problem: Problem, filling: WaterFilling) {
  const { from, to } = problem.graph.topology
  const books = new Map<number, { readonly profit: number; readonly cost: number }>()
  filling.edges.forEach((edge, k) => {
    const input = filling.input[k]!
    if (!(input > 0)) return
    const profit = filling.output[k]! * filling.price(to[edge]!) - input * filling.price(from[edge]!)
    books.set(edge, { profit, cost: costOf(problem, edge, input) })
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

const netOf = (flow: Flow | null) => flow?.net ?? Number.NEGATIVE_INFINITY

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
    const tried = removals.map(({ edges }) => {
      filling.restore(before)
      filling.removeEdges(edges)
      filling.solve(TIGHT, SOLVE_STEPS)
      return { flow: flowOf(problem, filling), after: filling.checkpoint() }
    })
    const next = tried.sort((a, b) => netOf(b.flow) - netOf(a.flow))[0]
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
