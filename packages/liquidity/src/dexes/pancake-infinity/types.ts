/** Key and state of Pancake Infinity pools. */
import type { Address } from '@sluice/chains'
import type { BinPool } from '../../math/bins.ts'
import type { ConcentratedState } from '../../math/concentrated.ts'
import type { UniswapV4Fees } from '../uniswap-v4/types.ts'

/**
 * Pool key, and the vault that holds the tokens. Two parts of the key are missing here: the currencies are the pool's
 * tokens, and the manager is the pool's address.
 */
export type InfinityKey = {
  readonly vault: Address
  /** `cl`: ticks, as in uniswap-v4. `bin`: bins, as in liquidity-book. */
  readonly kind: 'cl' | 'bin'
  /** Fee in parts per million, or 0x800000 for a dynamic fee. */
  readonly fee: number
  /**
   * Hook permissions (lowest 16 bits), followed by the tick spacing (24 bits, `cl`) or the bin step (16 bits, `bin`).
   */
  readonly parameters: number
  /** The zero address for no hook. */
  readonly hooks: Address
}

/** State of a pool. Its fees have the same layout as in Uniswap V4. */
export type InfinityState =
  | ({ readonly kind: 'cl' } & ConcentratedState & UniswapV4Fees)
  | ({ readonly kind: 'bin' } & BinPool & UniswapV4Fees)
