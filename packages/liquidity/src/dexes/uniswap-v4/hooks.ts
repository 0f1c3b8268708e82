/** Permissions of Uniswap V4 hooks. */
import type { Address } from '@sluice/chains'
import type { UniswapV4Key } from './types.ts'

/** Address bits by which a hook takes part in swaps. @see Hooks, Uniswap/v4-core */
const SWAP_BITS =
  0x80n | // beforeSwap
  0x40n | // afterSwap
  0x08n | // beforeSwapReturnsDelta
  0x04n // afterSwapReturnsDelta

/** Fee value of a key whose hook sets the fee at any time, without a log. */
const DYNAMIC_FEE = 0x800000

export const hasDynamicFee = ({ fee }: UniswapV4Key): boolean => fee === DYNAMIC_FEE

/**
 * True for a hook that is called in swaps. Other hooks cannot observe or change a swap. The zero address means no hook.
 */
export function touchesSwaps(hooks: Address): boolean {
  return (BigInt(hooks) & SWAP_BITS) !== 0n
}
