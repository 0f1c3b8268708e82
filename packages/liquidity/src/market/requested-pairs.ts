/** Tracks the token pairs whose pools have been requested. */
import { BoundedMap, type StateCount } from '@sluice/simulation'
import { pairKey, sortTokens } from '../dexes/common/direction.ts'
import type { FollowedTokens, FollowPeriod } from './followed-tokens.ts'
import type { MarketLimits } from './limits.ts'
import type { TokenPair } from './pairs.ts'

type PairRequest = {
  readonly periods: readonly (FollowPeriod | undefined)[]
  /** Pending search; null once the pools are in memory. */
  pending: Promise<void> | null
}

/** Pairs whose pools are in memory or being searched. An entry expires when one of its tokens is no longer followed. */
export class RequestedPairs {
  private readonly tokens: FollowedTokens
  private readonly requests: BoundedMap<string, PairRequest>

  constructor(tokens: FollowedTokens, limits: MarketLimits) {
    this.tokens = tokens
    this.requests = new BoundedMap(limits.pairs)
  }

  get count(): StateCount {
    return this.requests.count
  }

  isNew(pair: TokenPair): boolean {
    return this.validRequest(pair) === undefined
  }

  /**
   * Returns the promise that resolves when the pools of a pair are in memory. Null if they already are, or if the pair
   * is new.
   */
  pending(pair: TokenPair): Promise<void> | null {
    return this.validRequest(pair)?.pending ?? null
  }

  /** Records that pairs are being searched. If the search fails, they count as new again. */
  request(pairs: readonly TokenPair[], pending: Promise<void>): void {
    const entries = pairs.map((pair) => ({
      pair,
      requests: { periods: this.periods(pair), pending } as PairRequest,
    }))
    for (const { pair, requests } of entries) this.requests.set(pairKey(pair), requests)
    pending.then(
      () => {
        for (const { requests: pairRequest } of entries) pairRequest.pending = null
      },
      () => {
        for (const { pair, requests } of entries)
          if (this.requests.peek(pairKey(pair)) === requests) this.requests.delete(pairKey(pair))
      },
    )
  }

  /** Restores pairs whose pools were in memory when they were saved. */
  remember(keys: Iterable<string>): void {
    for (const key of keys)
      this.requests.set(key, { periods: this.periods(key.split(',') as unknown as TokenPair), pending: null })
  }

  forgetAll(): void {
    this.requests.clear()
  }

  /** Keys of the pairs whose pools are in memory. */
  *keys(): Iterable<string> {
    // Iterate without marking entries as used, which would move each to the end of the iteration.
    for (const [key, requests] of this.requests)
      if (requests.pending === null && this.isValid(requests, key.split(',') as unknown as TokenPair)) yield key
  }

  private periods(pair: TokenPair): readonly (FollowPeriod | undefined)[] {
    return sortTokens(pair).map((token) => this.tokens.periodOf(token))
  }

  private validRequest(pair: TokenPair): PairRequest | undefined {
    const requests = this.requests.get(pairKey(pair))
    return requests && this.isValid(requests, pair) ? requests : undefined
  }

  private isValid({ periods }: PairRequest, pair: TokenPair): boolean {
    const currentPeriods = this.periods(pair)
    return periods.every((following, i) => following !== undefined && following === currentPeriods[i])
  }
}
