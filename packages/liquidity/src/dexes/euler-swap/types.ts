/** State of EulerSwap pools. */
import type { Address } from '@sluice/chains'

type Pair<T> = readonly [T, T]

/** Immutable facts of a pool, in addition to its tokens. */
export type EulerSwapFixed = {
  /** Account whose vaults pay, and whose owner can change price and fee. */
  readonly account: Address
}

/** Maximum input, without the fee, and maximum output of one direction. */
export type EulerSwapLimits = { readonly in: bigint; readonly out: bigint }

/** State of a pool, by token; prices, concentrations, and fees have 18 decimals. */
export type EulerSwapState = {
  /** False while locked, not installed at its account, or expired. */
  readonly open: boolean
  /** True if a hook of the creator's choice takes part in swaps. */
  readonly hooked: boolean
  /** Virtual reserves of the curve, not the vaults' balances. */
  readonly reserves: Pair<bigint>
  readonly equilibrium: Pair<bigint>
  readonly prices: Pair<bigint>
  readonly concentrations: Pair<bigint>
  /** By input token. */
  readonly fees: Pair<bigint>
  /** Limits by input token; null if the pool's limits, and so its quotes, revert. */
  readonly limits: Pair<EulerSwapLimits | null>
}
