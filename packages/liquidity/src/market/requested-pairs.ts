/** Tracks the token pairs whose pools have been searched, so that discovery searches each pair once. */
import { BoundedMap, type StateCount } from '@sluice/simulation'
import { pairKey, sortPair } from '../dexes/common/direction.ts'
import type { TokenPair } from '../family.ts'
import type { FollowedTokens, FollowPeriod } from './followed-tokens.ts'
import type { MarketLimits } from './limits.ts'

type PairRequest = {
  /**
   * The follow periods of both tokens, in sorted order of the tokens; undefined for a token that is not followed. A
   * token that was dropped gets a new period.
   */
  readonly periods: readonly (FollowPeriod | undefined)[]
  /** Pending search; null once the pools are in memory. */
  pendingSearch: Promise<void> | null
  /** Time of the last search, by `performance.now`; −∞ if that was before the start. */
  searchedAtMs: number
}

/** Pairs whose pools are in memory or being searched. An entry expires when one of its tokens is no longer followed. */
export class RequestedPairs {
  private readonly tokens: FollowedTokens
  private readonly requestByPairKey: BoundedMap<string, PairRequest>

  constructor(tokens: FollowedTokens, limits: MarketLimits) {
    this.tokens = tokens
    this.requestByPairKey = new BoundedMap(limits.pairs)
  }

  get stateCount(): StateCount {
    return this.requestByPairKey.count
  }

  /**
   * True for a pair whose pools must be searched: it was not requested before, or one of its tokens was dropped since.
   */
  isNew(pair: TokenPair): boolean {
    return this.validRequest(pair) === undefined
  }

  /**
   * Returns the running search of a pair, which resolves when the pools are in memory. Null if the pools already are in
   * memory, or if the pair is new.
   */
  searchOf(pair: TokenPair): Promise<void> | null {
    return this.validRequest(pair)?.pendingSearch ?? null
  }

  /** Records that pairs are being searched. If the search fails, they count as new again. */
  recordSearch(pairs: readonly TokenPair[], pendingSearch: Promise<void>): void {
    const entries = pairs.map((pair) => ({
      pair,
      request: { periods: this.followPeriodsOf(pair), pendingSearch, searchedAtMs: performance.now() } as PairRequest,
    }))
    for (const { pair, request } of entries) this.requestByPairKey.set(pairKey(pair), request)
    pendingSearch.then(
      () => {
        for (const { request } of entries) request.pendingSearch = null
      },
      () => {
        for (const { pair, request } of entries)
          if (this.requestByPairKey.peek(pairKey(pair)) === request) this.requestByPairKey.delete(pairKey(pair))
      },
    )
  }

  /** Returns the pairs in memory whose last search is older than a limit, and counts them as searched now. */
  takeStale(pairs: readonly TokenPair[], maxAgeMs: number): readonly TokenPair[] {
    const now = performance.now()
    return pairs.filter((pair) => {
      const request = this.validRequest(pair)
      if (!request || request.pendingSearch || now - request.searchedAtMs < maxAgeMs) return false
      request.searchedAtMs = now
      return true
    })
  }

  /** Lets the next call of `takeStale` return a pair again, because its repeated search failed. */
  markStale(pair: TokenPair): void {
    const request = this.validRequest(pair)
    if (request) request.searchedAtMs = Number.NEGATIVE_INFINITY
  }

  /** Restores pairs whose pools were in memory when they were saved. */
  restore(pairKeys: Iterable<string>): void {
    for (const key of pairKeys)
      this.requestByPairKey.set(key, {
        periods: this.followPeriodsOf(key.split(',') as unknown as TokenPair),
        pendingSearch: null,
        searchedAtMs: Number.NEGATIVE_INFINITY,
      })
  }

  forgetAll(): void {
    this.requestByPairKey.clear()
  }

  /** Keys of the pairs whose pools are in memory. */
  *loadedKeys(): Iterable<string> {
    // Iterate without marking entries as used, which would move each to the end of the iteration.
    for (const [key, request] of this.requestByPairKey)
      if (request.pendingSearch === null && this.isValid(request, key.split(',') as unknown as TokenPair)) yield key
  }

  private followPeriodsOf(pair: TokenPair): readonly (FollowPeriod | undefined)[] {
    return sortPair(pair).map((token) => this.tokens.periodOf(token))
  }

  private validRequest(pair: TokenPair): PairRequest | undefined {
    const request = this.requestByPairKey.get(pairKey(pair))
    return request && this.isValid(request, pair) ? request : undefined
  }

  private isValid({ periods }: PairRequest, pair: TokenPair): boolean {
    const currentPeriods = this.followPeriodsOf(pair)
    return periods.every((period, i) => period !== undefined && period === currentPeriods[i])
  }
}
