/** Determines whether a Uniswap V4 hook can change swaps or fees of its pool. */
import type { Address } from '@sluice/chains'
import type { UniswapV4Key } from './types.ts'

/** Permission bits in the address of a hook. If one of them is set, swaps call the hook. @see Hooks, Uniswap/v4-core */
const SWAP_PERMISSIONS =
  0x80n | // beforeSwap
  0x40n | // afterSwap
  0x08n | // beforeSwapReturnsDelta
  0x04n // afterSwapReturnsDelta

/** Fee in the key of a pool whose hook can set the fee at any time, without a log. */
const DYNAMIC_FEE = 0x800000

/** True if the hook can set the fee at any time. */
export const hasDynamicFee = ({ fee }: UniswapV4Key): boolean => fee === DYNAMIC_FEE

/**
 * True if swaps call the hook. Otherwise, it cannot observe or change a swap. @param hooks - zero address for no hook
 */
export function touchesSwaps(hooks: Address): boolean {
  return (BigInt(hooks) & SWAP_PERMISSIONS) !== 0n
}
