import type { Address } from '@sluice/chains'
import type { UniswapV4Key } from './types.ts'

/** Bits of a hook's address by which the manager lets it take part in swaps. @see Hooks, Uniswap/v4-core */
const SWAP_BITS =
  0x80n | // beforeSwap
  0x40n | // afterSwap
  0x08n | // beforeSwapReturnsDelta
  0x04n // afterSwapReturnsDelta

/** The fee of a key whose pool has one that its hook sets anew whenever it likes, without a log. */
const DYNAMIC_FEE = 0x800000

export const hasDynamicFee = ({ fee }: UniswapV4Key): boolean => fee === DYNAMIC_FEE

/** True for a hook that is called for swaps. Any other cannot see or change one; the zero address is none. */
export function touchesSwaps(hooks: Address): boolean {
  return (BigInt(hooks) & SWAP_BITS) !== 0n
}
