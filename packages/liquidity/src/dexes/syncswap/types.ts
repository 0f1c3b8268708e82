import type { Address } from '@sluice/chains'

/** A classic (x·y = k) or stable pool of two tokens with a fee for each direction. */
export type SyncswapState = {
  /** Holds its tokens, with those of others; zero where the pool holds them itself. */
  readonly vault: Address
  readonly stable: boolean
  /** Base units of the pool's first and second token. */
  readonly reserve0: bigint
  readonly reserve1: bigint
  /** 10^(18 − decimals); 1 for classic pools, which do not scale. */
  readonly multiplier0: bigint
  readonly multiplier1: bigint
  /** Hundred-thousandths of what comes in of the first and second token. */
  readonly fee0: bigint
  readonly fee1: bigint
}
