import type { Address } from '@sluice/chains'
import { type Pool, PoolRefusal } from '../../family.ts'

/**
 * True where a pool of two tokens sells its first.
 *
 * @throws PoolRefusal `WRONG_TOKEN` where it does not trade the pair
 */
export function isZeroForOne({ id, tokens }: Pool, tokenIn: Address, tokenOut: Address): boolean {
  if (tokens[0] === tokenIn && tokens[1] === tokenOut) return true
  if (tokens[1] === tokenIn && tokens[0] === tokenOut) return false
  throw new PoolRefusal('WRONG_TOKEN', `pool ${id} does not trade ${tokenIn} for ${tokenOut}`)
}

/** The order in which factories keep the tokens of a pair. */
export function sortTokens([a, b]: readonly [Address, Address]): readonly [Address, Address] {
  return a < b ? [a, b] : [b, a]
}

/**
 * Places of the two in a pool of several tokens.
 *
 * @throws PoolRefusal `WRONG_TOKEN` where it does not trade them
 */
export function coinIndices({ id, tokens }: Pool, tokenIn: Address, tokenOut: Address): readonly [number, number] {
  const [i, j] = [tokens.indexOf(tokenIn), tokens.indexOf(tokenOut)]
  if (i < 0 || j < 0 || i === j) {
    throw new PoolRefusal('WRONG_TOKEN', `pool ${id} does not trade ${tokenIn} for ${tokenOut}`)
  }
  return [i, j]
}

/** The same text for both orders of a pair. */
export function pairKey(pair: readonly [Address, Address]): string {
  return sortTokens(pair).join()
}
