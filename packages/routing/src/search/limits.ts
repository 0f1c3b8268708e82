/** Takes out of a division what is above the limits on pools and hops. */
import { bookkeeping, idleEdges, stranded, waysOf } from './books.ts'
import { type Flow, flowOf, groupBy } from './flow.ts'
import type { Problem } from './problem.ts'
import { FEW_STEPS, TIGHT, type WaterFilling } from './water-filling.ts'

/** Of the edges above the limit on pools, the part that goes at once. */
const BULK_PART = 0.25
/** Ways to shorten a route that are tried: what an edge earns says little of what takes its place. */
const MAX_TRIED = 8
/** Routes of more pools lose little by any one of them: all their ways that are too long are broken at once. */
const MANY = 40

/**
 * Takes out the edges that earn least until the flow has no more pools and hops than it may, and no pool twice. Null where
 * that leaves no way. Every round takes at least one edge out of the division and adds none, so there are no more rounds than
 * the division has edges.
 */
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
    if (ranked.length === 0) return null
    const removals: readonly Pick<Candidate, 'edges'>[] =
      above > 0
        ? [least(problem, used, ranked, Math.ceil(above * BULK_PART))]
        : best.edges.length > MANY
          ? [{ edges: new Set([...breaks(problem, best, books), ...idleEdges(filling)]) }]
          : ranked.slice(0, MAX_TRIED)
    const before = filling.checkpoint()
    const tried = removals.flatMap(({ edges }) => {
      filling.restore(before)
      filling.removeEdges(edges)
      filling.solve(TIGHT, FEW_STEPS)
      const left = flowOf(problem, filling)
      return left ? [{ flow: left, after: filling.checkpoint() }] : []
    })
    const next = tried.sort((a, b) => b.flow.net - a.flow.net)[0]
    if (!next) return null
    best = next.flow
    if (removals.length === 1) continue
    filling.restore(next.after)
    filling.evaluate()
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

/** Of every way that is too long the edge that earns least. Each turn breaks one more edge of the flow. */
function breaks(problem: Problem, flow: Flow, books: ReturnType<typeof bookkeeping>): ReadonlySet<number> {
  const profit = (edge: number) => books.get(edge)?.profit ?? 0
  const broken = new Set<number>()
  for (;;) {
    problem.budget.spend(8 * flow.edges.length)
    const way = longestWay(problem, { ...flow, edges: flow.edges.filter((edge) => !broken.has(edge)) })
    if (way.length <= problem.maxHops) return broken
    broken.add(way.reduce((a, b) => (profit(b) < profit(a) ? b : a)))
  }
}

function longestWay({ graph, source, target }: Problem, { edges }: Flow): readonly number[] {
  const { from, to } = graph.topology
  const depth = new Map<number, number>([[source, 0]])
  const last = new Map<number, number>()
  for (const edge of edges) {
    const reached = (depth.get(from[edge]!) ?? Number.NaN) + 1
    if (!(reached > (depth.get(to[edge]!) ?? 0))) continue
    depth.set(to[edge]!, reached)
    last.set(to[edge]!, edge)
  }
  const way: number[] = []
  for (let token = target; token !== source && last.has(token); token = from[way.at(-1)!]!) way.push(last.get(token)!)
  return way
}

function leavesWay({ source, target, graph }: Problem, used: readonly number[], without: ReadonlySet<number>): boolean {
  const { from, to } = graph.topology
  const left = used.filter((edge) => !without.has(edge))
  return left.some((edge) => from[edge] === source) && left.some((edge) => to[edge] === target)
}
