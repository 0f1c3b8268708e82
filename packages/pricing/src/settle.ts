import type { TokenGraph } from './graph.ts'
import { MaxHeap } from './heap.ts'
import { weightedMedian } from './median.ts'

/** A pool has a say in a token's price when its backing is at least this share of the best backed pool's. */
const SHARE_OF_BEST = 0.1

export type Settled = {
  /** Worth of one base unit, in the anchors' unit; NaN where it is not known. */
  readonly price: Float64Array
  /** The best backing of a single pool behind that price, in the anchors' unit; infinite for anchors, 0 where unknown. */
  readonly evidence: Float64Array
}

/**
 * Carries prices from the anchors through the pools, the best backed token first.
 *
 * A pool speaks for a token only through its other token, and only once that one has its own price: what it says weighs
 * as much as the priced token in it is worth, and no more than the evidence behind that token. So a token with worthless
 * pools of any stated size stays without a price, and a price cannot be better founded than those it comes from.
 *
 * @param anchors - prices by token number
 * @param floor - evidence below this is none, in the anchors' unit
 * @param among - when given, only tokens marked with 1 are visited
 */
export function settle(
  graph: TokenGraph,
  anchors: ReadonlyMap<number, number>,
  floor: number,
  among?: Uint8Array,
): Settled {
  const { a, b, mid, backingA, backingB, first, edges } = graph
  const count = graph.tokens.length
  const price = new Float64Array(count).fill(Number.NaN)
  const evidence = new Float64Array(count)
  const done = new Uint8Array(count)
  /** Sum of what the settled neighbours say: the order in which tokens are settled. */
  const promise = new Float64Array(count)
  // Sums differ in their last digits with the order of the pools; rounded, they tie, and the address decides.
  const heap = new MaxHeap((token, other) => graph.tokens[token]! < graph.tokens[other]!)
  const prices: number[] = []
  const weights: number[] = []

  for (const [token, anchorPrice] of anchors) {
    price[token] = anchorPrice
    evidence[token] = Number.POSITIVE_INFINITY
    promise[token] = Number.POSITIVE_INFINITY
    heap.push(token, Number.POSITIVE_INFINITY)
  }

  const weightOf = (edge: number, priced: number) => {
    const backing = a[edge] === priced ? backingA[edge]! : backingB[edge]!
    return Math.min(backing * price[priced]!, evidence[priced]!)
  }

  for (let token = heap.pop(); token !== -1; token = heap.pop()) {
    if (done[token]) continue
    done[token] = 1

    if (!anchors.has(token)) {
      prices.length = 0
      weights.length = 0
      let best = 0
      for (let k = first[token]!; k < first[token + 1]!; k++) {
        const edge = edges[k]!
        const other = a[edge] === token ? b[edge]! : a[edge]!
        if (!done[other] || other === token) continue
        const weight = weightOf(edge, other)
        if (!(weight >= floor)) continue
        prices.push(a[edge] === token ? price[other]! * mid[edge]! : price[other]! / mid[edge]!)
        weights.push(weight)
        best = Math.max(best, weight)
      }
      price[token] = weightedMedian(prices, weights, best * SHARE_OF_BEST)
      evidence[token] = best
    }

    for (let k = first[token]!; k < first[token + 1]!; k++) {
      const edge = edges[k]!
      const other = a[edge] === token ? b[edge]! : a[edge]!
      if (done[other] || (among !== undefined && !among[other])) continue
      const weight = weightOf(edge, token)
      if (!(weight >= floor) || weight === 0) continue
      promise[other]! += weight
      heap.push(other, Math.fround(promise[other]!))
    }
  }
  return { price, evidence }
}
