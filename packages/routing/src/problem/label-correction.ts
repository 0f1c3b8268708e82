/**
 * Label correction in rounds (Bellman–Ford with a queue). The label of a token is the best value over the paths found
 * so far. Each round extends paths by one edge. The number of rounds is limited, so the correction ends even if there
 * is a profitable cycle (arbitrage).
 */
import type { Scratch } from '../graph/scratch.ts'

/**
 * Queue of tokens whose labels changed, processed round by round. Callers take tokens in a loop of their own, because
 * with a callback per token V8 could not optimize the loop as a whole.
 */
export class LabelQueue {
  private readonly isQueued: Uint8Array
  /** Tokens of the current round, and of the next one. */
  private layer: Int32Array
  private nextLayer: Int32Array
  private nextLayerSize = 0
  /** Indices in `layer`: the next token, and the end of the layer. */
  private position = 0
  private layerEnd = 0
  private maxRounds = 0
  /** Current round: number of edges from the tokens with initial labels. */
  round = 0

  /** @param tokens - number of tokens in the graph */
  constructor(tokens: number, scratch: Scratch) {
    this.isQueued = scratch.bytes(tokens, 0)
    this.layer = scratch.ints(tokens)
    this.nextLayer = scratch.ints(tokens)
  }

  /**
   * Starts a run.
   *
   * @param tokens - tokens with initial labels
   * @param maxRounds - maximum number of rounds
   */
  start(tokens: readonly number[], maxRounds: number): void {
    this.round = 0
    this.maxRounds = maxRounds
    for (const token of tokens) this.add(token)
  }

  /** Records that a token's label changed; its edges are processed in the next round. */
  add(token: number): void {
    if (this.isQueued[token] === 1) return
    this.isQueued[token] = 1
    this.nextLayer[this.nextLayerSize++] = token
  }

  /** Returns the next token to process; −1 if no labels change any more, or after the last round. */
  next(): number {
    if (this.position === this.layerEnd && !this.startRound()) return -1
    const token = this.layer[this.position++]!
    this.isQueued[token] = 0
    return token
  }

  private startRound(): boolean {
    if (this.nextLayerSize === 0 || this.round === this.maxRounds) return false
    this.round++
    const layer = this.nextLayer
    this.nextLayer = this.layer
    this.layer = layer
    this.layerEnd = this.nextLayerSize
    this.position = this.nextLayerSize = 0
    return true
  }

  /** Empties the queue. Returns true if it was empty, which means that the labels have converged. */
  clear(): boolean {
    const { isQueued, layer, nextLayer } = this
    const hasConverged = this.nextLayerSize === 0 && this.position === this.layerEnd
    while (this.position < this.layerEnd) isQueued[layer[this.position++]!] = 0
    while (this.nextLayerSize > 0) isQueued[nextLayer[--this.nextLayerSize]!] = 0
    return hasConverged
  }
}
