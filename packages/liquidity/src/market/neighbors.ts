/**
 * Finds the neighbors of a token: the tokens that trade with it in a known pool, except intermediates (tokens that
 * every swapped token is paired with). For a swap from A to B, discovery also searches pools that pair a neighbor of A
 * or B with A, with B, or with an intermediate. A group is a set of tokens that are traded with one another, such as
 * the input and output of a swap.
 */
import { type Address, ZERO_ADDRESS } from '@sluice/chains'
import type { Steps } from '@sluice/rpc'
import type { TokenPair } from '../family.ts'
import { pairsOf } from './pairs.ts'
import type { PoolDirectory } from './pool-directory.ts'

/**
 * Returns true if the neighbors of some token of a group are not determined yet, or some pair of a neighbor and a token
 * of the group has not been searched.
 */
export function needsNeighborSearch(
  directory: PoolDirectory,
  group: readonly Address[],
  isNew: (pair: TokenPair) => boolean,
): boolean {
  const neighborLists = nonIntermediates(directory, group).map((token) => neighborsOf(directory, token))
  return neighborLists.some((neighbors) => neighbors?.some((token) => pairsOf([token], group).some(isNew)) ?? true)
}

/** Returns the pairs of a group's neighbors with its tokens and with the intermediates. */
export function neighborPairs(directory: PoolDirectory, group: readonly Address[]): readonly TokenPair[] {
  const neighbors = nonIntermediates(directory, group).flatMap((token) => neighborsOf(directory, token) ?? [])
  return neighbors.flatMap((token) => pairsOf([token], [...group, ...directory.scope.intermediates]))
}

/**
 * Determines neighbors for the tokens of all groups whose neighbors are not determined yet. Stores them in the
 * directory, which then also follows the pools of the neighbors.
 */
export function* findNeighbors(directory: PoolDirectory, groups: readonly (readonly Address[])[]): Steps<void> {
  const tokens = new Set(groups.flatMap((group) => nonIntermediates(directory, group)))
  const undeterminedTokens = new Set([...tokens].filter((token) => neighborsOf(directory, token) === null))
  if (undeterminedTokens.size === 0) return
  const countsByToken = yield* countNeighbors(directory, undeterminedTokens)
  for (const [token, poolCounts] of countsByToken)
    directory.tokens.setNeighbors(token, topNeighbors(directory, poolCounts))
}

/**
 * Returns the tokens of a group without the intermediates. Intermediates trade with almost every token, so they get no
 * neighbors.
 */
function nonIntermediates({ scope }: PoolDirectory, group: readonly Address[]): readonly Address[] {
  return group.filter((token) => !scope.intermediates.includes(token))
}

function neighborsOf({ tokens }: PoolDirectory, token: Address): readonly Address[] | null {
  return tokens.periodOf(token)?.neighbors ?? null
}

type PoolCountByNeighbor = ReadonlyMap<Address, number>

/**
 * Counts, for each token, the pools with each neighbor. Counts only pools that discovery finds for every token: pools
 * from past logs, and pools that also trade an intermediate. Other pools are known only after a request for their
 * tokens, and the result must not depend on earlier requests.
 */
function* countNeighbors(
  { scope, listedPools, followedPools, familyOf }: PoolDirectory,
  tokens: ReadonlySet<Address>,
): Steps<ReadonlyMap<Address, PoolCountByNeighbor>> {
  const intermediates = new Set(scope.intermediates)
  const countsByToken = new Map([...tokens].map((token) => [token, new Map<Address, number>()]))
  const visitedIds = new Set<string>()
  for (const pools of [listedPools, followedPools]) {
    for (const { row, pool } of pools.values()) {
      yield
      if (visitedIds.has(pool.id)) continue
      visitedIds.add(pool.id)
      if (!familyOf(row).listedByLogs && !pool.tokens.some((token) => intermediates.has(token))) continue
      for (const token of pool.tokens) {
        const poolCountByNeighbor = countsByToken.get(token)
        if (!poolCountByNeighbor) continue
        for (const neighbor of pool.tokens)
          if (neighbor !== token && neighbor !== ZERO_ADDRESS && !intermediates.has(neighbor))
            poolCountByNeighbor.set(neighbor, (poolCountByNeighbor.get(neighbor) ?? 0) + 1)
      }
    }
  }
  return countsByToken
}

/** Orders named tokens (tokens of the chain's file) first, then by number of pools, and applies the limit. */
function topNeighbors({ tokens, limits }: PoolDirectory, counts: PoolCountByNeighbor): readonly Address[] {
  const rankOf = ([token, count]: [Address, number]) => (tokens.isNamed(token) ? Number.MAX_SAFE_INTEGER : count)
  const sortedCounts = [...counts].sort((a, b) => rankOf(b) - rankOf(a) || (a[0] < b[0] ? -1 : 1))
  return sortedCounts.slice(0, limits.neighbors).map(([token]) => token)
}
