/** Edges with the input of each: a route before it is settled in exact integers. */

import { capacityOf, inputOf, outputOf, shortOfFlat } from '../graph/price-curve.ts'
import { roomFor } from '../graph/scratch.ts'
import { costOf, curveOf, type Problem } from '../problem/problem.ts'
import {
  FLOW_ROUNDING,
  NEGLIGIBLE,
  OVERFLOW_FALL,
  OVERFLOW_IDLE,
  OVERFLOW_MARGIN,
  OVERFLOW_ROUNDS,
} from '../tolerances.ts'
import type { Allocation } from './allocation.ts'
import { type Inflow, type Less, lessByRoom, lessOfAll } from './overflow.ts'
import { LegsInTurn, usesPoolTwice } from './shared-pools.ts'

/** In topological order of the tokens sold, the edges of a token side by side; inputs in base units. */
export type Flow = {
  readonly edges: readonly number[]
  readonly input: readonly number[]
  readonly amountOut: number
  /** `amountOut` less the cost of the legs. Below that of any flow that sells all, when part of the input is unsold. */
  readonly net: number
  /** Part of the input, or of a token on the way, that exceeds the capacity of the edges; 0 when they take all. */
  readonly unsold: number
  /** Most edges in series. */
  readonly hops: number
  /** True where a cycle had to be cut: some pools disagree on a price by more than their fees. */
  readonly cut: boolean
}

/** The flow at an allocation's prices, without cycles, dead ends, and edges that pay next to nothing. */
export function flowOf(problem: Problem, allocation: Allocation): Flow | null {
  const edges: number[] = []
  const weights: number[] = []
  for (let k = 0; k < allocation.edges.length; k++) {
    if (!(allocation.input[k]! > 0)) continue
    edges.push(allocation.edges[k]!)
    weights.push(allocation.input[k]!)
  }
  const flow = pushThrough(problem, edges, weights)
  if (!flow) return null
  const dust = dustOf(problem, flow)
  if (dust.size === 0) return flow
  const kept = (_: number, k: number) => !dust.has(edges[k]!)
  const lean = pushThrough(problem, edges.filter(kept), weights.filter(kept))
  // What pays next to nothing may be all that takes the rest of a token.
  return lean && lean.unsold > flow.unsold ? flow : lean
}

/**
 * Edges whose removal costs next to nothing. Their part is valued by what a token buys on average, not at the margin: where
 * pools are drained the last unit sold is worth nothing, whatever the first ones brought. Returns diminish, so the average
 * bounds the loss.
 */
function dustOf(problem: Problem, { edges, input, amountOut }: Flow): ReadonlySet<number> {
  const { from, to, tokens, scratch } = problem.graph.topology
  const dust = new Set<number>()
  scratch.within(() => {
    const wipe = (sums: Float64Array) => {
      for (const edge of edges) sums[from[edge]!] = 0
    }
    const sold = scratch.zeroFloats(tokens.length, wipe)
    const brought = scratch.zeroFloats(tokens.length, wipe)
    for (let place = edges.length - 1; place >= 0; place--) {
      const edge = edges[place]!
      const u = from[edge]!
      const v = to[edge]!
      const worth = v === problem.target ? 1 : brought[v]! / sold[v]!
      const added = outputOf(curveOf(problem, edge), input[place]!) * worth
      sold[u]! += input[place]!
      brought[u]! += added
      if (!(added > NEGLIGIBLE * amountOut)) dust.add(edge)
    }
  })
  return dust
}

/**
 * Sends the amount through edges that divide each token by their weights.
 *
 * @param order - of legs that share a pool: the best of some, or whichever comes first
 */
export function pushThrough(
  problem: Problem,
  edges: readonly number[],
  weights: readonly number[],
  order: 'best' | 'any' = 'best',
): Flow | null {
  return problem.graph.topology.scratch.within(() => {
    const pruned = prune(problem, edges, weights)
    problem.budget.spend(problem.graph.topology.tokens.length / 4)
    if (!pruned) return null
    const flow = push(problem, pruned)
    const ordered = order === 'best' && problem.reuse && usesPoolTwice(problem.graph, flow.edges)
    return ordered ? inBestOrder(problem, pruned, flow) : flow
  })
}

/** Sends the whole amount along a path. */
export function alongPath(problem: Problem, path: readonly number[]): Flow | null {
  const whole = path.map(() => 1)
  return pushThrough(problem, path, whole)
}

/** Which leg of a shared pool comes first makes a difference, by the fee that it leaves there. */
function inBestOrder(problem: Problem, { outOf, weights, cut }: Pruned, flow: Flow): Flow {
  let best = flow
  for (const direction of [1, -1]) {
    const places = [...weights.keys()].sort((a, b) => direction * (weights[a]! - weights[b]!))
    const sorted = new OutOf(
      problem,
      places.map((k) => outOf.edges[k]!),
    )
    for (const first of ['newest', 'oldest'] as const) {
      const order = topologicalOrder(problem, sorted, first)!
      const other = push(problem, { outOf: sorted, weights: places.map((k) => weights[k]!), order, cut })
      if (other.amountOut > best.amountOut) best = other
    }
  }
  return best
}

/** Edges by the token that they sell, as lists of their places. */
class OutOf {
  readonly edges: readonly number[]
  private readonly first: Int32Array
  private readonly following: Int32Array

  constructor({ graph }: Problem, edges: readonly number[]) {
    const { from, tokens, scratch } = graph.topology
    this.edges = edges
    this.first = scratch.noPlaces(tokens.length, (first) => {
      for (const edge of edges) first[from[edge]!] = -1
    })
    this.following = scratch.ints(roomFor(edges.length))
    for (let k = edges.length - 1; k >= 0; k--) {
      const token = from[edges[k]!]!
      this.following[k] = this.first[token]!
      this.first[token] = k
    }
  }

  /** The first place of a token, and the one after a place; −1 where there are no more. */
  of(token: number): number {
    return this.first[token]!
  }

  after(place: number): number {
    return this.following[place]!
  }
}

type Pruned = {
  readonly outOf: OutOf
  readonly weights: readonly number[]
  /** Tokens from the source on, each before all that its edges buy. */
  readonly order: readonly number[]
  readonly cut: boolean
}

/** Sends the amount through, and again with less into tokens whose edges cannot take all that arrives. */
function push(problem: Problem, pruned: Pruned): Flow {
  const first = pushOnce(problem, pruned, new Map())
  if (first.overflow.size === 0) return first
  const byRoom = pushWithin(problem, pruned, first, lessByRoom)
  return byRoom.unsold === 0 ? byRoom : pushWithin(problem, pruned, first, lessOfAll)
}

/** A flow with what its edges could not take of each token between the ends, base units. */
type PushedFlow = Flow & { readonly overflow: ReadonlyMap<number, number> }

function pushWithin(problem: Problem, pruned: Pruned, first: PushedFlow, less: Less): PushedFlow {
  const { to } = problem.graph.topology
  const limits = new Map<number, number>()
  let flow = first
  let least = first.unsold
  let idle = 0
  for (let round = 0; round < OVERFLOW_ROUNDS && idle < OVERFLOW_IDLE && flow.overflow.size > 0; round++) {
    for (const [token, excess] of flow.overflow) {
      const inflows = flow.edges.flatMap((edge, k): Inflow[] => {
        if (to[edge] !== token) return []
        const [curve, input] = [curveOf(problem, edge), flow.input[k]!]
        return [{ edge, input, output: outputOf(curve, input), room: capacityOf(curve) - input }]
      })
      for (const [k, kept] of less(inflows, excess).entries()) {
        const { edge, input, output } = inflows[k]!
        if (kept === output) continue
        const wanted = inputOf(curveOf(problem, edge), kept * (1 - OVERFLOW_MARGIN))
        limits.set(edge, Math.min(wanted, input * (1 - OVERFLOW_MARGIN)))
      }
    }
    flow = pushOnce(problem, pruned, limits)
    // What one token no longer takes may at first be too much for the next.
    idle = flow.unsold < least * OVERFLOW_FALL ? 0 : idle + 1
    least = Math.min(least, flow.unsold)
  }
  return flow
}

function pushOnce(
  problem: Problem,
  { outOf, weights, order, cut }: Pruned,
  limits: ReadonlyMap<number, number>,
): PushedFlow {
  const { source, target, amountIn } = problem
  const { to, tokens, scratch } = problem.graph.topology
  const wipe = (byToken: Float64Array | Int32Array) => {
    byToken[source] = 0
    for (const edge of outOf.edges) byToken[to[edge]!] = 0
  }
  const held = scratch.zeroFloats(tokens.length, wipe)
  const depth = scratch.zeroInts(tokens.length, wipe)
  held[source] = amountIn
  const edges: number[] = []
  const inputs: number[] = []
  let cost = 0
  let unsold = 0
  const overflow = new Map<number, number>()
  const legs = new LegsInTurn(problem, outOf.edges)
  const limitOf = (edge: number) =>
    Math.min(limits.get(edge) ?? Number.POSITIVE_INFINITY, capacityOf(curveOf(problem, edge)))
  for (const token of order) {
    if (token === target) continue
    let total = 0
    for (let k = outOf.of(token); k >= 0; k = outOf.after(k)) total += weights[k]!
    const first = inputs.length
    const most: number[] = []
    const short: number[] = []
    let isOver = false
    for (let k = outOf.of(token); k >= 0; k = outOf.after(k)) {
      const edge = outOf.edges[k]!
      const input = (held[token]! * weights[k]!) / total
      const limit = limitOf(edge)
      const curve = curveOf(problem, edge)
      const near = curve.gasPerPiece > 0 ? shortOfFlat(curve, Math.min(input, limit)) : Math.min(input, limit)
      isOver ||= near < input
      edges.push(edge)
      inputs.push(input)
      most.push(limit)
      short.push(near < input ? near : limit)
    }
    if (isOver) {
      // Short of the ticks where pools have no liquidity, unless the other edges cannot take the rest.
      const given = inputs.slice(first)
      let left = withinCapacity(inputs, first, short) / held[token]!
      if (left > 0) {
        for (const [k, input] of given.entries()) inputs[first + k] = input
        left = withinCapacity(inputs, first, most) / held[token]!
      }
      if (left > FLOW_ROUNDING) {
        unsold = Math.max(unsold, left)
        if (token !== source) overflow.set(token, left * held[token]!)
      }
    }
    for (let k = first; k < inputs.length; k++) {
      const edge = edges[k]!
      const next = to[edge]!
      held[next]! += legs.output(edge, inputs[k]!)
      depth[next] = Math.max(depth[next]!, depth[token]! + 1)
      cost += costOf(problem, edge, inputs[k]!)
    }
  }
  const amountOut = held[target]!
  const net = unsold > 0 ? -unsold * Number.MAX_VALUE : amountOut - cost
  return { edges, input: inputs, amountOut, net, unsold, hops: depth[target]!, cut, overflow }
}

/**
 * Moves what exceeds the most that inputs may be to the others, in proportion to them.
 *
 * @param first - place of the first input; all from there on divide one token
 * @param most - of each of them
 * @returns the amount that none can take
 */
function withinCapacity(inputs: number[], first: number, most: readonly number[]): number {
  // Each round fills at least one more, or is the last.
  for (;;) {
    let excess = 0
    let open = 0
    for (const [k, limit] of most.entries()) {
      const input = inputs[first + k]!
      if (input < limit) open += input
      else {
        excess += input - limit
        inputs[first + k] = limit
      }
    }
    if (!(excess > 0) || open === 0) return excess
    const grown = 1 + excess / open
    for (const [k, limit] of most.entries()) if (inputs[first + k]! < limit) inputs[first + k]! *= grown
  }
}

/** Drops dead ends and cuts cycles at their thinnest edge; null where nothing is left that joins source and target. */
function prune(problem: Problem, given: readonly number[], givenWeights: readonly number[]): Pruned | null {
  const { from, to } = problem.graph.topology
  let [edges, weights] = [given, givenWeights]
  let cut = false
  // Each round leaves fewer edges, or is the last.
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
    const outOf = new OutOf(problem, edges)
    const order = topologicalOrder(problem, outOf)
    if (order) return { outOf, weights, order, cut }
    const beside = groupBy(edges.keys(), (k) => from[edges[k]!]!)
    const share = (k: number) => weights[k]! / beside.get(from[edges[k]!]!)!.reduce((sum, j) => sum + weights[j]!, 0)
    const thinnest = findCycle(problem, edges)
      .map((edge) => edges.indexOf(edge))
      .reduce((a, b) => (share(b) < share(a) ? b : a))
    cut ||= share(thinnest) > NEGLIGIBLE
    edges = edges.filter((_, k) => k !== thinnest)
    weights = weights.filter((_, k) => k !== thinnest)
  }
}

/** Places of the edges whose token sold something brings, and whose token bought something sells. */
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

/** True where edges that all lie on ways from the source form no cycle. */
export function isAcyclic(problem: Problem, edges: readonly number[]): boolean {
  return problem.graph.topology.scratch.within(() => topologicalOrder(problem, new OutOf(problem, edges)) !== null)
}

/** Tokens from the source on, each before all that its edges buy; null where they form a cycle. */
function topologicalOrder(
  { source, graph }: Problem,
  outOf: OutOf,
  first: 'newest' | 'oldest' = 'newest',
): readonly number[] | null {
  const { to, tokens, scratch } = graph.topology
  const incoming = scratch.zeroInts(tokens.length, (counts) => {
    for (const edge of outOf.edges) counts[to[edge]!] = 0
  })
  for (const edge of outOf.edges) incoming[to[edge]!]! += 1
  const ready = incoming[source]! > 0 ? [] : [source]
  const order: number[] = []
  let seen = 0
  const next = () => (first === 'newest' ? ready.pop() : ready.shift())
  for (let token = next(); token !== undefined; token = next()) {
    order.push(token)
    for (let k = outOf.of(token); k >= 0; k = outOf.after(k)) {
      seen++
      const bought = to[outOf.edges[k]!]!
      incoming[bought]! -= 1
      if (incoming[bought] === 0) ready.push(bought)
    }
  }
  return seen === outOf.edges.length ? order : null
}

/** Some cycle among edges of which no token is without a way in or out. */
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
