/** Ways to buy less of a token of which more arrives than the edges out of it can take. */

/** An edge that buys a token of which too much arrives. Amounts are base units. */
export type Inflow = {
  readonly edge: number
  readonly input: number
  readonly output: number
  /** Input that the edge could take beyond its own. */
  readonly room: number
}

/** The output that each inflow keeps when they are to pay so much less together. */
export type Less = (inflows: readonly Inflow[], excess: number) => readonly number[]

/** The edge with the least room pays less, since those with more must take what it no longer takes. */
export const lessByRoom: Less = (inflows, excess) => {
  const kept = inflows.map(({ output }) => output)
  let left = excess
  for (const place of [...inflows.keys()].sort((a, b) => compare(inflows[a]!.room, inflows[b]!.room))) {
    const less = Math.min(left, kept[place]!)
    kept[place]! -= less
    left -= less
  }
  return kept
}

/** All edges pay less by the same part: for edges out of one token that lead nowhere else. */
export const lessOfAll: Less = (inflows, excess) => {
  const total = inflows.reduce((sum, { output }) => sum + output, 0)
  return inflows.map(({ output }) => output * (1 - excess / total))
}

/** Order of numbers of which several may be infinite. */
const compare = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0)
