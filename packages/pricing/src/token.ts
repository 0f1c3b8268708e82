/** Tokens, their pools, and what pools say of tokens: the parts of a `TokenGraph`. */
import type { Address } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'

/** Numbers that a token keeps for each of its edges. */
export const WORD = 3

/** A token with its pools and what is known of its worth. */
export type Token = {
  readonly address: Address
  /** Named by the chain's file: its liquidity counts for what it is. */
  readonly vouched: boolean
  /** Each once, in no order. */
  readonly holdings: Holding[]
  /**
   * Edges to its pools, each an opinion of it; in no order. Who speaks and what is said stand beside them, one after the
   * other: to read them is most of the work of a price, and memory is slow.
   */
  readonly edges: Edge[]
  readonly others: Token[]
  /** `rate`, `backing` and what the pool's other word has behind it, of each in turn: `WORD` numbers. */
  readonly words: number[]
  /** Edges of which `before` is told. */
  sudden: number
  /** Those of `holdings` where another token is vouched for, while they are more than can be looked through each time. */
  vouchedHoldings: Set<Holding> | undefined
  /** See `Frame`. */
  level: number
  reference: number
  /** The key under which it waits to be looked at; 0 when it does not. */
  queued: number
  /** `level` when the frame was last brought up to date: only tokens above speak for it. */
  order: number
  /** See `Worth`: good for the version they were worked out for. */
  price: number
  evidence: number
  version: number
  /** Its worth in the block before, where only what is sudden tells of it now. */
  before: Known | undefined
  /** One of its pools that alone was deep enough for a price: the first to look at. */
  proof: Holding | undefined
  /** Place of the weightiest of its edges now, where it is heard by others than those that all are measured by; else -1. */
  best: number
  /** See `Worth.remember`. */
  isDeep: boolean
  deepVersion: number
}

/** Dollars of a base unit, and dollars behind that: those of the best backed pool, infinite for anchors. */
export type Known = { readonly price: number; readonly evidence: number }

/** A pool with its holdings and prices, by its tokens. */
export type Holding = {
  pool: Pool
  reserves: readonly number[]
  /** See `PoolView`. */
  fee: number
  readonly tokens: readonly Token[]
  edges: readonly Edge[]
}

/** An edge as it counts among others: as it was before, where it is sudden. */
export const calm = (edge: Edge): Said => edge.before ?? edge

/** A word of a pool on one of its tokens, in units of another. */
export type Said = {
  /** Base units of the other token per base unit of the token. */
  readonly rate: number
  /** Base units of the other token that stand behind that. */
  readonly backing: number
}

/** A pool's word for one of its tokens, by another. What it says is kept by the token, beside what the token's other pools say. */
export class Edge implements Said {
  // Declared only: fields that are defined one by one take longer to make, and there are hundreds of thousands.
  declare readonly token: Token
  /** Who speaks. */
  declare readonly other: Token
  declare readonly holding: Holding
  /** Its word before the first change in the block that `stamp` numbers; none while it has not changed. */
  declare last: Said | undefined
  declare stamp: number
  /** Place in the edges of `token`; -1 while it is not among them. */
  declare at: number
  /** The same pool's word for the other token by this one. */
  declare reverse: Edge
  declare private suddenly: Said | undefined

  constructor(holding: Holding, token: Token, other: Token) {
    this.token = token
    this.other = other
    this.holding = holding
    this.last = undefined
    this.stamp = -1
    this.at = -1
    this.reverse = this
    this.suddenly = undefined
  }

  get rate(): number {
    return this.token.words[WORD * this.at]!
  }

  get backing(): number {
    return this.token.words[WORD * this.at + 1]!
  }

  /** Its word in the block before, where this one made it say something else all of a sudden. */
  get before(): Said | undefined {
    return this.suddenly
  }

  set before(said: Said | undefined) {
    this.token.sudden += (said ? 1 : 0) - (this.suddenly ? 1 : 0)
    this.suddenly = said
  }

  /** @param own - base units of the token itself that stand behind the reverse */
  say(rate: number, backing: number, own: number): void {
    const { words } = this.token
    const at = WORD * this.at
    words[at] = rate
    words[at + 1] = backing
    words[at + 2] = own
  }

  attach(rate: number, backing: number, own: number): void {
    const { edges, others, words } = this.token
    this.at = edges.push(this) - 1
    others.push(this.other)
    words.push(rate, backing, own)
  }

  /** The token's last edge takes its place. */
  detach(): void {
    this.before = undefined
    const { edges, others, words } = this.token
    const [moved, other] = [edges.pop()!, others.pop()!]
    const [own, backing, rate] = [words.pop()!, words.pop()!, words.pop()!]
    const { at } = this
    this.at = -1
    if (moved === this) return
    edges[at] = moved
    others[at] = other
    moved.at = at
    moved.say(rate, backing, own)
  }
}
