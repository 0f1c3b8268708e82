/** Key and state of Pancake Infinity pools. */
import type { Address } from '@sluice/chains'
import type { BinPool } from '../../math/bins.ts'
import type { ConcentratedState } from '../../math/concentrated.ts'

/** Pool key, without the currencies (the pool's tokens) and the manager (its address). */
export type InfinityKey = {
  readonly vault: Address
  /** `cl`: ticks, as in uniswap-v4. `bin`: bins, as in liquidity-book. */
  readonly kind: 'cl' | 'bin'
  /** Parts per million, or 0x800000 for a dynamic fee. */
  readonly fee: number
  /** Lowest 16 bits: hook permissions; then 24 bits of tick spacing or 16 bits of bin step. */
  readonly parameters: number
  /** The zero address for no hook. */
  readonly hooks: Address
}

/** Fees in ppm: the fee of the liquidity providers, plus the protocol fee of the direction. */
export type InfinityFees = {
  readonly feePpm: number
  readonly protocolFee0Ppm: number
  readonly protocolFee1Ppm: number
}

export type InfinityState =
  | ({ readonly kind: 'cl' } & ConcentratedState & InfinityFees)
  | ({ readonly kind: 'bin' } & BinPool & InfinityFees)
