/** State of SyncSwap pools. */
import type { Address } from '@sluice/chains'

/** State of a classic (x·y = k) or stable pool with a fee per direction. */
export type SyncswapState = {
  /** Vault that holds the tokens; zero if the pool holds them itself. */
  readonly vault: Address
  /** True for a stable pool, false for a classic pool. */
  readonly stable: boolean
  /** Reserves by token, in base units. */
  readonly reserve0: bigint
  readonly reserve1: bigint
  /** Factors by token that scale reserves to 18 decimals: 10^(18 − decimals). For classic pools: 1. */
  readonly multiplier0: bigint
  readonly multiplier1: bigint
  /** Fees by input token, in units of 1/100,000. */
  readonly fee0: bigint
  readonly fee1: bigint
}
