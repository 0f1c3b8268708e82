/** Pools that only past logs tell of, for a market at another block, which need not search the same logs again. */
import { type Address, ZERO_ADDRESS } from '@sluice/chains'
import type { Steps } from '@sluice/rpc'
import type { PoolDirectory } from './pool-directory.ts'
import type { FoundPool } from './pool-reader.ts'

/** Each is read at the other block if it is wanted there. */
const MAX_POOLS = 2_000
/** Pools that are looked through before the event loop may have a turn. */
const SLICE = 256

/**
 * Pools that trade two of the tokens, their neighbors, and the intermediates; after those, up to a limit, pools of a token with
 * anything else, by which the other market finds the same neighbors.
 */
export function* listedPools(
  { scope, tokens: followed, listed, found, familyOf }: PoolDirectory,
  tokens: readonly Address[],
): Steps<readonly FoundPool[]> {
  const near = new Set<Address>([ZERO_ADDRESS, ...scope.intermediates, ...tokens])
  for (const token of tokens) for (const neighbor of followed.following(token)?.neighbors ?? []) near.add(neighbor)
  const ends = new Set(tokens.filter((token) => !scope.intermediates.includes(token)))
  const [wanted, others] = [new Map<string, FoundPool>(), new Map<string, FoundPool>()]
  let looked = 0
  for (const pools of [listed, found]) {
    for (const entry of pools.values()) {
      if (++looked % SLICE === 0) yield
      if (!familyOf(entry.row).listedByLogs) continue
      const { id, tokens: own } = entry.pool
      if (own.filter((token) => near.has(token)).length >= 2) wanted.set(id, entry)
      else if (own.some((token) => ends.has(token))) others.set(id, entry)
    }
  }
  return [...wanted.values(), ...others.values()].slice(0, MAX_POOLS)
}
