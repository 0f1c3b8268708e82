/** Turns allocations into flows: edges with their inputs, in topological order, before settlement in integers. */

import { outputOf } from '../graph/price-curve.ts'
import { curveOf, legCost, type Problem } from '../problem/problem.ts'
import { NEGLIGIBLE_SHARE, PRICE_ROUNDING, UNRESOLVED_SHARE } from '../tolerances.ts'
import type { Allocation } from './allocation.ts'
import { EdgesByToken, type Flow, type PrunedEdges, push } from './push.ts'
import { usesPoolTwice } from './shared-pools.ts'

export type { Flow } from './push.ts'

/**
 * The flow at an allocation's prices, without cycles, dead ends, and edges that add next to nothing. Null if nothing
 * reaches the target.
 */
export function flowOf(problem: Problem, allocation: Allocation): Flow | null {
  const edges: number[] = []
  const weights: number[] = []
  for (let k = 0; k < allocation.edges.length; k++) {
    if (!(allocation.input[k]! > 0)) continue
    edges.push(allocation.edges[k]!)
    weights.push(allocation.input[k]!)
  }
  const flow = unresolvedFlow(problem, allocation, edges, weights) ?? pushThrough(problem, edges, weights)
  if (!flow) return null
  const dust = dustOf(problem, flow)
  if (dust.size === 0) return flow
  const isKept = (_: number, k: number) => !dust.has(edges[k]!)
  const flowWithoutDust = pushThrough(problem, edges.filter(isKept), weights.filter(isKept))
  // Such an edge may be the only one that takes the rest of a token.
  return flowWithoutDust && flowWithoutDust.net >= flow.net * (1 - NEGLIGIBLE_SHARE) ? flowWithoutDust : flow
}

/**
 * Builds the flow if prices do not determine the inputs: a very deep pool trades all or nothing within the precision of a float
 * price. The edges that respond most to prices get the missing input. Null if the inputs are precise, or if no pool is that deep.
 */
function unresolvedFlow(
  problem: Problem,
  allocation: Allocation,
  usedEdges: readonly number[],
  weights: readonly number[],
): Flow | null {
  const { residual, edges, conductance, sold, prices, value } = allocation
  if (!(residual > UNRESOLVED_SHARE)) return null
  const { graph } = problem
  const startingEdges = edgesAboutToTrade(allocation)
  const responses = edges.map((edge, k) => (startingEdges.includes(edge) ? graph.conductance[edge]! : conductance[k]!))
  const isDeep = (response: number, k: number) =>
    response * prices[sold[k]!]! * PRICE_ROUNDING > UNRESOLVED_SHARE * value
  if (!responses.some(isDeep)) return null
  const response = new Map(edges.map((edge, k) => [edge, responses[k]!]))
  const open = [...usedEdges, ...startingEdges]
  const inputs = [...weights, ...startingEdges.map(() => 0)]
  const flow = pushThrough(problem, open, inputs, { response })
  return flow?.unsold === 0 ? flow : null
}

/** Idle edges whose first unit pays as much as the prices at their ends. */
function edgesAboutToTrade({ edges, input, sold, bought, logPrice, logRate }: Allocation): readonly number[] {
  const gapOf = (k: number) => logPrice[sold[k]!]! - logPrice[bought[k]!]! - logRate[k]!
  return edges.filter((_, k) => input[k] === 0 && gapOf(k) < PRICE_ROUNDING)
}

/**
 * Edges that add next to nothing, or less than their gas. Their input is valued at the average proceeds of the bought token, not at
 * the margin: in drained pools the last unit is worth nothing. Returns diminish, so the average bounds the loss.
 */
function dustOf(problem: Problem, { edges, input, amountOut }: Flow): ReadonlySet<number> {
  const { from, to, tokens, scratch } = problem.graph.topology
  const dust = new Set<number>()
  scratch.within(() => {
    const wipe = (sums: Float64Array) => {
      for (const edge of edges) sums[from[edge]!] = 0
    }
    const sold = scratch.zeroFloats(tokens.length, wipe)
    const proceeds = scratch.zeroFloats(tokens.length, wipe)
    for (let place = edges.length - 1; place >= 0; place--) {
      const edge = edges[place]!
      const u = from[edge]!
      const v = to[edge]!
      const unitValue = v === problem.target ? 1 : proceeds[v]! / sold[v]!
      const added = outputOf(curveOf(problem, edge), input[place]!) * unitValue
      sold[u]! += input[place]!
      proceeds[u]! += added
      if (!(added > Math.max(NEGLIGIBLE_SHARE * amountOut, legCost(problem, edge, input[place]!)))) dust.add(edge)
    }
  })
  return dust
}

type PushOptions = Pick<PrunedEdges, 'response'> & {
  /** Order of the legs that share a pool: the best of several orders, or an arbitrary one. */
  readonly order?: 'best' | 'any'
}

/** Sends the amount through the edges; each token is divided in proportion to the weights. */
export function pushThrough(
  problem: Problem,
  edges: readonly number[],
  weights: readonly number[],
  { order = 'best', response }: PushOptions = {},
): Flow | null {
  return problem.graph.topology.scratch.within(() => {
    const cleaned = prune(problem, edges, weights)
    const pruned = cleaned && { ...cleaned, ...(response && { response }) }
    problem.budget.spend(problem.graph.topology.tokens.length / 4)
    if (!pruned) return null
    const flow = push(problem, pruned)
    const ordered = order === 'best' && problem.mayReusePools && usesPoolTwice(problem.graph, flow.edges)
    return ordered ? inBestOrder(problem, pruned, flow) : flow
  })
}

/** Sends the whole amount along a path. */
export function alongPath(problem: Problem, path: readonly number[]): Flow | null {
  const fullShares = path.map(() => 1)
  return pushThrough(problem, path, fullShares)
}

/** The order of legs that share a pool matters, because each leaves its fee in the pool. */
function inBestOrder(problem: Problem, { edgesByToken, weights, isCut }: PrunedEdges, flow: Flow): Flow {
  let best = flow
  for (const direction of [1, -1]) {
    const places = [...weights.keys()].sort((a, b) => direction * (weights[a]! - weights[b]!))
    const sorted = new EdgesByToken(
      problem,
      places.map((k) => edgesByToken.edges[k]!),
    )
    for (const first of ['newest', 'oldest'] as const) {
      const order = topologicalOrder(problem, sorted, first)!
      const other = push(problem, { edgesByToken: sorted, weights: places.map((k) => weights[k]!), order, isCut })
      if (other.amountOut > best.amountOut) best = other
    }
  }
  return best
}

/** Removes dead ends and cuts cycles at their thinnest edge. Null if no path from the source to the target remains. */
function prune(
  problem: Problem,
  initialEdges: readonly number[],
  initialWeights: readonly number[],
): PrunedEdges | null {
  const { from, to } = problem.graph.topology
  let [edges, weights] = [initialEdges, initialWeights]
  let cut = false
  // Each round removes an edge, or is the last.
  for (;;) {
    problem.budget.spend(8 * edges.length + problem.graph.topology.tokens.length / 8 + 1)
    const live = places(problem, edges)
    if (live.length < edges.length) {
      const [before, weightsBefore] = [edges, weights]
      edges = live.map((k) => before[k]!)
      weights = live.map((k) => weightsBefore[k]!)
      continue
    }
    const { source, target } = problem
    if (!edges.some((edge) => from[edge] === source) || !edges.some((edge) => to[edge] === target)) return null
    const outOf = new EdgesByToken(problem, edges)
    const order = topologicalOrder(problem, outOf)
    if (order) return { edgesByToken: outOf, weights, order, isCut: cut }
    const siblings = groupBy(edges.keys(), (k) => from[edges[k]!]!)
    const share = (k: number) => weights[k]! / siblings.get(from[edges[k]!]!)!.reduce((sum, j) => sum + weights[j]!, 0)
    const thinnest = findCycle(problem, edges)
      .map((edge) => edges.indexOf(edge))
      .reduce((a, b) => (share(b) < share(a) ? b : a))
    cut ||= share(thinnest) > NEGLIGIBLE_SHARE
    edges = edges.filter((_, k) => k !== thinnest)
    weights = weights.filter((_, k) => k !== thinnest)
  }
}

/** Indices of the edges whose sold token is bought by another edge, and whose bought token is sold by another (or is an end). */
function places({ graph, source, target }: Problem, edges: readonly number[]): readonly number[] {
  const { from, to, tokens, scratch } = graph.topology
  const wipe = (ends: Uint8Array) => {
    ends[source] = ends[target] = 0
    for (const edge of edges) ends[from[edge]!] = ends[to[edge]!] = 0
  }
  const reached = scratch.zeroBytes(tokens.length, wipe)
  const leaving = scratch.zeroBytes(tokens.length, wipe)
  reached[source] = leaving[target] = 1
  for (const edge of edges) reached[to[edge]!] = leaving[from[edge]!] = 1
  const live: number[] = []
  for (let k = 0; k < edges.length; k++) if (reached[from[edges[k]!]!]! & leaving[to[edges[k]!]!]!) live.push(k)
  return live
}

/** Returns true if the edges form no cycle. All of them must be reachable from the source. */
export function isAcyclic(problem: Problem, edges: readonly number[]): boolean {
  return problem.graph.topology.scratch.within(
    () => topologicalOrder(problem, new EdgesByToken(problem, edges)) !== null,
  )
}

/** Tokens in topological order, beginning with the source; null if the edges form a cycle. */
function topologicalOrder(
  { source, graph }: Problem,
  outOf: EdgesByToken,
  first: 'newest' | 'oldest' = 'newest',
): readonly number[] | null {
  const { to, tokens, scratch } = graph.topology
  const incoming = scratch.zeroInts(tokens.length, (counts) => {
    for (const edge of outOf.edges) counts[to[edge]!] = 0
  })
  for (const edge of outOf.edges) incoming[to[edge]!]! += 1
  const ready = incoming[source]! > 0 ? [] : [source]
  const order: number[] = []
  let visited = 0
  const next = () => (first === 'newest' ? ready.pop() : ready.shift())
  for (let token = next(); token !== undefined; token = next()) {
    order.push(token)
    for (let k = outOf.firstOf(token); k >= 0; k = outOf.nextAfter(k)) {
      visited++
      const bought = to[outOf.edges[k]!]!
      incoming[bought]! -= 1
      if (incoming[bought] === 0) ready.push(bought)
    }
  }
  return visited === outOf.edges.length ? order : null
}

/** Finds a cycle. Every token must have incoming and outgoing edges. */
function findCycle({ graph, source }: Problem, edges: readonly number[]): readonly number[] {
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
      const cycle = done.has(next) ? null : visit(next)
      if (cycle) return cycle
      path.pop()
    }
    onPath.delete(token)
    done.add(token)
    return null
  }
  for (const start of [source, ...edges.map((edge) => from[edge]!)]) {
    const cycle = done.has(start) ? null : visit(start)
    if (cycle) return cycle
  }
  return edges
}

/** Groups edges by a key. */
export function groupBy<K>(edges: Iterable<number>, key: (edge: number) => K): Map<K, number[]> {
  const groups = new Map<K, number[]>()
  for (const edge of edges) {
    const group = groups.get(key(edge))
    if (group) group.push(edge)
    else groups.set(key(edge), [edge])
  }
  return groups
}
