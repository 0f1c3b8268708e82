import type { Address } from '@sluice/chains'
import { pairKey } from '../dexes/common/direction.ts'

export type Pair = readonly [Address, Address]

/** Pairs to ask factories for when tokens are met: each with every hub, and with one another. */
export function pairsOf(tokens: readonly Address[], hubs: readonly Address[]): readonly Pair[] {
  const pairs = new Map<string, Pair>()
  const others = [...new Set([...tokens, ...hubs])]
  for (const token of new Set(tokens)) {
    for (const other of others) if (other !== token) pairs.set(pairKey([token, other]), [token, other])
  }
  return [...pairs.values()]
}

/** The same of groups of tokens, as texts that are alike for both orders of a pair. */
export function pairKeysOf(groups: readonly (readonly Address[])[], hubs: readonly Address[]): readonly string[] {
  return groups.flatMap((tokens) => pairsOf(tokens, hubs).map(pairKey))
}
