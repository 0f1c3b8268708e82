/** State of EulerSwap pools. */
import type { Address } from '@sluice/chains'

/** A value of the first and of the second token. */
type Pair<T> = readonly [T, T]

/** Immutable facts of a pool, in addition to its tokens. */
export type EulerSwapFixed = {
  /** Account whose vaults pay, and whose owner can change price and fee. */
  readonly account: Address
}

/** Maximum input without the fee (`in`), and maximum output (`out`), of one direction. */
export type EulerSwapLimits = { readonly in: bigint; readonly out: bigint }

/** State of a pool, by token; prices, concentrations, and fees have 18 decimals. */
export type EulerSwapState = {
  /** False while locked, not installed at its account, or expired. */
  readonly open: boolean
  /** Virtual reserves of the curve, not the vaults' balances. */
  readonly reserves: Pair<bigint>
  /** Reserves at which both halves of the curve meet. */
  readonly equilibrium: Pair<bigint>
  /** Prices of both tokens at the equilibrium. */
  readonly prices: Pair<bigint>
  /** Concentration of each half of the curve: 0 for x·y = k, 10¹⁸ for a straight line. */
  readonly concentrations: Pair<bigint>
  /** Fees by input token. */
  readonly fees: Pair<bigint>
  /** Limits by input token; null if the pool's getter of limits reverts, and with it every quote. */
  readonly limits: Pair<EulerSwapLimits | null>
}
