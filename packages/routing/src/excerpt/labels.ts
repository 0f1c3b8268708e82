/** Spot rates to a token over all pools that any route may pass: upper bounds on what tokens bring at size. */
import type { Trust } from '@sluice/liquidity'
import type { Graph, Rates, TargetLabels } from '../graph/graph.ts'
import { LabelQueue } from '../problem/label-correction.ts'
import { ratesBetween } from '../problem/passable.ts'
import { LABEL_GAIN } from '../tolerances.ts'
import { LABELS_ROOM } from './tolerances.ts'

const FAR = 255

export type Priced = { readonly token: number; readonly price: number }

/**
 * For each token the best product of first rates to the target over as many edges, and the fewest edges: the same for all
 * requests of a block. Filters, taxes and haircuts of a request make rates lower and never higher.
 */
export function labelsTo(graph: Graph, trust: Trust | undefined, target: number, maxHops: number): TargetLabels {
  const byTrust = graph.facts.targetLabels
  const known = byTrust.get(trust ?? graph.facts) ?? new Map<string, TargetLabels>()
  byTrust.set(trust ?? graph.facts, known)
  const key = `${target} ${maxHops}`
  const kept = known.get(key)
  if (kept) return kept
  // So many rounds are bounded work, which no request pays for: the next one may ask the same.
  const between = trust ? ratesBetween(graph, trust) : graph
  const found = valuesOf(graph, between, target, maxHops)
  if ((known.size + 1) * found.best.length > LABELS_ROOM) known.clear()
  known.set(key, found)
  return found
}

/** The most that tokens bring by ways to a target. */
function valuesOf(graph: Graph, between: Rates, target: number, maxHops: number): TargetLabels {
  const { offset, to, tokens, scratch } = graph.topology
  const best = new Float64Array(tokens.length)
  const hops = new Uint8Array(tokens.length).fill(FAR)
  best[target] = 1
  hops[target] = 0
  scratch.within(() => {
    const queue = new LabelQueue(tokens.length, scratch)
    queue.start([target], maxHops)
    for (let token = queue.next(); token >= 0; token = queue.next()) {
      // The target may be any token: what leads to it is not asked whom it trusts.
      const rates = token === target ? graph.rateBack : between.rateBack
      const value = best[token]!
      const end = offset[token + 1]!
      for (let edge = offset[token]!; edge < end; edge++) {
        const label = rates[edge]! * value
        const other = to[edge]!
        if (!(label > best[other]! * (1 + LABEL_GAIN)) || other === target) continue
        best[other] = label
        if (hops[other] === FAR) hops[other] = queue.round
        queue.add(other)
      }
    }
  })
  return { best, hops, blocks: new Map() }
}
