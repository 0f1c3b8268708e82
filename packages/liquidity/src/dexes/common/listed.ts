/** Proof of pools that somebody else lists: what families whose pools are known by the hash of a key have in common. */
import { type Address, isAddress, toAddress } from '@sluice/chains'
import type { ListedPool, Pool, Reads } from '../../family.ts'
import type { Pair } from './native-pairs.ts'

/** The two tokens of a listed pool; null where it has others than two different ones. */
export function pairOf(tokens: readonly Address[]): Pair | null {
  const [a, b] = tokens
  if (tokens.length !== 2 || !isAddress(a) || !isAddress(b)) return null
  const pair = [toAddress(a), toAddress(b)] as const
  return pair[0] === pair[1] ? null : pair
}

export function integerIn(value: unknown, min: number, max: number): value is number {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max
}

/**
 * The pools of a list that exist, at their places in it.
 *
 * @param make - the pool that a listed one would be; null where there can be none
 * @param existing - those of such pools that the chain has
 */
export function* provenBy(
  listed: readonly ListedPool[],
  make: (pool: ListedPool) => Pool<null> | null,
  existing: (candidates: readonly Pool<null>[]) => Reads<readonly Pool<null>[]>,
): Reads<readonly (Pool<null> | null)[]> {
  const candidates = listed.map((pool) => {
    const made = make(pool)
    return made?.id === pool.id ? made : null
  })
  const known = new Set(yield* existing(candidates.filter((pool) => pool !== null)))
  return candidates.map((pool) => (pool && known.has(pool) ? pool : null))
}
