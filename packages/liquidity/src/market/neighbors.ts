/**
 * Neighbors of a token: the non-intermediate tokens that known pools trade it with. A pool between a neighbor and the
 * other end of a swap may be known only to its factory.
 */
import { type Address, ZERO_ADDRESS } from '@sluice/chains'
import type { Steps } from '@sluice/rpc'
import { pairsOf, type TokenPair } from './pairs.ts'
import type { PoolDirectory } from './pool-directory.ts'

/** True if the neighbors of a group of tokens are unknown, or their pairs with the group have not been searched. */
export function lacksNeighbors(
  directory: PoolDirectory,
  group: readonly Address[],
  isNew: (pair: TokenPair) => boolean,
): boolean {
  const ownNeighbors = endsOf(directory, group).map((end) => neighborsOf(directory, end))
  return ownNeighbors.some((neighbors) => neighbors?.some((token) => pairsOf([token], group).some(isNew)) ?? true)
}

/** Returns the pairs of a group's neighbors with its tokens and with the intermediates. */
export function neighborPairs(directory: PoolDirectory, group: readonly Address[]): readonly TokenPair[] {
  const neighbors = endsOf(directory, group).flatMap((end) => neighborsOf(directory, end) ?? [])
  return neighbors.flatMap((token) => pairsOf([token], [...group, ...directory.scope.intermediates]))
}

/** Determines unknown neighbors of groups of tokens, and follows them. */
export function* findNeighbors(directory: PoolDirectory, groups: readonly (readonly Address[])[]): Steps<void> {
  const ends = new Set(groups.flatMap((group) => endsOf(directory, group)))
  const unknown = new Set([...ends].filter((end) => neighborsOf(directory, end) === null))
  if (unknown.size === 0) return
  const counts = yield* countNeighbors(directory, unknown)
  for (const [end, count] of counts) directory.tokens.setNeighbors(end, rankTokens(directory, count))
}

/** Excludes intermediates: they trade with everything, so their neighbors say nothing about the other end. */
function endsOf({ scope }: PoolDirectory, group: readonly Address[]): readonly Address[] {
  return group.filter((token) => !scope.intermediates.includes(token))
}

function neighborsOf({ tokens }: PoolDirectory, token: Address): readonly Address[] | null {
  return tokens.periodOf(token)?.neighbors ?? null
}

type Counts = ReadonlyMap<Address, number>

/**
 * Counts, for each token, the pools with each neighbor. Counts only pools that are known regardless of earlier
 * requests: pools found in past logs, and pools that also trade an intermediate.
 */
function* countNeighbors(
  { scope, listedPools: scannedPools, followedPools, familyOf }: PoolDirectory,
  tokens: ReadonlySet<Address>,
): Steps<ReadonlyMap<Address, Counts>> {
  const intermediates = new Set(scope.intermediates)
  const counts = new Map([...tokens].map((token) => [token, new Map<Address, number>()]))
  const visitedIds = new Set<string>()
  for (const pools of [scannedPools, followedPools]) {
    for (const { row, pool } of pools.values()) {
      yield
      if (visitedIds.has(pool.id)) continue
      visitedIds.add(pool.id)
      if (!familyOf(row).listedByLogs && !pool.tokens.some((token) => intermediates.has(token))) continue
      for (const token of pool.tokens) {
        const count = counts.get(token)
        if (!count) continue
        for (const other of pool.tokens)
          if (other !== token && other !== ZERO_ADDRESS && !intermediates.has(other))
            count.set(other, (count.get(other) ?? 0) + 1)
      }
    }
  }
  return counts
}

/** Orders named tokens first, then by number of pools, and applies the limit. */
function rankTokens({ tokens, limits }: PoolDirectory, counts: Counts): readonly Address[] {
  const rank = ([token, count]: [Address, number]) => (tokens.isNamed(token) ? Number.MAX_SAFE_INTEGER : count)
  const sorted = [...counts].sort((a, b) => rank(b) - rank(a) || (a[0] < b[0] ? -1 : 1))
  return sorted.slice(0, limits.neighbors).map(([token]) => token)
}
