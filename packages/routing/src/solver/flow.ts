/**
 * Turns allocations into flows. An allocation is a set of edges (pools in one direction) with token prices; it may have
 * cycles. A flow has no cycles. It lists edges with their inputs, as floats in base units, in topological order. A
 * multi-token pool has more than two tokens.
 */

import { outputOf } from '../graph/price-curve.ts'
import { curveOf, legCost, type Problem } from '../problem/problem.ts'
import { NEGLIGIBLE_SHARE, PRICE_ROUNDING, UNRESOLVED_SHARE } from '../tolerances.ts'
import type { Allocation } from './allocation.ts'
import { type AcyclicEdges, EdgesByToken, type Flow, push } from './push.ts'
import { usesPoolTwice } from './shared-pools.ts'

export type { Flow } from './push.ts'

/**
 * Builds the flow of an allocation, without cycles, dead ends, and dust (edges that add next to nothing). Null if no
 * path reaches the target.
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
  // A removed edge may be the only one that takes the last part of a token. So the flow without dust is used only if
  // its net output is about as high.
  return flowWithoutDust && flowWithoutDust.net >= flow.net * (1 - NEGLIGIBLE_SHARE) ? flowWithoutDust : flow
}

/**
 * Builds the flow if prices do not determine the inputs. Within the precision of a float price, a very deep pool may
 * trade anything between nothing and its whole input. If the given inputs do not sell the whole amount of a token, the
 * remainder is divided among the token's edges, in proportion to their conductance (see `CurvePoint`). Null if the
 * inputs are precise, if no pool is that deep, or if a part of the trade stays unsold.
 */
function unresolvedFlow(
  problem: Problem,
  allocation: Allocation,
  usedEdges: readonly number[],
  weights: readonly number[],
): Flow | null {
  const { residual, edges, conductance, soldTokens, prices, value } = allocation
  if (!(residual > UNRESOLVED_SHARE)) return null
  const { graph } = problem
  const startingEdges = edgesAboutToTrade(allocation)
  const conductances = edges.map((edge, k) =>
    startingEdges.includes(edge) ? graph.conductance[edge]! : conductance[k]!,
  )
  const isDeep = (edgeConductance: number, k: number) =>
    edgeConductance * prices[soldTokens[k]!]! * PRICE_ROUNDING > UNRESOLVED_SHARE * value
  if (!conductances.some(isDeep)) return null
  const conductanceByEdge = new Map(edges.map((edge, k) => [edge, conductances[k]!]))
  const openEdges = [...usedEdges, ...startingEdges]
  const inputs = [...weights, ...startingEdges.map(() => 0)]
  const flow = pushThrough(problem, openEdges, inputs, { conductanceByEdge })
  return flow?.unsoldShare === 0 ? flow : null
}

/** Idle edges whose rate for the first unit equals the ratio of their tokens' prices, within float precision. */
function edgesAboutToTrade({
  edges,
  input,
  soldTokens,
  boughtTokens,
  logPrice,
  logRate,
}: Allocation): readonly number[] {
  const gapOf = (k: number) => logPrice[soldTokens[k]!]! - logPrice[boughtTokens[k]!]! - logRate[k]!
  return edges.filter((_, k) => input[k] === 0 && gapOf(k) < PRICE_ROUNDING)
}

/**
 * Edges that add next to nothing, or less than their gas. The output of an edge is valued at the average proceeds of a
 * unit of the bought token, not at the marginal proceeds. Reason: if a later pool of the path is drained, the last unit
 * is worth nothing. Marginal proceeds fall with the amount, so the average gives an upper bound on the loss from
 * removing the edge.
 */
function dustOf(problem: Problem, { edges, input, amountOut }: Flow): ReadonlySet<number> {
  const { from, to, tokens, scratch } = problem.graph.topology
  const dust = new Set<number>()
  scratch.within(() => {
    const wipe = (sums: Float64Array) => {
      for (const edge of edges) sums[from[edge]!] = 0
    }
    // By sold token: amount that the edges sell, and its proceeds in output base units.
    const soldAmount = scratch.zeroFloats(tokens.length, wipe)
    const proceeds = scratch.zeroFloats(tokens.length, wipe)
    for (let index = edges.length - 1; index >= 0; index--) {
      const edge = edges[index]!
      const soldToken = from[edge]!
      const boughtToken = to[edge]!
      const unitValue = boughtToken === problem.target ? 1 : proceeds[boughtToken]! / soldAmount[boughtToken]!
      const addedValue = outputOf(curveOf(problem, edge), input[index]!) * unitValue
      soldAmount[soldToken]! += input[index]!
      proceeds[soldToken]! += addedValue
      if (!(addedValue > Math.max(NEGLIGIBLE_SHARE * amountOut, legCost(problem, edge, input[index]!)))) dust.add(edge)
    }
  })
  return dust
}

type PushOptions = Pick<AcyclicEdges, 'conductanceByEdge'> & {
  /** Order of legs that swap in the same multi-token pool: the best of several orders, or an arbitrary one. */
  readonly legOrder?: 'best' | 'any'
}

/**
 * Sends the amount through the edges. Each token is divided among its outgoing edges in proportion to their weights.
 * Null if no path from the source to the target remains.
 */
export function pushThrough(
  problem: Problem,
  edges: readonly number[],
  weights: readonly number[],
  { legOrder = 'best', conductanceByEdge }: PushOptions = {},
): Flow | null {
  return problem.graph.topology.scratch.within(() => {
    const acyclicEdges = removeDeadEndsAndCycles(problem, edges, weights)
    const pushedEdges = acyclicEdges && { ...acyclicEdges, ...(conductanceByEdge && { conductanceByEdge }) }
    problem.budget.spend(problem.graph.topology.tokens.length / 4)
    if (!pushedEdges) return null
    const flow = push(problem, pushedEdges)
    const needsOrder = legOrder === 'best' && problem.mayReusePools && usesPoolTwice(problem.graph, flow.edges)
    return needsOrder ? inBestOrder(problem, pushedEdges, flow) : flow
  })
}

/** Sends the whole amount along a path. */
export function alongPath(problem: Problem, path: readonly number[]): Flow | null {
  const fullShares = path.map(() => 1)
  return pushThrough(problem, path, fullShares)
}

/**
 * Tries a few orders of the legs that swap in the same multi-token pool, and returns the best flow. The order matters,
 * because each leg leaves its fee in the pool.
 */
function inBestOrder(problem: Problem, { edgesByToken, weights, hasCutCycle }: AcyclicEdges, flow: Flow): Flow {
  let best = flow
  for (const direction of [1, -1]) {
    const sortedIndices = [...weights.keys()].sort((a, b) => direction * (weights[a]! - weights[b]!))
    const sortedEdges = new EdgesByToken(
      problem,
      sortedIndices.map((k) => edgesByToken.edges[k]!),
    )
    for (const firstReady of ['newest', 'oldest'] as const) {
      const order = topologicalOrder(problem, sortedEdges, firstReady)!
      const orderedFlow = push(problem, {
        edgesByToken: sortedEdges,
        weights: sortedIndices.map((k) => weights[k]!),
        order,
        hasCutCycle,
      })
      if (orderedFlow.amountOut > best.amountOut) best = orderedFlow
    }
  }
  return best
}

/**
 * Removes dead ends, and cuts each cycle at the edge with the smallest share of its sold token. Null if no path from
 * the source to the target remains.
 */
function removeDeadEndsAndCycles(
  problem: Problem,
  initialEdges: readonly number[],
  initialWeights: readonly number[],
): AcyclicEdges | null {
  const { from, to } = problem.graph.topology
  let [edges, weights] = [initialEdges, initialWeights]
  let hasCutCycle = false
  // Each round removes an edge, or is the last.
  for (;;) {
    problem.budget.spend(8 * edges.length + problem.graph.topology.tokens.length / 8 + 1)
    const keptIndices = indicesWithoutDeadEnds(problem, edges)
    if (keptIndices.length < edges.length) {
      const [edgesBefore, weightsBefore] = [edges, weights]
      edges = keptIndices.map((k) => edgesBefore[k]!)
      weights = keptIndices.map((k) => weightsBefore[k]!)
      continue
    }
    const { source, target } = problem
    if (!edges.some((edge) => from[edge] === source) || !edges.some((edge) => to[edge] === target)) return null
    const edgesByToken = new EdgesByToken(problem, edges)
    const order = topologicalOrder(problem, edgesByToken)
    if (order) return { edgesByToken, weights, order, hasCutCycle }
    const indicesBySoldToken = groupBy(edges.keys(), (k) => from[edges[k]!]!)
    const shareOf = (k: number) =>
      weights[k]! / indicesBySoldToken.get(from[edges[k]!]!)!.reduce((sum, j) => sum + weights[j]!, 0)
    const smallestShareIndex = findCycle(problem, edges)
      .map((edge) => edges.indexOf(edge))
      .reduce((a, b) => (shareOf(b) < shareOf(a) ? b : a))
    hasCutCycle ||= shareOf(smallestShareIndex) > NEGLIGIBLE_SHARE
    edges = edges.filter((_, k) => k !== smallestShareIndex)
    weights = weights.filter((_, k) => k !== smallestShareIndex)
  }
}

/**
 * Returns the indices of the edges that are not dead ends. The token that such an edge sells is the source, or another
 * edge buys it. The token that it buys is the target, or another edge sells it.
 */
function indicesWithoutDeadEnds({ graph, source, target }: Problem, edges: readonly number[]): readonly number[] {
  const { from, to, tokens, scratch } = graph.topology
  const wipe = (flags: Uint8Array) => {
    flags[source] = flags[target] = 0
    for (const edge of edges) flags[from[edge]!] = flags[to[edge]!] = 0
  }
  const boughtTokens = scratch.zeroBytes(tokens.length, wipe)
  const soldTokens = scratch.zeroBytes(tokens.length, wipe)
  boughtTokens[source] = soldTokens[target] = 1
  for (const edge of edges) boughtTokens[to[edge]!] = soldTokens[from[edge]!] = 1
  const indices: number[] = []
  for (let k = 0; k < edges.length; k++)
    if (boughtTokens[from[edges[k]!]!]! & soldTokens[to[edges[k]!]!]!) indices.push(k)
  return indices
}

/** Returns true if the edges form no cycle. Edges that are not reachable from the source count as a cycle. */
export function isAcyclic(problem: Problem, edges: readonly number[]): boolean {
  return problem.graph.topology.scratch.within(
    () => topologicalOrder(problem, new EdgesByToken(problem, edges)) !== null,
  )
}

/**
 * Tokens in topological order, beginning with the source; null if the edges form a cycle.
 *
 * @param firstReady - which of several tokens comes first if the edges do not order them: the token that was reached
 *   last (`newest`) or first (`oldest`)
 */
function topologicalOrder(
  { source, graph }: Problem,
  edgesByToken: EdgesByToken,
  firstReady: 'newest' | 'oldest' = 'newest',
): readonly number[] | null {
  const { to, tokens, scratch } = graph.topology
  const incoming = scratch.zeroInts(tokens.length, (counts) => {
    for (const edge of edgesByToken.edges) counts[to[edge]!] = 0
  })
  for (const edge of edgesByToken.edges) incoming[to[edge]!]! += 1
  const readyTokens = incoming[source]! > 0 ? [] : [source]
  const order: number[] = []
  let visited = 0
  const nextToken = () => (firstReady === 'newest' ? readyTokens.pop() : readyTokens.shift())
  for (let token = nextToken(); token !== undefined; token = nextToken()) {
    order.push(token)
    for (let k = edgesByToken.firstOf(token); k >= 0; k = edgesByToken.nextAfter(k)) {
      visited++
      const boughtToken = to[edgesByToken.edges[k]!]!
      incoming[boughtToken]! -= 1
      if (incoming[boughtToken] === 0) readyTokens.push(boughtToken)
    }
  }
  return visited === edgesByToken.edges.length ? order : null
}

/** Finds a cycle. Every token except the ends must have incoming and outgoing edges. */
function findCycle({ graph, source }: Problem, edges: readonly number[]): readonly number[] {
  const { from, to } = graph.topology
  const edgesByToken = groupBy(edges, (edge) => from[edge]!)
  const path: number[] = []
  const onPath = new Set<number>()
  const finishedTokens = new Set<number>()
  const visit = (token: number): readonly number[] | null => {
    onPath.add(token)
    for (const edge of edgesByToken.get(token) ?? []) {
      const boughtToken = to[edge]!
      path.push(edge)
      if (onPath.has(boughtToken)) return path.slice(path.findIndex((pathEdge) => from[pathEdge] === boughtToken))
      const cycle = finishedTokens.has(boughtToken) ? null : visit(boughtToken)
      if (cycle) return cycle
      path.pop()
    }
    onPath.delete(token)
    finishedTokens.add(token)
    return null
  }
  for (const startToken of [source, ...edges.map((edge) => from[edge]!)]) {
    const cycle = finishedTokens.has(startToken) ? null : visit(startToken)
    if (cycle) return cycle
  }
  return edges
}

/** Groups edges, or their indices, by a key. */
export function groupBy<K>(edges: Iterable<number>, key: (edge: number) => K): Map<K, number[]> {
  const groups = new Map<K, number[]>()
  for (const edge of edges) {
    const group = groups.get(key(edge))
    if (group) group.push(edge)
    else groups.set(key(edge), [edge])
  }
  return groups
}
