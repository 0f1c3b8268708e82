/** Best spot rates between a token and all others: bounds on every rate at size. */

import { LABEL_GAIN } from '../tolerances.ts'
import { LabelQueue } from './label-correction.ts'
import type { Problem } from './problem.ts'

export type Potential = {
  /**
   * For each token the best product of first rates to (or from) the root over at most `maxHops` edges or a few more; 0
   * where there is none.
   */
  readonly best: Float64Array
  /** The edge next to the token on the best way; −1 for the root and where there is none. */
  readonly link: Int32Array
  /** Fewest edges to (or from) the root; 255 where there is no way. */
  readonly hops: Uint8Array
}

const FAR = 255

/** @param direction - `to` for ways that end at the root, `from` for ways that begin there */
export function potential(problem: Problem, root: number, direction: 'to' | 'from'): Potential {
  const { graph, rate, rateBack, maxHops } = problem
  const { offset, to, reverse, tokens, scratch } = graph.topology
  const backwards = direction === 'to'
  const rates = backwards ? rateBack : rate
  const count = tokens.length
  const best = scratch.floats(count, 0)
  const link = scratch.ints(count, -1)
  const hops = scratch.bytes(count, FAR)
  best[root] = 1
  hops[root] = 0
  const queue = new LabelQueue(count, scratch)
  queue.run([root], maxHops, (token, round) => {
    problem.budget.spend(1 + offset[token + 1]! - offset[token]!)
    const value = best[token]!
    for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
      const label = rates[edge]! * value
      const other = to[edge]!
      if (!(label > best[other]! * (1 + LABEL_GAIN)) || other === root) continue
      best[other] = label
      link[other] = backwards ? reverse[edge]! : edge
      if (hops[other] === FAR) hops[other] = round
      queue.add(other)
    }
  })
  return { best, link, hops }
}

/** Fewest edges from the source to every token; 255 where there is no way of `maxHops`. */
export function distancesFrom({ graph, rate, maxHops, budget }: Problem, source: number): Uint8Array {
  const { offset, to, tokens, scratch } = graph.topology
  const distances = scratch.bytes(tokens.length, FAR)
  distances[source] = 0
  let layer = [source]
  for (let distance = 1; distance <= maxHops && layer.length > 0; distance++) {
    const following: number[] = []
    for (const token of layer) {
      budget.spend(1 + offset[token + 1]! - offset[token]!)
      for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
        const other = to[edge]!
        if (distances[other] !== FAR || rate[edge] === 0) continue
        distances[other] = distance
        following.push(other)
      }
    }
    layer = following
  }
  return distances
}

/**
 * The edges of the best way from a token to the root of a potential of direction `to`; null where it runs in a cycle.
 */
export function wayTo(problem: Problem, { link }: Potential, start: number, root: number): readonly number[] | null {
  const { to } = problem.graph.topology
  const edges: number[] = []
  for (let token = start; token !== root; token = to[edges.at(-1)!]!) {
    const edge = link[token]!
    if (edge < 0 || edges.length >= problem.maxHops) return null
    edges.push(edge)
  }
  return edges
}
