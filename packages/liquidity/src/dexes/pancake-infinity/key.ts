/** Decodes keys of Pancake Infinity pools, and computes pool ids. */
import { keccak256 } from '@sluice/bindings/keccak'
import { type Address, type Hex, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool } from '../../family.ts'
import type { InfinityKey } from './types.ts'

/** Returns the key of a pool. */
export const keyOf = (pool: Pool<unknown>) => pool.fixed as InfinityKey

/** Returns the tick spacing of a `cl` pool, or the bin step of a `bin` pool. */
export const spacingOf = ({ parameters }: InfinityKey): number => Math.floor(parameters / 0x10000)

/** Number of bits of `parameters` with a known meaning. */
export const PARAMETERS_BITS = 40n

/**
 * Bits of four permissions of a hook: beforeSwap, afterSwap, and both permissions to change the amounts of a swap
 * (return deltas).
 *
 * @see ICLHooks, infinity-core
 */
const SWAP_PERMISSIONS = (1 << 6) | (1 << 7) | (1 << 10) | (1 << 11)
/** Fee in the key of a pool whose hook sets the fee. */
const DYNAMIC_FEE = 0x800000

/** True if swaps call the hook. Otherwise, the hook cannot observe or change a swap. */
export const touchesSwaps = ({ hooks, parameters }: InfinityKey): boolean =>
  hooks !== ZERO_ADDRESS && (parameters & SWAP_PERMISSIONS) !== 0

/** True if the hook can change the fee at any time. Each change emits a log. */
export const hasDynamicFee = ({ fee }: InfinityKey): boolean => fee === DYNAMIC_FEE

/** Returns the pool id: the hash of the six words of the key, which includes the tokens and the manager. */
export function poolId(
  [currency0, currency1]: readonly [Address, Address],
  manager: Address,
  { hooks, fee, parameters }: InfinityKey,
): Hex {
  const words = [currency0, currency1, hooks, manager, fee, parameters].map((value) =>
    (typeof value === 'number' ? value.toString(16) : value.slice(2)).padStart(64, '0'),
  )
  return keccak256(`0x${words.join('')}`)
}
