/**
 * Tracks which tokens a market follows, and when each token was last requested. `PoolDirectory` owns the instance;
 * discovery and the evictor call it.
 */
import { type Address, ZERO_ADDRESS } from '@sluice/chains'
import type { StateCount } from '@sluice/simulation'
import { LRUCache } from 'lru-cache'
import { indexPairsOf } from '../dexes/common/sampled-state.ts'
import type { MarketLimits } from './limits.ts'

/**
 * Period in which a token is followed. A token that was dropped gets a new object when it is requested again, so that
 * `RequestedPairs` notices the interruption.
 */
export type FollowPeriod = {
  /** Time of the last request, in milliseconds of `performance.now`. */
  requestedAtMs: number
  /**
   * Tokens that trade with this token in a known pool (`neighbors.ts`). They are followed as long as this token. Null
   * until they have been determined.
   */
  neighbors: readonly Address[] | null
}

/**
 * The tokens whose pools are followed: all requested tokens that are listed in the chain's file (named tokens), and the
 * most recently requested of the other tokens.
 */
export class FollowedTokens {
  private readonly namedTokens: ReadonlySet<Address>
  private readonly limits: MarketLimits
  private readonly namedPeriods = new Map<Address, FollowPeriod>()
  private readonly unnamedPeriods: LRUCache<Address, FollowPeriod>
  private droppedTokens: Address[] = []
  private droppedCount = 0

  constructor(namedTokens: ReadonlySet<Address>, limits: MarketLimits) {
    this.namedTokens = namedTokens
    this.limits = limits
    this.unnamedPeriods = new LRUCache({
      max: limits.tokens,
      disposeAfter: (_period, token, reason) => {
        if (reason === 'set') return
        this.droppedTokens.push(token)
        this.droppedCount++
      },
    })
  }

  get stateCount(): StateCount {
    return { entries: this.namedPeriods.size + this.unnamedPeriods.size, evicted: this.droppedCount }
  }

  has(token: Address): boolean {
    return this.namedPeriods.has(token) || this.unnamedPeriods.has(token)
  }

  isNamed(token: Address): boolean {
    return this.namedTokens.has(token)
  }

  periodOf(token: Address): FollowPeriod | undefined {
    return this.namedPeriods.get(token) ?? this.unnamedPeriods.peek(token)
  }

  /** Returns the time of the last request of a pair of these tokens, by `performance.now`; `-Infinity` if none. */
  lastRequestMs(poolTokens: readonly Address[]): number {
    const pairs = indexPairsOf(poolTokens.length).map(([first, second]) => [poolTokens[first]!, poolTokens[second]!])
    return Math.max(...pairs.map((pair) => this.lastPairRequestMs(pair)))
  }

  /**
   * Returns the time since which both tokens have been requested: the earlier of the times of their last requests.
   * Named tokens are requested often, so the time of a named token counts only if both tokens are named.
   */
  private lastPairRequestMs(pair: readonly Address[]): number {
    const unnamedTokens = pair.filter((token) => !this.isNamed(token))
    // Requests name the wrapper, never the native token itself.
    const decidingTokens = unnamedTokens.length > 0 ? unnamedTokens : pair.filter((token) => token !== ZERO_ADDRESS)
    return Math.min(...decidingTokens.map((token) => this.periodOf(token)?.requestedAtMs ?? Number.NEGATIVE_INFINITY))
  }

  /** Marks a token and its neighbors as requested now. */
  markRequested(token: Address, nowMs = performance.now()): void {
    const period = this.touch(token, nowMs)
    const { neighbors } = period
    // If a neighbor was dropped, all are forgotten, so that they are determined again.
    if (neighbors?.every((neighbor) => this.has(neighbor)))
      for (const neighbor of neighbors) this.touch(neighbor, nowMs)
    else period.neighbors = null
  }

  /** Sets the neighbors of a token, and marks them as requested now. */
  setNeighbors(token: Address, neighbors: readonly Address[], nowMs = performance.now()): void {
    const period = this.periodOf(token)
    if (!period) return
    period.neighbors = neighbors
    // Use the current time, not `requestedAtMs` of the token: `touch` makes a neighbor the most recently used entry,
    // and `dropIdle` expects the entries in the order of their times.
    for (const neighbor of neighbors) this.touch(neighbor, nowMs)
  }

  /** Forgets the neighbors of a token, so that they are determined again. */
  forgetNeighbors(token: Address): void {
    const period = this.periodOf(token)
    if (period) period.neighbors = null
  }

  private touch(token: Address, nowMs: number): FollowPeriod {
    const existingPeriod = this.namedPeriods.get(token) ?? this.unnamedPeriods.get(token)
    const period = existingPeriod ?? { requestedAtMs: nowMs, neighbors: null }
    period.requestedAtMs = nowMs
    if (!existingPeriod) {
      if (this.namedTokens.has(token)) this.namedPeriods.set(token, period)
      else this.unnamedPeriods.set(token, period)
    }
    return period
  }

  /** Drops the tokens that have not been requested for `tokenIdleMs`, except named ones. */
  dropIdle(nowMs = performance.now()): void {
    for (const token of [...this.unnamedPeriods.rkeys()]) {
      if (nowMs - this.unnamedPeriods.peek(token)!.requestedAtMs < this.limits.tokenIdleMs) break
      this.unnamedPeriods.delete(token)
    }
  }

  /** Drops the least recently requested token. @returns false if none can be dropped */
  dropOldest(): boolean {
    const oldest = this.unnamedPeriods.rkeys().next()
    return !oldest.done && this.unnamedPeriods.delete(oldest.value)
  }

  /** Returns the tokens dropped since the last call. */
  takeDropped(): readonly Address[] {
    const { droppedTokens } = this
    this.droppedTokens = []
    return droppedTokens
  }

  [Symbol.iterator](): Iterator<Address> {
    return [...this.namedPeriods.keys(), ...this.unnamedPeriods.keys()][Symbol.iterator]()
  }
}
