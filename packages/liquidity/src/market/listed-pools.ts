/**
 * Selects pools that the log scan of a market found, for another market of the same chain. The other market is for a
 * past block, and scans no logs.
 */
import { type Address, ZERO_ADDRESS } from '@sluice/chains'
import type { Steps } from '@sluice/rpc'
import type { PoolDirectory } from './pool-directory.ts'
import type { PoolEntry } from './pool-reader.ts'

/** Maximum selected pools, because the other market must read each pool. */
const MAX_POOLS = 2_000
/** Pools examined between two yields to the event loop. */
const SLICE = 256

/**
 * Returns first the pools between two near tokens: the requested tokens, their neighbors (`neighbors.ts`), and the
 * intermediates (`pairs.ts`). Then, up to the limit, returns the pools of a requested token with any other token, from
 * which the other market determines the same neighbors.
 */
export function* listedPoolsNear(
  { scope, tokens: followedTokens, listedPools, followedPools, familyOf }: PoolDirectory,
  tokens: readonly Address[],
): Steps<readonly PoolEntry[]> {
  const nearTokens = new Set<Address>([ZERO_ADDRESS, ...scope.intermediates, ...tokens])
  for (const token of tokens)
    for (const neighbor of followedTokens.periodOf(token)?.neighbors ?? []) nearTokens.add(neighbor)
  const nonIntermediates = new Set(tokens.filter((token) => !scope.intermediates.includes(token)))
  const [nearPools, otherPools] = [new Map<string, PoolEntry>(), new Map<string, PoolEntry>()]
  let examinedCount = 0
  // Put followed pools first: anyone can create hundreds of listed pools, which would use up the limit.
  for (const pools of [followedPools, listedPools]) {
    for (const entry of pools.values()) {
      if (++examinedCount % SLICE === 0) yield
      if (!familyOf(entry.row).listedByLogs) continue
      const { id, tokens: poolTokens } = entry.pool
      if (nearPools.has(id) || otherPools.has(id)) continue
      if (poolTokens.filter((token) => nearTokens.has(token)).length >= 2) nearPools.set(id, entry)
      else if (poolTokens.some((token) => nonIntermediates.has(token))) otherPools.set(id, entry)
    }
  }
  return [...nearPools.values(), ...otherPools.values()].slice(0, MAX_POOLS)
}
