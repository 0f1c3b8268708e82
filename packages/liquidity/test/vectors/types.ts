/**
 * Test vectors of real pools, one file per family. Amounts are decimal strings in base units; addresses in any case.
 */
import type { Address } from '@sluice/chains'
import type { Pool } from '../../src/family.ts'

/** A quote of a real pool. */
export type Vector = {
  /** Key of `states`. */
  readonly state: string
  readonly mode: 'exactIn' | 'exactOut' | 'toPrice'
  /** Absent if the source names no tokens; then `zeroForOne` gives the direction. */
  readonly tokenIn?: string | null
  readonly tokenOut?: string | null
  readonly zeroForOne?: boolean
  readonly amountIn?: string
  readonly amountOut?: string
  /** True if the pool must refuse the swap. */
  readonly fails?: boolean
  /** Part of a sequence of swaps: only the first one, row 0 of its source, is known to start from `state`. */
  readonly sequence?: boolean
  readonly provenance?: { readonly row?: number }
  /** False if an independent computation did not reproduce the source's number. */
  readonly reproduced?: boolean
  readonly sqrtPriceLimitX96?: string
  readonly after?: { readonly sqrtPriceX96: string; readonly tick: number; readonly liquidity: string }
}

// biome-ignore lint/suspicious/noExplicitAny: states have the shape of the program each was taken from.
export type VectorPool = any
/** A pool in the format of another program. */
export type VectorState = {
  /** Format of `pool`. */
  readonly source: 'chain' | 'unit' | 'onchain-query' | 'entity' | 'simulator'
  readonly pool: VectorPool
  readonly basePools?: readonly VectorPool[]
}
/** A file of vectors from another program. */
export type VectorFile = {
  readonly family: string
  readonly vectors: readonly Vector[]
  readonly states: Readonly<Record<string, VectorState>>
}

/** Converts a state of a file to a pool; returns a string with the reason if it cannot. */
export type Adapter = (state: VectorState, vector: Vector) => Pool | string

/** A file in a format of the family's own, with quotes and states of real contracts (forms.ts). */
export type FormFile = {
  readonly family: string
  // biome-ignore lint/suspicious/noExplicitAny: each form reads its own.
  readonly content: any
}

/** A vector as a question to `quoteExactInput`. */
export type Question = {
  /** Description for messages. */
  readonly label: string
  readonly pool: Pool
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
  /** Expected output; null if the pool must refuse. */
  readonly amountOut: bigint | null
  /** Compares our state after the swap with the contract's. Returns the mismatch; undefined if there is none. */
  readonly after?: (state: unknown) => string | undefined
}

/** Returns the questions of a file as functions, so that a malformed one does not affect the others. */
// biome-ignore lint/suspicious/noExplicitAny: as above.
export type VectorForm = (content: any) => readonly (() => Question | { readonly skip: string })[]
