/** Tokens and pools under observation, with their current liquidity. */
import type { Address } from '@sluice/chains'
import type { Sighting, TrustRecord } from './record.ts'

/** Contribution of one pool to a watched token or pool. */
export type PoolContribution = {
  /** USD of named tokens in the pool when it was last valued. */
  readonly depthUsd: number
  /** Named tokens in the pool. */
  readonly partners: readonly Address[]
}

/** A watched token or pool. `sighting` caches the sums over `pools`; null if a share has changed since. */
export type WatchedItem = {
  record: TrustRecord
  readonly pools: Map<string, PoolContribution>
  sighting: Sighting | null
}

/** Returns the cached sums, or computes them. */
export function sightingOf(watchedItem: WatchedItem): Sighting {
  if (watchedItem.sighting) return watchedItem.sighting
  const partners = new Set<Address>()
  let depthUsd = 0
  for (const share of watchedItem.pools.values()) {
    depthUsd += share.depthUsd
    for (const token of share.partners) partners.add(token)
  }
  watchedItem.sighting = { pools: watchedItem.pools.size, namedTokens: partners.size, depthUsd }
  return watchedItem.sighting
}
