/**
 * Where pools disagree on a price by more than their fees, the best division runs money in circles: an arbitrage, which is
 * not for the user to carry. The circles are opened at the edge that carries least, and the rest is divided again.
 */
import type { Graph } from '../graph.ts'
import { WorkBudget } from './budget.ts'
import { generateColumns } from './columns.ts'
import { type Flow, groupBy, isAcyclic } from './flow.ts'
import type { Frontier } from './frontier.ts'
import { type Problem, without } from './problem.ts'
import type { WaterFilling } from './water-filling.ts'

/** Opening circles makes others pay; what is left after so many rounds is cut by `flow.ts`. */
const MAX_ROUNDS = 32
/** Circles that carry less than this part of the trade are rounding. */
const NEGLIGIBLE = 1e-7

/** What a circle gains by less than this part of each rate is rounding: fitted curves of a wrapper gain 1e-9 there and back. */
const LEAST_GAIN = 1e-8
/** Rounds of correcting labels between two looks for a circle. */
const CHECK_EVERY = 8

/** A division of the trade, and the problem it is of: without the edges that had to go. */
export type Division = { readonly open: Problem; readonly filling: WaterFilling }

/** Graphs of which it is known whether any of their pools disagree. */
const disagreeing = new WeakMap<Graph, boolean>()

/** Whether some pools disagree on a price by more than their fees. Most graphs have none, whatever a request leaves out. */
export function gainsInCircle({ graph, rate, taxed, budget }: Problem): boolean {
  let anywhere = disagreeing.get(graph)
  if (anywhere === undefined) {
    // Known to all requests of the block, so none of them pays for it.
    anywhere = new WorkBudget().attempt(
      1,
      (own) => feedsItself(graph, graph.rate, own),
      () => true,
    )
    disagreeing.set(graph, anywhere)
  }
  return (anywhere || taxed.size > 0) && feedsItself(graph, rate, budget)
}

/**
 * Labels that gain are corrected until one feeds itself. A label of a round stands for a way of as many edges: after as many
 * rounds as there are tokens, it has come by one of them twice.
 */
function feedsItself(graph: Graph, rate: Float64Array, budget: WorkBudget): boolean {
  const { from, to, offset, tokens, scratch } = graph.topology
  const best = scratch.floats(tokens.length, 1)
  const link = scratch.ints(tokens.length, -1)
  let frontier = tokens.map((_, token) => token)
  for (let round = 1; frontier.length > 0; round++) {
    if (round > tokens.length) return true
    const next = new Set<number>()
    for (const token of frontier) {
      budget.spend(1 + offset[token + 1]! - offset[token]!)
      for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
        const other = to[edge]!
        const label = best[token]! * rate[edge]!
        if (!(label > best[other]! * (1 + LEAST_GAIN))) continue
        best[other] = label
        link[other] = edge
        next.add(other)
      }
    }
    frontier = [...next]
    if (round % CHECK_EVERY === 0 && frontier.some((token) => leadsBack(link, from, token))) return true
  }
  return false
}

/** Whether the way by which a token got its label comes by a token twice. */
function leadsBack(link: Int32Array, from: ArrayLike<number>, token: number): boolean {
  const seen = new Set<number>()
  for (let at = token; link[at]! >= 0; at = from[link[at]!]!) {
    if (seen.has(at)) return true
    seen.add(at)
  }
  return false
}

/** Takes edges out of a division until money runs in no circle. */
export function openCircles({ open, filling }: Division, around: (open: Problem) => Frontier): Division {
  let left = open
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const closing = closingEdges(left, filling)
    if (closing.size === 0) break
    left = without(left, closing)
    filling.removeEdges(closing)
    generateColumns(left, filling, around(left))
  }
  return { open: left, filling }
}

/** The problem without the edges that lead back from a token of the flow to an earlier one. */
export function inOrderOf(problem: Problem, { edges }: Flow): Problem {
  const { from, to, offset } = problem.graph.topology
  const place = new Map<number, number>()
  for (const edge of edges) if (!place.has(from[edge]!)) place.set(from[edge]!, place.size)
  const backwards: number[] = []
  for (const [token, at] of place) {
    for (let edge = offset[token]!; edge < offset[token + 1]!; edge++)
      if ((place.get(to[edge]!) ?? at) < at) backwards.push(edge)
  }
  return without(problem, backwards)
}

/** Of every circle the edge that carries least, once what the circles share is taken off. */
function closingEdges(problem: Problem, filling: WaterFilling): Set<number> {
  const { from, to } = problem.graph.topology
  const carried = new Map<number, number>()
  for (let k = 0; k < filling.edges.length; k++) {
    if (!(filling.input[k]! > 0)) continue
    const edge = filling.edges[k]!
    const worth = filling.input[k]! * filling.price(from[edge]!)
    if (worth > NEGLIGIBLE * filling.value) carried.set(edge, worth)
  }
  const closing = new Set<number>()
  if (isAcyclic(problem, [...carried.keys()])) return closing
  const outOf = groupBy(carried.keys(), (edge) => from[edge]!)
  const done = new Set<number>()
  for (const start of outOf.keys()) {
    // Depth first; whenever the way meets itself, the circle is opened and the way goes on from there.
    const way: number[] = []
    let token = start
    // Each turn adds an edge to the way, is done with a token for good, or takes an edge that closes a circle out for good.
    for (;;) {
      problem.budget.spend(4 + way.length)
      const edge = done.has(token)
        ? undefined
        : outOf.get(token)?.find((next) => !closing.has(next) && !done.has(to[next]!))
      if (edge === undefined) {
        done.add(token)
        const last = way.pop()
        if (last === undefined) break
        token = from[last]!
        continue
      }
      way.push(edge)
      token = to[edge]!
      const at = way.findIndex((step) => from[step] === token)
      if (at < 0) continue
      const circle = way.slice(at)
      const least = Math.min(...circle.map((step) => carried.get(step)!))
      for (const step of circle) {
        const left = carried.get(step)! - least
        carried.set(step, left)
        if (left <= 0) closing.add(step)
      }
      const first = way.findIndex((step) => closing.has(step))
      token = from[way[first]!]!
      way.length = first
    }
  }
  return closing
}
