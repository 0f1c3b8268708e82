/** Pairs of tokens that factories are asked for. */
import { type Address, type Chain, ZERO_ADDRESS } from '@sluice/chains'
import { pairKey } from '../dexes/common/direction.ts'
import { namedTokens } from '../trust/named.ts'

export type Pair = readonly [Address, Address]

/**
 * Tokens that a route may pass through whoever asked before, at most this many of a chain: each one more is one more pair of every token
 * that is swapped. No chain's file of ours names as many.
 */
const MAX_INTERMEDIATES = 64

export type PairScope = {
  /** Tokens that every token which is priced is looked for with. */
  readonly hubs: readonly Address[]
  /** Tokens that every token which is swapped is looked for with: the hubs, then others that the chain's file names. */
  readonly intermediates: readonly Address[]
}

export function pairScopeOf(chain: Chain): PairScope {
  const named = new Set([...chain.hubs, ...namedTokens(chain)])
  named.delete(ZERO_ADDRESS)
  return { hubs: chain.hubs, intermediates: [...named].slice(0, MAX_INTERMEDIATES) }
}

/** Each token with each of the others, and with one another. */
export function pairsOf(tokens: readonly Address[], others: readonly Address[]): readonly Pair[] {
  const pairs = new Map<string, Pair>()
  const all = [...new Set([...tokens, ...others])]
  for (const token of new Set(tokens)) {
    for (const other of all) if (other !== token) pairs.set(pairKey([token, other]), [token, other])
  }
  return [...pairs.values()]
}

/**
 * Pairs that are in memory once groups of tokens have been looked for to be swapped, and tokens to be priced; as texts that are alike
 * for both orders of a pair.
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
