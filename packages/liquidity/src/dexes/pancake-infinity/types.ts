import type { Address } from '@sluice/chains'
import type { Bins } from '../../math/bins.ts'
import type { ConcentratedState } from '../../math/concentrated.ts'

/** Parts of a pool's key, beside its currencies, which are its tokens, and its manager, which is its address. */
export type InfinityKey = {
  readonly vault: Address
  /** `cl`: ticks as in uniswap-v4. `bin`: bins as in liquidity-book. */
  readonly kind: 'cl' | 'bin'
  /** Parts per million, or 0x800000 where it can be set anew. */
  readonly fee: number
  /** Lowest 16 bits what the hook is called for, then 24 bits of tick spacing or 16 of bin step. */
  readonly parameters: number
  /** The zero address for none. */
  readonly hooks: Address
}

/** Fees of a swap, in parts per million: the providers' share, and the protocol's for each direction on top. */
export type InfinityFees = {
  readonly feePpm: number
  readonly protocolFee0Ppm: number
  readonly protocolFee1Ppm: number
}

export type InfinityState =
  | ({ readonly kind: 'cl' } & ConcentratedState & InfinityFees)
  | ({ readonly kind: 'bin' } & Bins & InfinityFees)
