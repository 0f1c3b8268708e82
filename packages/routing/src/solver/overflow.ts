/** Rules for buying less of a token if more arrives than its outgoing edges can take. */

/** An edge that buys a token in excess. Amounts are in base units. */
export type Inflow = {
  readonly edge: number
  readonly input: number
  readonly output: number
  /** Additional input that the edge could take. */
  readonly room: number
}

/** A rule that returns the reduced output of each inflow, so that they pay less by the excess in total. */
export type ReductionRule = (inflows: readonly Inflow[], excess: number) => readonly number[]

/** Reduces edges with the least room first, since edges with more room must take the input that is freed. */
export const reduceByRoom: ReductionRule = (inflows, excess) => {
  const outputs = inflows.map(({ output }) => output)
  let remaining = excess
  for (const index of [...inflows.keys()].sort((a, b) => compare(inflows[a]!.room, inflows[b]!.room))) {
    const reduction = Math.min(remaining, outputs[index]!)
    outputs[index]! -= reduction
    remaining -= reduction
  }
  return outputs
}

/** Reduces all edges by the same fraction; for edges out of one token that have no alternative. */
export const reduceAll: ReductionRule = (inflows, excess) => {
  const total = inflows.reduce((sum, { output }) => sum + output, 0)
  return inflows.map(({ output }) => output * (1 - excess / total))
}

/** Compares numbers, several of which may be infinite. */
const compare = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0)
