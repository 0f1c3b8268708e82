/** Sorts token pairs, and maps tokens to their indices in a pool. */
import type { Address } from '@sluice/chains'
import { type Pool, PoolRefusal, type TokenPair } from '../../family.ts'

/**
 * True if the input is the pool's first token.
 *
 * @throws PoolRefusal `WRONG_TOKEN` if the pool does not trade the pair
 */
export function isZeroForOne({ id, tokens }: Pool, tokenIn: Address, tokenOut: Address): boolean {
  if (tokens[0] === tokenIn && tokens[1] === tokenOut) return true
  if (tokens[1] === tokenIn && tokens[0] === tokenOut) return false
  throw new PoolRefusal('WRONG_TOKEN', `pool ${id} does not trade ${tokenIn} for ${tokenOut}`)
}

/** Sorts a pair in ascending order of the addresses, as factories do. */
export function sortPair([a, b]: TokenPair): TokenPair {
  return a < b ? [a, b] : [b, a]
}

/** Returns the indices of both tokens in a pool. @throws PoolRefusal `WRONG_TOKEN` if the pool does not trade them */
export function coinIndices(
  { id, tokens }: Pool,
  tokenIn: Address,
  tokenOut: Address,
): readonly [i: number, j: number] {
  const [i, j] = [tokens.indexOf(tokenIn), tokens.indexOf(tokenOut)]
  if (i < 0 || j < 0 || i === j) {
    throw new PoolRefusal('WRONG_TOKEN', `pool ${id} does not trade ${tokenIn} for ${tokenOut}`)
  }
  return [i, j]
}

/** Returns a key that is the same for both orders of a pair. */
export function pairKey(pair: TokenPair): string {
  return sortPair(pair).join()
}
