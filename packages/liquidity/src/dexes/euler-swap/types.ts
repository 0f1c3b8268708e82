import type { Address } from '@sluice/chains'

type Pair<T> = readonly [T, T]

/** Facts of a pool that never change, beside its tokens. */
export type EulerSwapFixed = {
  /** Whose vaults pay, and who may set price and fee anew. */
  readonly account: Address
}

/** Most that one way of trading takes, its fee aside, and pays. */
export type EulerSwapLimits = { readonly in: bigint; readonly out: bigint }

/** By token; prices, concentrations and fees of 10^18. */
export type EulerSwapState = {
  /** False while it is locked, not installed at its account, or past its time. */
  readonly open: boolean
  /** True where a contract of its maker's choice takes part in swaps. */
  readonly hooked: boolean
  /** Virtual: what the curve is at, not what the vaults hold. */
  readonly reserves: Pair<bigint>
  readonly equilibrium: Pair<bigint>
  readonly prices: Pair<bigint>
  readonly concentrations: Pair<bigint>
  /** By the token sold. */
  readonly fees: Pair<bigint>
  /** By the token sold; null where the pool fails to tell, and so to quote. */
  readonly limits: Pair<EulerSwapLimits | null>
}
