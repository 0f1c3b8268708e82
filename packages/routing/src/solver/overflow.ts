/**
 * Rules for a token of which the incoming edges buy more than the outgoing edges can sell. An edge is a pool in one
 * direction. The rules decide which incoming edges buy less. Used by `push.ts` and `exact/settle.ts`.
 */

/** An edge that buys a token in excess. Amounts are in base units. */
export type Inflow = {
  readonly edge: number
  readonly input: number
  readonly output: number
  /** Additional input that the edge could take, in base units; may be infinite. */
  readonly room: number
}

/** Returns the reduced output of each inflow. In total, the outputs fall by the excess. */
export type ReductionRule = (inflows: readonly Inflow[], excess: number) => readonly number[]

/** Reduces the edges with the least room first. The caller sends their freed input through other edges. */
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

/** Reduces the outputs of all edges by the same fraction. */
export const reduceAll: ReductionRule = (inflows, excess) => {
  const total = inflows.reduce((sum, { output }) => sum + output, 0)
  return inflows.map(({ output }) => output * (1 - excess / total))
}

/** Compares numbers. Both may be infinite, so their difference may be NaN. */
const compare = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0)
