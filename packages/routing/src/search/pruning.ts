/** Takes out of a division what does not earn its gas. */

import { bookkeeping, idleEdges, stranded, waysOf } from './books.ts'
import type { Checkpoint } from './edge-set.ts'
import { type Flow, flowOf, NEGLIGIBLE } from './flow.ts'
import { withinLimits } from './limits.ts'
import type { Problem } from './problem.ts'
import { costAtBest, holdAtTicks } from './ticks.ts'
import { FEW_STEPS, TIGHT, type WaterFilling } from './water-filling.ts'

const MAX_ROUNDS = 200
/** What earns less than this part of its cost goes together with others of its kind, this part of them at a time. */
const HOPELESS = 0.3
const BATCH = 0.5
/** Removals that earn more than this multiple of their cost are not tried. */
const SOLID = 3
/** A division that leaves more than this part over is no division. */
const UNSOLVED = 1e-4
const NONE: ReadonlySet<number> = new Set()

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
    filling.solve(TIGHT, FEW_STEPS)
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
  return settledFlow(problem, filling)
}

function settledFlow(problem: Problem, filling: WaterFilling): Flow | null {
  const flow = flowOf(problem, filling)
  const allowed = flow && withinLimits(problem, filling, flow)
  return allowed && holdAtTicks(problem, filling, allowed)
}

/**
 * The same for a few edges, which are worth more work: each time what improves most goes, of all that may. Edges without flow
 * may take over from a single one, so that ways are mended which without it would lead nowhere.
 */
export function pruneByTrial(problem: Problem, filling: WaterFilling): Flow | null {
  let best = netOf(problem, filling)
  // Each round takes edges out, or is the last.
  for (;;) {
    const before = filling.checkpoint()
    let chosen: Checkpoint | null = null
    for (const { edges } of removals(problem, filling)) {
      filling.removeEdges(edges)
      filling.solve(TIGHT, FEW_STEPS)
      const net = netOf(problem, filling)
      if (net > best) {
        best = net
        chosen = filling.checkpoint()
      }
      filling.restore(before)
    }
    filling.restore(chosen ?? before)
    filling.evaluate()
    if (!chosen) return settledFlow(problem, filling)
  }
}

/** With what only edges in use hold together, and with what those without flow would hold as well. */
function removals(problem: Problem, filling: WaterFilling): readonly Removal[] {
  const all = savings(problem, filling, NONE)
  const mended = savings(problem, filling, NONE, filling.edges)
  const known = new Map(all.map(({ cause, edges }) => [cause, edges.size]))
  return [...all, ...mended.filter(({ cause, edges }) => known.get(cause) !== edges.size)]
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

/** Takes out edges that a removal woke and that do not earn their cost; false where there are none. */
function sendBack(problem: Problem, filling: WaterFilling, idle: ReadonlySet<number>): boolean {
  const woken = [...bookkeeping(problem, filling)].filter(([edge, { profit, cost }]) => idle.has(edge) && profit < cost)
  if (woken.length === 0) return false
  filling.removeEdges(new Set(woken.map(([edge]) => edge)))
  filling.solve(TIGHT, FEW_STEPS)
  return true
}

type Removal = {
  readonly edges: ReadonlySet<number>
  readonly cause: number
  readonly saving: number
  readonly earned: number
}

/** Removals that promise to save more than they lose, the best first. */
function savings(
  problem: Problem,
  filling: WaterFilling,
  kept: ReadonlySet<number>,
  standing?: readonly number[],
): readonly Removal[] {
  const books = bookkeeping(problem, filling)
  const ways = waysOf(problem, standing ?? [...books.keys()])
  const removals: Removal[] = []
  for (const [edge, { profit, cost }] of books) {
    if (kept.has(edge) || profit > cost * SOLID) continue
    const edges = stranded(problem, ways, edge)
    if (!edges) continue
    let saving = 0
    let earned = 0
    for (const other of edges) {
      const book = books.get(other)
      if (!book) continue
      saving += book.cost - book.profit
      earned += book.profit
    }
    if (saving > 0) removals.push({ edges, cause: edge, saving, earned })
  }
  return removals.sort((a, b) => b.saving - a.saving)
}
