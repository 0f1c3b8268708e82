/** Turns allocations into flows: edges with their inputs, in topological order, before settlement in integers. */

import { outputOf } from '../graph/price-curve.ts'
import { curveOf, legCost, type Problem } from '../problem/problem.ts'
import { NEGLIGIBLE_SHARE, PRICE_ROUNDING, UNRESOLVED_SHARE } from '../tolerances.ts'
import type { Allocation } from './allocation.ts'
import { EdgesByToken, type Flow, type PrunedEdges, push } from './push.ts'
import { usesPoolTwice } from './shared-pools.ts'

export type { Flow } from './push.ts'

/**
 * Builds the flow at an allocation's prices, without cycles, dead ends, and edges that add next to nothing. Null if
 * nothing reaches the target.
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
  // A removed edge may be the only edge that takes the last part of a token, so compare the outputs.
  return flowWithoutDust && flowWithoutDust.net >= flow.net * (1 - NEGLIGIBLE_SHARE) ? flowWithoutDust : flow
}

/**
 * Builds the flow if prices do not determine the inputs. A very deep pool may trade its whole input or nothing within
 * the precision of a float price. The edges that respond most to prices get the missing input. Null if the inputs are
 * precise, or if no pool is that deep.
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
  const openEdges = [...usedEdges, ...startingEdges]
  const inputs = [...weights, ...startingEdges.map(() => 0)]
  const flow = pushThrough(problem, openEdges, inputs, { response })
  return flow?.unsold === 0 ? flow : null
}

/** Idle edges whose first unit pays as much as the prices at their ends. */
function edgesAboutToTrade({ edges, input, sold, bought, logPrice, logRate }: Allocation): readonly number[] {
  const gapOf = (k: number) => logPrice[sold[k]!]! - logPrice[bought[k]!]! - logRate[k]!
  return edges.filter((_, k) => input[k] === 0 && gapOf(k) < PRICE_ROUNDING)
}

/**
 * Edges that add next to nothing, or less than their gas. The output of an edge is valued at the average proceeds of
 * the bought token, not at the marginal proceeds: in a drained pool, the last unit is worth nothing. Marginal proceeds
 * fall, so the average is an upper bound on the loss.
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
    for (let index = edges.length - 1; index >= 0; index--) {
      const edge = edges[index]!
      const soldToken = from[edge]!
      const boughtToken = to[edge]!
      const unitValue = boughtToken === problem.target ? 1 : proceeds[boughtToken]! / sold[boughtToken]!
      const added = outputOf(curveOf(problem, edge), input[index]!) * unitValue
      sold[soldToken]! += input[index]!
      proceeds[soldToken]! += added
      if (!(added > Math.max(NEGLIGIBLE_SHARE * amountOut, legCost(problem, edge, input[index]!)))) dust.add(edge)
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
    const prunedEdges = prune(problem, edges, weights)
    const pushedEdges = prunedEdges && { ...prunedEdges, ...(response && { response }) }
    problem.budget.spend(problem.graph.topology.tokens.length / 4)
    if (!pushedEdges) return null
    const flow = push(problem, pushedEdges)
    const needsOrder = order === 'best' && problem.mayReusePools && usesPoolTwice(problem.graph, flow.edges)
    return needsOrder ? inBestOrder(problem, pushedEdges, flow) : flow
  })
}

/** Sends the whole amount along a path. */
export function alongPath(problem: Problem, path: readonly number[]): Flow | null {
  const fullShares = path.map(() => 1)
  return pushThrough(problem, path, fullShares)
}

/** Finds the best order of legs that share a pool. The order matters, because each leg leaves its fee in the pool. */
function inBestOrder(problem: Problem, { edgesByToken, weights, isCut }: PrunedEdges, flow: Flow): Flow {
  let best = flow
  for (const direction of [1, -1]) {
    const sortedIndices = [...weights.keys()].sort((a, b) => direction * (weights[a]! - weights[b]!))
    const sorted = new EdgesByToken(
      problem,
      sortedIndices.map((k) => edgesByToken.edges[k]!),
    )
    for (const first of ['newest', 'oldest'] as const) {
      const order = topologicalOrder(problem, sorted, first)!
      const orderedFlow = push(problem, {
        edgesByToken: sorted,
        weights: sortedIndices.map((k) => weights[k]!),
        order,
        isCut,
      })
      if (orderedFlow.amountOut > best.amountOut) best = orderedFlow
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
    const live = liveIndices(problem, edges)
    if (live.length < edges.length) {
      const [edgesBefore, weightsBefore] = [edges, weights]
      edges = live.map((k) => edgesBefore[k]!)
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

/**
 * Indices of the edges whose sold token is bought by another edge, and whose bought token is sold by another (or is an
 * end).
 */
function liveIndices({ graph, source, target }: Problem, edges: readonly number[]): readonly number[] {
  const { from, to, tokens, scratch } = graph.topology
  const wipe = (ends: Uint8Array) => {
    ends[source] = ends[target] = 0
    for (const edge of edges) ends[from[edge]!] = ends[to[edge]!] = 0
  }
  const boughtTokens = scratch.zeroBytes(tokens.length, wipe)
  const soldTokens = scratch.zeroBytes(tokens.length, wipe)
  boughtTokens[source] = soldTokens[target] = 1
  for (const edge of edges) boughtTokens[to[edge]!] = soldTokens[from[edge]!] = 1
  const live: number[] = []
  for (let k = 0; k < edges.length; k++) if (boughtTokens[from[edges[k]!]!]! & soldTokens[to[edges[k]!]!]!) live.push(k)
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
  const nextToken = () => (first === 'newest' ? ready.pop() : ready.shift())
  for (let token = nextToken(); token !== undefined; token = nextToken()) {
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
  const finishedTokens = new Set<number>()
  const visit = (token: number): readonly number[] | null => {
    onPath.add(token)
    for (const edge of outOf.get(token) ?? []) {
      const next = to[edge]!
      path.push(edge)
      if (onPath.has(next)) return path.slice(path.findIndex((step) => from[step] === next))
      const cycle = finishedTokens.has(next) ? null : visit(next)
      if (cycle) return cycle
      path.pop()
    }
    onPath.delete(token)
    finishedTokens.add(token)
    return null
  }
  for (const start of [source, ...edges.map((edge) => from[edge]!)]) {
    const cycle = finishedTokens.has(start) ? null : visit(start)
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
