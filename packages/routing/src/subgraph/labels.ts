/**
 * Best spot rates from all tokens to a target, over all pools that any route may use: upper bounds on token values. An
 * edge is a pool in one direction.
 */
import type { Trust } from '@sluice/liquidity'
import type { Graph, Rates, TargetLabels } from '../graph/graph.ts'
import { LabelQueue } from '../problem/label-correction.ts'
import { trustedRates } from '../problem/passable.ts'
import { MIN_LABEL_GAIN } from '../tolerances.ts'
import { MAX_CACHED_LABELS } from './tolerances.ts'

/** `hops` of a token without a path to the target. */
const UNREACHED = 255

/** A token with its price, in output base units per base unit. */
export type TokenAtPrice = { readonly token: number; readonly price: number }

/**
 * Returns, for each token, the best rate to the target for the first unit within the hop limit, and the minimum number
 * of edges. All requests of a block share the result, since their filters, taxes, and discounts only lower rates.
 */
export function labelsTo(graph: Graph, trust: Trust | undefined, target: number, maxHops: number): TargetLabels {
  const cachesByTrust = graph.facts.targetLabels
  const cache = cachesByTrust.get(trust ?? graph.facts) ?? new Map<string, TargetLabels>()
  cachesByTrust.set(trust ?? graph.facts, cache)
  const key = `${target} ${maxHops}`
  const cachedLabels = cache.get(key)
  if (cachedLabels) return cachedLabels
  // Since later requests share the result, the request's budget does not pay for this work. The number of rounds limits
  // the work.
  const passableRates = trust ? trustedRates(graph, trust) : graph
  const labels = valueLabels(graph, passableRates, target, maxHops)
  if ((cache.size + 1) * labels.maxValue.length > MAX_CACHED_LABELS) cache.clear()
  cache.set(key, labels)
  return labels
}

/** Maximum values of tokens over paths to a target. */
function valueLabels(graph: Graph, passableRates: Rates, target: number, maxHops: number): TargetLabels {
  const { offset, to, tokens, scratch } = graph.topology
  const maxValue = new Float64Array(tokens.length)
  const hops = new Uint8Array(tokens.length).fill(UNREACHED)
  maxValue[target] = 1
  hops[target] = 0
  scratch.within(() => {
    const queue = new LabelQueue(tokens.length, scratch)
    queue.start([target], maxHops)
    for (let token = queue.next(); token >= 0; token = queue.next()) {
      // The target may be any token, so the trust rule does not apply to its incoming edges.
      const rates = token === target ? graph.rateBack : passableRates.rateBack
      const value = maxValue[token]!
      const end = offset[token + 1]!
      for (let edge = offset[token]!; edge < end; edge++) {
        const label = rates[edge]! * value
        const neighbor = to[edge]!
        if (!(label > maxValue[neighbor]! * (1 + MIN_LABEL_GAIN)) || neighbor === target) continue
        maxValue[neighbor] = label
        if (hops[neighbor] === UNREACHED) hops[neighbor] = queue.round
        queue.add(neighbor)
      }
    }
  })
  return { maxValue, hops, chunkValuesByToken: new Map() }
}
