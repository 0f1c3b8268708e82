/** Edges by place, and about what each is worth. */
export type Candidates = { readonly edges: Int32Array; readonly earnings: Float64Array }

/** Places for each factor two of an earning, and of all earnings that floats have. */
const OF_FACTOR = 8
const PLACES = 2_048 * OF_FACTOR

const placeOf = (earning: number): number =>
  Math.max(0, Math.min(PLACES - 1, Math.floor((1_024 + Math.log2(earning)) * OF_FACTOR)))

/** About the most earning of candidates, no more than so many; in the order that they have. */
export function mostEarning({ edges, earnings }: Candidates, most: number): readonly number[] {
  if (edges.length <= most) return [...edges]
  const counts = new Int32Array(PLACES)
  const places = new Int32Array(edges.length)
  for (let k = 0; k < edges.length; k++) {
    places[k] = placeOf(earnings[k]!)
    counts[places[k]!]! += 1
  }
  let kept = 0
  let least = PLACES
  while (least > 0 && kept + counts[least - 1]! <= most) kept += counts[--least]!
  const chosen: number[] = []
  for (let k = 0; k < edges.length; k++) if (places[k]! >= least) chosen.push(edges[k]!)
  return chosen
}
