/** Selects the token pairs whose pools discovery searches. */
import { type Address, type Chain, ZERO_ADDRESS } from '@sluice/chains'
import { pairKey } from '../dexes/common/direction.ts'
import type { TokenPair } from '../family.ts'
import { namedTokens } from '../trust/named-tokens.ts'

/**
 * Maximum intermediates of a chain: each one adds a pair for every swapped token. No chain's file in this repository
 * names as many.
 */
const MAX_INTERMEDIATES = 64

/** Tokens that other tokens are paired with. */
export type PairScope = {
  /** Tokens that every priced token is paired with. */
  readonly hubs: readonly Address[]
  /** Tokens that every swapped token is paired with: the hubs, then the other tokens that the chain's file names. */
  readonly intermediates: readonly Address[]
}

/** Returns the hubs and intermediates of a chain. */
export function pairScopeOf(chain: Chain): PairScope {
  const intermediateSet = new Set([...chain.hubs, ...namedTokens(chain)])
  intermediateSet.delete(ZERO_ADDRESS)
  return { hubs: chain.hubs, intermediates: [...intermediateSet].slice(0, MAX_INTERMEDIATES) }
}

/** Returns the pairs of the tokens with one another and with `otherTokens`. */
export function pairsOf(tokens: readonly Address[], otherTokens: readonly Address[]): readonly TokenPair[] {
  const pairs = new Map<string, TokenPair>()
  const allTokens = [...new Set([...tokens, ...otherTokens])]
  for (const token of new Set(tokens)) {
    for (const other of allTokens) if (other !== token) pairs.set(pairKey([token, other]), [token, other])
  }
  return [...pairs.values()]
}

/**
 * Returns the keys of all pairs that are in memory after discovery has searched `groups` for swaps and `tokens` for
 * prices. The key of a pair does not depend on the order of its tokens.
 */
export function pairKeysOf(
  {
    groups = [],
    tokens = [],
  }: { readonly groups?: readonly (readonly Address[])[]; readonly tokens?: readonly Address[] },
  { hubs, intermediates }: PairScope,
): readonly string[] {
  const pairs = [
    ...groups.flatMap((group) => pairsOf(group, intermediates)),
    ...tokens.flatMap((token) => pairsOf([token], hubs)),
  ]
  return pairs.map(pairKey)
}
