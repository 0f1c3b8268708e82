/** Key and state of Pancake Infinity pools. */
import type { Address } from '@sluice/chains'
import type { BinPool } from '../../math/bins.ts'
import type { ConcentratedState } from '../../math/concentrated.ts'
import type { UniswapV4Fees } from '../uniswap-v4/types.ts'

/** Pool key without the currencies, which are the pool's tokens, and the manager, which is the pool's address. */
export type InfinityKey = {
  readonly vault: Address
  /** `cl`: ticks, as in uniswap-v4. `bin`: bins, as in liquidity-book. */
  readonly kind: 'cl' | 'bin'
  /** Fee in parts per million, or 0x800000 for a dynamic fee. */
  readonly fee: number
  /** Hook permissions in the lowest 16 bits. Then 24 bits of tick spacing (`cl`) or 16 bits of bin step (`bin`). */
  readonly parameters: number
  /** The zero address for no hook. */
  readonly hooks: Address
}

/** State of a pool. Its fees have the same layout as in Uniswap V4. */
export type InfinityState =
  | ({ readonly kind: 'cl' } & ConcentratedState & UniswapV4Fees)
  | ({ readonly kind: 'bin' } & BinPool & UniswapV4Fees)
