/** Known answers of real pools, one file a family. Amounts are decimal strings in base units; addresses in any case. */
import type { Address } from '@sluice/chains'
import type { Pool } from '../family.ts'

export type Vector = {
  /** Key into `states`. */
  readonly state: string
  readonly mode: 'exactIn' | 'exactOut' | 'toPrice'
  /** Absent where the source names no tokens; `zeroForOne` tells the direction then. */
  readonly tokenIn?: string | null
  readonly tokenOut?: string | null
  readonly zeroForOne?: boolean
  readonly amountIn?: string
  readonly amountOut?: string
  /** The pool must refuse. */
  readonly fails?: boolean
  /** Swaps one after another: only the first, row 0 of its source, surely starts from `state`. */
  readonly sequence?: boolean
  readonly provenance?: { readonly row?: number }
  /** False: the source's own number was not met by an independent computation. */
  readonly reproduced?: boolean
  readonly sqrtPriceLimitX96?: string
  readonly after?: { readonly sqrtPriceX96: string; readonly tick: number; readonly liquidity: string }
}

// biome-ignore lint/suspicious/noExplicitAny: states have the shape of the program each was taken from.
export type VectorPool = any
export type VectorState = {
  /** Which form `pool` has. */
  readonly source: 'chain' | 'unit' | 'onchain-query' | 'entity' | 'simulator'
  readonly pool: VectorPool
  readonly basePools?: readonly VectorPool[]
}
export type VectorFile = {
  readonly family: string
  readonly vectors: readonly Vector[]
  readonly states: Readonly<Record<string, VectorState>>
}

/** Turns a state of a file into a pool of a family; a string says why it cannot. */
export type Adapter = (state: VectorState, vector: Vector) => Pool | string

/** A file in a form of its family's own: answers of the genuine contracts, with their states (forms.ts). */
export type FormFile = {
  readonly family: string
  // biome-ignore lint/suspicious/noExplicitAny: each form reads its own.
  readonly content: any
}

/** A known answer as a question to a pool. */
export type Question = {
  /** For messages. */
  readonly asked: string
  readonly pool: Pool
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
  /** Null where the pool must refuse. */
  readonly amountOut: bigint | null
  /** Part of our state after the swap that is not as the pool's; undefined where all of it is. */
  readonly after?: (state: unknown) => string | undefined
}

/** The questions of a file, read one by one: a fault in one is not one of the others. */
// biome-ignore lint/suspicious/noExplicitAny: as above.
export type Form = (content: any) => readonly (() => Question | { readonly skip: string })[]
