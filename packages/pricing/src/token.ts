/** Tokens, their pools, and what pools say of tokens: the parts of a `TokenGraph`. */
import type { Address } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'

/** A token with its pools and what is known of its worth. */
export type Token = {
  readonly address: Address
  /** Named by the chain's file: its liquidity counts for what it is. */
  readonly vouched: boolean
  readonly holdings: Set<Holding>
  /** Edges to its pools, each an opinion of it; in no order. */
  readonly edges: Edge[]
  /** Those of `holdings` where another token is vouched for; a token that has none has no set either. */
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
}

/** Dollars of a base unit, and dollars behind that: those of the best backed pool, infinite for anchors. */
export type Known = { readonly price: number; readonly evidence: number }

/** A pool with its holdings and prices, by its tokens. */
export type Holding = {
  pool: Pool
  reserves: readonly number[]
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

/** A pool's word for one of its tokens, by another. */
export type Edge = {
  readonly token: Token
  /** Who speaks. */
  readonly other: Token
  readonly holding: Holding
  rate: number
  backing: number
  /** Its word in the block before, where this one made it say something else all of a sudden. */
  before: Said | undefined
  /** Its word before the first change in the block that `stamp` numbers; none while it has not changed. */
  last: Said | undefined
  stamp: number
  /** Place in the edges of `token`. */
  at: number
  /** The same pool's word for the other token by this one. */
  reverse: Edge
}
