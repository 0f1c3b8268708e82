/**
 * Fills of orders, and the sizes to try. A fill executes an order or a part of it by interactions, which are calls that
 * the settlement contract makes.
 */
import type { Address } from '@sluice/chains'
import type { Order } from './auction.ts'

/** Amounts that a fill should execute: those of an order, or a part of them. */
export type FillSize = {
  readonly sellAmount: bigint
  readonly buyAmount: bigint
}

/** A swap with an item of the auction's liquidity. Amounts are in base units. */
export type LiquidityInteraction = {
  readonly kind: 'liquidity'
  /** True if the settlement contract may use its own balances instead of this swap. */
  readonly internalize: boolean
  /** Id of the item. */
  readonly id: string
  readonly inputToken: Address
  readonly outputToken: Address
  readonly inputAmount: string
  readonly outputAmount: string
}

type Asset = { readonly token: Address; readonly amount: string }

/** A call of any contract, with the allowances that it needs. Amounts are in base units. */
export type CustomInteraction = {
  readonly kind: 'custom'
  readonly internalize: boolean
  readonly target: Address
  readonly value: string
  readonly callData: string
  readonly allowances: readonly (Asset & { readonly spender: Address })[]
  readonly inputs: readonly Asset[]
  readonly outputs: readonly Asset[]
}

export type Interaction = LiquidityInteraction | CustomInteraction

/** A route for a whole order or for a part of it. */
export type Fill = {
  /** Base units of the sell token that the interactions use. */
  readonly input: bigint
  /** Base units of the buy token that the interactions pay. */
  readonly output: bigint
  readonly interactions: readonly Interaction[]
  /** Gas of the interactions. */
  readonly gas: bigint
}

/**
 * Maximum number of sizes to try for a partially fillable order, as in the protocol's reference solver. Each size is half
 * of the previous size.
 */
const MAX_SIZES = 5n

/**
 * Returns the sizes to try: the whole order; for a partially fillable order also a half, a fourth, and so on to a
 * sixteenth.
 */
export function fillSizesOf({ sellAmount, buyAmount, partiallyFillable }: Order): FillSize[] {
  const sizes: FillSize[] = []
  for (let k = 0n; k < (partiallyFillable ? MAX_SIZES : 1n); k++) {
    const size = { sellAmount: sellAmount >> k, buyAmount: buyAmount >> k }
    if (size.sellAmount > 0n && size.buyAmount > 0n) sizes.push(size)
  }
  return sizes
}
