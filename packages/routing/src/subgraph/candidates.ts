/**
 * Selects the edges (pools in one direction) with the highest earnings for a subgraph. Uses a histogram of the earnings,
 * because sorting the edges would take longer.
 */

/** Edges that may join a subgraph, each with the upper bound or estimate of its earnings at the same index. */
export type Candidates = { readonly edges: Int32Array; readonly earnings: Float64Array }

/** Number of histogram buckets per factor of two of the earnings. */
const BUCKETS_PER_FACTOR = 8
/** Number of buckets over the whole range of floats. */
const BUCKET_COUNT = 2_048 * BUCKETS_PER_FACTOR

const bucketOf = (earning: number): number =>
  Math.max(0, Math.min(BUCKET_COUNT - 1, Math.floor((1_024 + Math.log2(earning)) * BUCKETS_PER_FACTOR)))

/** Selects at most `max` edges, approximately those with the highest earnings. Keeps their order. */
export function topEarningEdges({ edges, earnings }: Candidates, max: number): readonly number[] {
  if (edges.length <= max) return [...edges]
  const counts = new Int32Array(BUCKET_COUNT)
  const buckets = new Int32Array(edges.length)
  for (let k = 0; k < edges.length; k++) {
    buckets[k] = bucketOf(earnings[k]!)
    counts[buckets[k]!]! += 1
  }
  let count = 0
  let lowestBucket = BUCKET_COUNT
  while (lowestBucket > 0 && count + counts[lowestBucket - 1]! <= max) count += counts[--lowestBucket]!
  const chosenEdges: number[] = []
  for (let k = 0; k < edges.length; k++) if (buckets[k]! >= lowestBucket) chosenEdges.push(edges[k]!)
  return chosenEdges
}
