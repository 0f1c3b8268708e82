/** Tokens and pools that are watched, with what is seen of them. */
import type { Address } from '@sluice/chains'
import type { Sighting, TrustRecord } from './record.ts'

/** The share of one pool in what is watched. */
export type Share = {
  /** Dollars of named tokens in it when it was last looked at. */
  readonly depthUsd: number
  readonly partners: readonly Address[]
}

/** Watched token or pool with its sums, which are made anew where a share has changed. */
export type Watched = { record: TrustRecord; readonly pools: Map<string, Share>; sighting: Sighting | null }

export function sightingOf(watched: Watched): Sighting {
  if (watched.sighting) return watched.sighting
  const partners = new Set<Address>()
  let depthUsd = 0
  for (const share of watched.pools.values()) {
    depthUsd += share.depthUsd
    for (const token of share.partners) partners.add(token)
  }
  watched.sighting = { pools: watched.pools.size, namedTokens: partners.size, depthUsd }
  return watched.sighting
}
