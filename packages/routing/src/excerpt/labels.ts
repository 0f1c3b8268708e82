/** Spot rates to a token over all pools that any route may pass: upper bounds on what tokens bring at size. */
import type { Trust } from '@sluice/liquidity'
import type { Graph, Rates, TargetLabels } from '../graph/graph.ts'
import { WorkBudget } from '../problem/budget.ts'
import { LabelQueue } from '../problem/label-correction.ts'
import { ratesBetween } from '../problem/passable.ts'
import { LABEL_GAIN } from '../tolerances.ts'
import { LABELS_KEPT } from './tolerances.ts'

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
  // So many rounds are bounded work, and none that asks the same later pays for it.
  const between = trust ? ratesBetween(graph, trust) : graph
  const found = valuesFrom(graph, between, { priced: [{ token: target, price: 1 }], target, maxHops }, new WorkBudget())
  if (known.size >= LABELS_KEPT) known.clear()
  known.set(key, found)
  return found
}

type Start = { readonly priced: readonly Priced[]; readonly target: number; readonly maxHops: number }

/** The most that tokens bring by ways to tokens that have prices, which stay as they are. */
export function valuesFrom(
  graph: Graph,
  between: Rates,
  { priced, target, maxHops }: Start,
  budget: WorkBudget,
): TargetLabels {
  const { offset, to, tokens, scratch } = graph.topology
  const best = new Float64Array(tokens.length)
  const hops = new Uint8Array(tokens.length).fill(FAR)
  scratch.within(() => {
    const given = scratch.bytes(tokens.length, 0)
    const queue = new LabelQueue(tokens.length, scratch)
    for (const { token, price } of priced) {
      best[token] = price
      hops[token] = 0
      given[token] = 1
    }
    const start = priced.map(({ token }) => token)
    queue.start(start, maxHops)
    for (let token = queue.next(); token >= 0; token = queue.next()) {
      // The target may be any token: what leads to it is not asked whom it trusts.
      const rates = token === target ? graph.rateBack : between.rateBack
      const value = best[token]!
      const end = offset[token + 1]!
      budget.spend(1 + end - offset[token]!)
      for (let edge = offset[token]!; edge < end; edge++) {
        const label = rates[edge]! * value
        const other = to[edge]!
        if (!(label > best[other]! * (1 + LABEL_GAIN)) || given[other] === 1) continue
        best[other] = label
        if (hops[other] === FAR) hops[other] = queue.round
        queue.add(other)
      }
    }
  })
  return { best, hops, blocks: new Map() }
}
