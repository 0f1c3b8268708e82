/** Spot rates to a token over all pools that any route may pass: upper bounds on what tokens bring at size. */
import type { Trust } from '@sluice/liquidity'
import type { Graph, Rates, TargetLabels } from '../graph/graph.ts'
import { WorkBudget } from '../problem/budget.ts'
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
    const waiting = scratch.bytes(tokens.length, IDLE)
    let [layer, following] = [scratch.ints(tokens.length), scratch.ints(tokens.length)]
    let size = 0
    for (const { token, price } of priced) {
      best[token] = price
      hops[token] = 0
      waiting[token] = GIVEN
      following[size++] = token
    }
    for (let round = 1; round <= maxHops && size > 0; round++) {
      const visited = size
      ;[layer, following] = [following, layer]
      size = 0
      let looked = visited
      for (let k = 0; k < visited; k++) {
        const token = layer[k]!
        if (waiting[token] === QUEUED) waiting[token] = IDLE
        // The target may be any token: what leads to it is not asked whom it trusts.
        const rates = token === target ? graph.rateBack : between.rateBack
        const value = best[token]!
        const end = offset[token + 1]!
        looked += end - offset[token]!
        for (let edge = offset[token]!; edge < end; edge++) {
          const label = rates[edge]! * value
          const other = to[edge]!
          if (!(label > best[other]! * (1 + LABEL_GAIN))) continue
          const state = waiting[other]!
          if (state === GIVEN) continue
          best[other] = label
          if (hops[other] === FAR) hops[other] = round
          if (state === QUEUED) continue
          waiting[other] = QUEUED
          following[size++] = other
        }
      }
      budget.spend(looked)
    }
  })
  return { best, hops, blocks: new Map() }
}

const IDLE = 0
const QUEUED = 1
const GIVEN = 2
