/** Tokens and pools under observation, with their current liquidity. */
import type { Address } from '@sluice/chains'
import type { ObservedLiquidity, TrustRecord } from './record.ts'

/** Contribution of one pool to a watched token or pool. */
export type PoolContribution = {
  /** USD of named tokens (tokens of the chain's file) in the pool when it was last valued. */
  readonly depthUsd: number
  /** Named tokens in the pool. */
  readonly namedPartners: readonly Address[]
}

/**
 * A watched token or pool. `liquidity` caches the sums of all contributions; null if a contribution has changed since.
 */
export type WatchedItem = {
  record: TrustRecord
  readonly contributionByPoolId: Map<string, PoolContribution>
  liquidity: ObservedLiquidity | null
}

/** Returns the cached sums, or computes them. */
export function liquidityOf(watchedItem: WatchedItem): ObservedLiquidity {
  if (watchedItem.liquidity) return watchedItem.liquidity
  const distinctPartners = new Set<Address>()
  let depthUsd = 0
  for (const contribution of watchedItem.contributionByPoolId.values()) {
    depthUsd += contribution.depthUsd
    for (const token of contribution.namedPartners) distinctPartners.add(token)
  }
  watchedItem.liquidity = { pools: watchedItem.contributionByPoolId.size, namedTokens: distinctPartners.size, depthUsd }
  return watchedItem.liquidity
}
