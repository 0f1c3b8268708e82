/** State of EulerSwap pools. */
import type { Address } from '@sluice/chains'

/** Values of the first and the second token. */
type Pair<T> = readonly [T, T]

/** Immutable facts of a pool, in addition to its tokens. */
export type EulerSwapFixed = {
  /** Euler account that provides the liquidity from its vaults. Its owner can change price and fee. */
  readonly account: Address
}

/** Maximum input without the fee (`in`) and maximum output (`out`) of one direction, in base units. */
export type EulerSwapLimits = { readonly in: bigint; readonly out: bigint }

/** State of a pool. Prices, concentrations, and fees have 18 decimals. */
export type EulerSwapState = {
  /** False while the pool is locked, not installed in its account, or expired. */
  readonly open: boolean
  /** Virtual reserves of the curve in base units. They differ from the balances of the vaults behind the pool. */
  readonly reserves: Pair<bigint>
  /** Reserves at which both halves of the curve meet. */
  readonly equilibrium: Pair<bigint>
  /** Prices of both tokens at the equilibrium. */
  readonly prices: Pair<bigint>
  /** Concentration of each half of the curve: 0 for x·y = k, 10¹⁸ for a straight line. */
  readonly concentrations: Pair<bigint>
  /** Fees by input token. */
  readonly fees: Pair<bigint>
  /** Limits by input token; null if the pool's getter of the limits reverts. Every quote then reverts too. */
  readonly limits: Pair<EulerSwapLimits | null>
}
