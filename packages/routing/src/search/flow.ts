/** Edges with what flows into them: a route before it is made exact. */
import { costOf, type Problem, responseOf } from './problem.ts'
import { outputOf } from './response.ts'
import type { WaterFilling } from './water-filling.ts'

/** In topological order of the tokens sold; inputs in base units. */
export type Flow = {
  readonly edges: readonly number[]
  readonly input: readonly number[]
  readonly amountOut: number
  /** `amountOut` after what the legs cost. */
  readonly net: number
  /** Most edges in series. */
  readonly hops: number
  /** Whether a circle had to be cut: some pools disagree on a price by more than their fees. */
  readonly cut: boolean
}

/** Edges that add less than this part of the output are left out; a circle with less than this part in it is rounding. */
export const NEGLIGIBLE = 1e-7

/** What a set of prices makes flow, without dust, circles and dead ends. */
export function flowOf(problem: Problem, filling: WaterFilling): Flow | null {
  const weights = new Map<number, number>()
  filling.edges.forEach((edge, k) => {
    if (filling.input[k]! > 0) weights.set(edge, filling.input[k]!)
  })
  const flow = pushThrough(problem, weights)
  if (!flow) return null
  const dust = dustOf(problem, flow)
  if (dust.length === 0) return flow
  for (const edge of dust) weights.delete(edge)
  return pushThrough(problem, weights)
}

/**
 * Edges whose removal costs next to nothing. Their part is valued by what a token buys on average, not at the margin: where
 * pools are drained the last unit sold is worth nothing, whatever the first ones brought. Returns diminish, so the average
 * bounds the loss.
 */
function dustOf(problem: Problem, { edges, input, amountOut }: Flow): readonly number[] {
  const { from, to } = problem.graph.topology
  const sold = new Map<number, number>()
  const brought = new Map<number, number>()
  const dust: number[] = []
  for (let place = edges.length - 1; place >= 0; place--) {
    const edge = edges[place]!
    const [u, v] = [from[edge]!, to[edge]!]
    const worth = v === problem.target ? 1 : (brought.get(v) ?? 0) / sold.get(v)!
    const added = outputOf(responseOf(problem, edge), input[place]!) * worth
    sold.set(u, (sold.get(u) ?? 0) + input[place]!)
    brought.set(u, (brought.get(u) ?? 0) + added)
    if (!(added > NEGLIGIBLE * amountOut)) dust.push(edge)
  }
  return dust
}

/** Sends the amount through edges that divide each token by their weights. */
export function pushThrough(problem: Problem, weights: ReadonlyMap<number, number>): Flow | null {
  const { source, target, amountIn } = problem
  const { from, to } = problem.graph.topology
  const pruned = prune(problem, weights)
  if (!pruned) return null
  const { live, cut } = pruned
  const order = topologicalOrder(problem, live)!
  const outOf = groupBy(live, (edge) => from[edge]!)
  const held = new Map<number, number>([[source, amountIn]])
  const depth = new Map<number, number>([[source, 0]])
  const edges: number[] = []
  const inputs: number[] = []
  let cost = 0
  for (const token of order) {
    if (token === target) continue
    const out = outOf.get(token) ?? []
    const total = out.reduce((sum, edge) => sum + weights.get(edge)!, 0)
    for (const edge of out) {
      const input = (held.get(token)! * weights.get(edge)!) / total
      const next = to[edge]!
      held.set(next, (held.get(next) ?? 0) + outputOf(responseOf(problem, edge), input))
      depth.set(next, Math.max(depth.get(next) ?? 0, depth.get(token)! + 1))
      edges.push(edge)
      inputs.push(input)
      cost += costOf(problem, edge, input)
    }
  }
  const amountOut = held.get(target) ?? 0
  return { edges, input: inputs, amountOut, net: amountOut - cost, hops: depth.get(target) ?? 0, cut }
}

/** Drops dead ends and cuts circles at their thinnest edge; null where nothing is left that joins source and target. */
function prune(problem: Problem, weights: ReadonlyMap<number, number>): { live: number[]; cut: boolean } | null {
  const { source, target } = problem
  const { from, to } = problem.graph.topology
  let live = [...weights.keys()]
  let cut = false
  for (;;) {
    const reached = new Set([source, ...live.map((edge) => to[edge]!)])
    const leaving = new Set([target, ...live.map((edge) => from[edge]!)])
    const kept = live.filter((edge) => reached.has(from[edge]!) && leaving.has(to[edge]!))
    const stable = kept.length === live.length
    live = kept
    if (!stable) continue
    if (!live.some((edge) => from[edge] === source) || !live.some((edge) => to[edge] === target)) return null
    if (topologicalOrder(problem, live)) return { live, cut }
    const outOf = groupBy(live, (edge) => from[edge]!)
    const share = (edge: number) =>
      weights.get(edge)! / outOf.get(from[edge]!)!.reduce((sum, other) => sum + weights.get(other)!, 0)
    const thinnest = findCircle(problem, live).reduce((a, b) => (share(b) < share(a) ? b : a))
    cut ||= share(thinnest) > NEGLIGIBLE
    live = live.filter((edge) => edge !== thinnest)
  }
}

/** Tokens from the source on, each before all that its edges buy; null where they form a circle. */
function topologicalOrder({ source, graph }: Problem, edges: readonly number[]): readonly number[] | null {
  const { from, to } = graph.topology
  const outOf = groupBy(edges, (edge) => from[edge]!)
  const incoming = new Map<number, number>()
  for (const edge of edges) incoming.set(to[edge]!, (incoming.get(to[edge]!) ?? 0) + 1)
  const ready = incoming.has(source) ? [] : [source]
  const order: number[] = []
  let seen = 0
  for (let token = ready.pop(); token !== undefined; token = ready.pop()) {
    order.push(token)
    for (const edge of outOf.get(token) ?? []) {
      seen++
      const left = incoming.get(to[edge]!)! - 1
      incoming.set(to[edge]!, left)
      if (left === 0) ready.push(to[edge]!)
    }
  }
  return seen === edges.length ? order : null
}

/** Some circle among edges of which no token is without a way in or out. */
function findCircle({ graph, source }: Problem, edges: readonly number[]): readonly number[] {
  const { from, to } = graph.topology
  const outOf = groupBy(edges, (edge) => from[edge]!)
  const path: number[] = []
  const onPath = new Set<number>()
  const done = new Set<number>()
  const visit = (token: number): readonly number[] | null => {
    onPath.add(token)
    for (const edge of outOf.get(token) ?? []) {
      const next = to[edge]!
      path.push(edge)
      if (onPath.has(next)) return path.slice(path.findIndex((step) => from[step] === next))
      const found = done.has(next) ? null : visit(next)
      if (found) return found
      path.pop()
    }
    onPath.delete(token)
    done.add(token)
    return null
  }
  for (const start of [source, ...edges.map((edge) => from[edge]!)]) {
    const found = done.has(start) ? null : visit(start)
    if (found) return found
  }
  return edges
}

export function groupBy<K>(edges: Iterable<number>, key: (edge: number) => K): Map<K, number[]> {
  const groups = new Map<K, number[]>()
  for (const edge of edges) {
    const group = groups.get(key(edge))
    if (group) group.push(edge)
    else groups.set(key(edge), [edge])
  }
  return groups
}
