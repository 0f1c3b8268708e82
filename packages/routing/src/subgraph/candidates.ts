/** Edges by index, with their approximate earnings. */
export type Candidates = { readonly edges: Int32Array; readonly earnings: Float64Array }

/** Histogram buckets per factor of two, and in total over the float range. */
const OF_FACTOR = 8
const PLACES = 2_048 * OF_FACTOR

const placeOf = (earning: number): number =>
  Math.max(0, Math.min(PLACES - 1, Math.floor((1_024 + Math.log2(earning)) * OF_FACTOR)))

/** Selects the edges with the highest earnings, approximately and at most a given number; keeps their order. */
export function topEarning({ edges, earnings }: Candidates, max: number): readonly number[] {
  if (edges.length <= max) return [...edges]
  const counts = new Int32Array(PLACES)
  const places = new Int32Array(edges.length)
  for (let k = 0; k < edges.length; k++) {
    places[k] = placeOf(earnings[k]!)
    counts[places[k]!]! += 1
  }
  let count = 0
  let lowest = PLACES
  while (lowest > 0 && count + counts[lowest - 1]! <= max) count += counts[--lowest]!
  const chosenEdges: number[] = []
  for (let k = 0; k < edges.length; k++) if (places[k]! >= lowest) chosenEdges.push(edges[k]!)
  return chosenEdges
}
