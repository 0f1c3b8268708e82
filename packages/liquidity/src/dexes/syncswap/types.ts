/** State of SyncSwap pools. */
import type { Address } from '@sluice/chains'

/** State of a classic (x·y = k) or stable pool with a fee per direction. */
export type SyncswapState = {
  /** Vault that holds the tokens; zero if the pool holds them itself. */
  readonly vault: Address
  readonly stable: boolean
  /** Base units of the first and second token. */
  readonly reserve0: bigint
  readonly reserve1: bigint
  /** 10^(18 − decimals); 1 for classic pools, which do not scale. */
  readonly multiplier0: bigint
  readonly multiplier1: bigint
  /** Fee on inputs of the first and second token, in units of 1/100,000. */
  readonly fee0: bigint
  readonly fee1: bigint
}
