/** Keys and ids of Pancake Infinity pools. */
import { type Address, type Hex, ZERO_ADDRESS } from '@sluice/chains'
import { keccak256 } from 'ethers'
import type { Pool } from '../../family.ts'
import type { InfinityKey } from './types.ts'

export const keyOf = (pool: Pool<unknown>) => pool.fixed as InfinityKey

/** Returns the tick spacing or bin step. */
export const stepOf = ({ parameters }: InfinityKey): number => Math.floor(parameters / 0x10000)

/** Number of bits of `parameters` with a known meaning. */
export const PARAMETERS_BITS = 40n

/** beforeSwap, afterSwap, and the flags for returning deltas. @see ICLHooks, infinity-core */
const SWAP_BITS = (1 << 6) | (1 << 7) | (1 << 10) | (1 << 11)
/** Fee value of a key whose hook sets the fee. */
const DYNAMIC_FEE = 0x800000

/** True for a hook that is called in swaps. Other hooks cannot observe or change a swap. */
export const touchesSwaps = ({ hooks, parameters }: InfinityKey): boolean =>
  hooks !== ZERO_ADDRESS && (parameters & SWAP_BITS) !== 0

/** True if the hook can change the fee at any time; the change emits a log. */
export const hasDynamicFee = ({ fee }: InfinityKey): boolean => fee === DYNAMIC_FEE

/** Returns the pool id: the hash of the key's six words. */
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
