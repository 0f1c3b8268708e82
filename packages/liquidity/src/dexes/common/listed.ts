/** Verifies pools of an untrusted pool list on chain, for families whose pool id is the hash of a key. */
import { type Address, isAddress, toAddress } from '@sluice/chains'
import type { ListedPool, Pool, PoolReads, Reads, TokenPair } from '../../family.ts'

/** Returns the two tokens of a listed pool; null unless they are two different addresses. */
export function validPairOf(tokens: readonly Address[]): TokenPair | null {
  const [a, b] = tokens
  if (tokens.length !== 2 || !isAddress(a) || !isAddress(b)) return null
  const pair = [toAddress(a), toAddress(b)] as const
  return pair[0] === pair[1] ? null : pair
}

/** True for an integer from `min` to `max`. */
export function isIntegerIn(value: unknown, min: number, max: number): value is number {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max
}

/**
 * Verifies listed pools, for `DexFamily.provePools`.
 *
 * @param toPool - returns the pool of a list entry, and computes its id from its key; null if the entry is invalid
 * @param filterExisting - returns the candidates that exist on chain
 * @returns the pool of each entry; null if its id is wrong, or if the pool does not exist
 */
export function* proveByKey(
  listedPools: readonly ListedPool[],
  toPool: (pool: ListedPool) => Pool<null> | null,
  filterExisting: (candidates: readonly Pool<null>[]) => Reads<readonly Pool<null>[]>,
): PoolReads<Pool<null>> {
  const candidates = listedPools.map((pool) => {
    const candidate = toPool(pool)
    return candidate?.id === pool.id ? candidate : null
  })
  const existingPools = new Set(yield* filterExisting(candidates.filter((pool) => pool !== null)))
  return candidates.map((pool) => (pool && existingPools.has(pool) ? pool : null))
}
