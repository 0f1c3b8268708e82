import { type Address, type Hex, ZERO_ADDRESS } from '@sluice/chains'
import { keccak256 } from 'ethers'
import type { Pool } from '../../family.ts'
import type { InfinityKey } from './types.ts'

export const keyOf = (pool: Pool<unknown>) => pool.fixed as InfinityKey

/** Tick spacing or bin step. */
export const stepOf = ({ parameters }: InfinityKey): number => Math.floor(parameters / 0x10000)

/** The largest number of `parameters` whose higher bits mean nothing: 40 bits. */
export const PARAMETERS_BITS = 40n

/** beforeSwap, afterSwap, and both saying what they change. @see ICLHooks, infinity-core */
const SWAP_BITS = (1 << 6) | (1 << 7) | (1 << 10) | (1 << 11)
const DYNAMIC_FEE = 0x800000

/** True for a hook that is called for swaps. Any other cannot see or change one. */
export const touchesSwaps = ({ hooks, parameters }: InfinityKey): boolean =>
  hooks !== ZERO_ADDRESS && (parameters & SWAP_BITS) !== 0

/** True where the hook sets the fee anew whenever it likes; a log tells. */
export const hasDynamicFee = ({ fee }: InfinityKey): boolean => fee === DYNAMIC_FEE

/** Hash of the key's six words. */
export function poolId(
  [currency0, currency1]: readonly [Address, Address],
  manager: Address,
  { hooks, fee, parameters }: InfinityKey,
): Hex {
  const words = [currency0, currency1, hooks, manager, fee, parameters].map((value) =>
    (typeof value === 'number' ? value.toString(16) : value.slice(2)).padStart(64, '0'),
  )
  return keccak256(Buffer.from(words.join(''), 'hex')) as Hex
}
