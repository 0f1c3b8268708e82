/**
 * Label correction in rounds, each one edge further than the one before, so that a cycle that gains (an arbitrage) comes to an
 * end too: the method of Bellman and Ford with a queue.
 */
import type { Scratch } from '../graph/scratch.ts'

/**
 * A queue of the tokens whose labels have been corrected, each once, that is worked off round by round. Whoever corrects
 * labels takes one token after the other: a function called back for each would keep the engine from compiling the loop whole.
 */
export class LabelQueue {
  private readonly queued: Uint8Array
  private layer: Int32Array
  private following: Int32Array
  private size = 0
  /** Places of `layer`: the next one, and the one after the last. */
  private at = 0
  private end = 0
  private rounds = 0
  /** The present round: edges between the token and where labels were given. */
  round = 0

  /** @param tokens - numbers of the graph, of which any may be queued */
  constructor(tokens: number, scratch: Scratch) {
    this.queued = scratch.bytes(tokens, 0)
    this.layer = scratch.ints(tokens)
    this.following = scratch.ints(tokens)
  }

  /**
   * Begins anew.
   *
   * @param tokens - those whose labels are given
   * @param rounds - at most so many
   */
  start(tokens: readonly number[], rounds: number): void {
    this.round = 0
    this.rounds = rounds
    for (const token of tokens) this.add(token)
  }

  /** Notes that a token's label was corrected: what it leads to is looked at in the next round. */
  add(token: number): void {
    if (this.queued[token] === 1) return
    this.queued[token] = 1
    this.following[this.size++] = token
  }

  /** The next token whose edges are to be looked at; −1 where no label moves any more, or after the last round. */
  next(): number {
    if (this.at === this.end && !this.turn()) return -1
    const token = this.layer[this.at++]!
    this.queued[token] = 0
    return token
  }

  private turn(): boolean {
    if (this.size === 0 || this.round === this.rounds) return false
    this.round++
    const layer = this.following
    this.following = this.layer
    this.layer = layer
    this.end = this.size
    this.at = this.size = 0
    return true
  }

  /** Empties the queue; true where it was empty: no label moves any more. */
  stop(): boolean {
    const { queued, layer, following } = this
    const converged = this.size === 0 && this.at === this.end
    while (this.at < this.end) queued[layer[this.at++]!] = 0
    while (this.size > 0) queued[following[--this.size]!] = 0
    return converged
  }
}
