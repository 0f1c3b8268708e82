/**
 * Label correction in rounds, each one edge further than the one before, so that a cycle that gains (an arbitrage) comes to an
 * end too: the method of Bellman and Ford with a queue.
 */
import type { Scratch } from '../graph/scratch.ts'

/** A queue of the tokens whose labels have been corrected, each once, that is worked off round by round. */
export class LabelQueue {
  private readonly queued: Uint8Array
  private layer: Int32Array
  private following: Int32Array
  private size = 0

  /** @param tokens - numbers of the graph, of which any may be queued */
  constructor(tokens: number, scratch: Scratch) {
    this.queued = scratch.bytes(tokens, 0)
    this.layer = scratch.ints(tokens)
    this.following = scratch.ints(tokens)
  }

  /** Notes that a token's label was corrected: what it leads to is looked at in the next round. */
  add(token: number): void {
    if (this.queued[token] === 1) return
    this.queued[token] = 1
    this.following[this.size++] = token
  }

  /**
   * Corrects labels until none moves any more, for as many rounds at most. The queue is empty before and afterwards.
   *
   * @param start - tokens whose labels are given
   * @param visit - looks at the edges of a token and adds every token whose label it corrects
   * @param enough - asked after each round whether to stop
   * @returns whether no label moves any more
   */
  run(
    start: readonly number[],
    rounds: number,
    visit: (token: number, round: number) => void,
    enough?: () => boolean,
  ): boolean {
    const { queued } = this
    for (const token of start) this.add(token)
    for (let round = 1; round <= rounds && this.size > 0; round++) {
      const [layer, count] = [this.following, this.size]
      this.following = this.layer
      this.layer = layer
      this.size = 0
      for (let k = 0; k < count; k++) {
        queued[layer[k]!] = 0
        visit(layer[k]!, round)
      }
      if (enough?.()) break
    }
    const converged = this.size === 0
    while (this.size > 0) queued[this.following[--this.size]!] = 0
    return converged
  }
}
