/** Tracks which tokens are followed, and for how long. */
import type { Address } from '@sluice/chains'
import type { StateCount } from '@sluice/simulation'
import { LRUCache } from 'lru-cache'
import type { MarketLimits } from './limits.ts'

/** Period in which a token is followed. A token that was dropped gets a new object when it is requested again. */
export type FollowPeriod = {
  requestedAt: number
  /** Tokens that are followed as long as this one is; null until they have been determined. */
  neighbors: readonly Address[] | null
}

/**
 * The tokens whose pools are followed: every requested token that the chain's file names, and the most recently
 * requested others.
 */
export class FollowedTokens {
  private readonly namedTokens: ReadonlySet<Address>
  private readonly limits: MarketLimits
  private readonly permanent = new Map<Address, FollowPeriod>()
  private readonly others: LRUCache<Address, FollowPeriod>
  private droppedTokens: Address[] = []
  private evictedCount = 0

  constructor(namedTokens: ReadonlySet<Address>, limits: MarketLimits) {
    this.namedTokens = namedTokens
    this.limits = limits
    this.others = new LRUCache({
      max: limits.tokens,
      disposeAfter: (_following, token, reason) => {
        if (reason === 'set') return
        this.droppedTokens.push(token)
        this.evictedCount++
      },
    })
  }

  get count(): StateCount {
    return { entries: this.permanent.size + this.others.size, evicted: this.evictedCount }
  }

  has(token: Address): boolean {
    return this.permanent.has(token) || this.others.has(token)
  }

  isNamed(token: Address): boolean {
    return this.namedTokens.has(token)
  }

  periodOf(token: Address): FollowPeriod | undefined {
    return this.permanent.get(token) ?? this.others.peek(token)
  }

  /** Marks a token and its neighbors as requested now. */
  add(token: Address, now = Date.now()): void {
    const period = this.touch(token, now)
    const { neighbors } = period
    // If a neighbor was evicted, determine the neighbors again.
    if (neighbors?.every((neighbor) => this.has(neighbor))) for (const neighbor of neighbors) this.touch(neighbor, now)
    else period.neighbors = null
  }

  setNeighbors(token: Address, neighbors: readonly Address[]): void {
    const period = this.periodOf(token)
    if (!period) return
    period.neighbors = neighbors
    for (const neighbor of neighbors) this.touch(neighbor, period.requestedAt)
  }

  /** Forgets the neighbors of a token, so that they are determined again. */
  forgetNeighbors(token: Address): void {
    const period = this.periodOf(token)
    if (period) period.neighbors = null
  }

  private touch(token: Address, now: number): FollowPeriod {
    const existingPeriod = this.permanent.get(token) ?? this.others.get(token)
    const period = existingPeriod ?? { requestedAt: now, neighbors: null }
    period.requestedAt = now
    if (!existingPeriod) {
      if (this.namedTokens.has(token)) this.permanent.set(token, period)
      else this.others.set(token, period)
    }
    return period
  }

  /** Drops the tokens that have not been requested for `tokenIdleMs`. */
  dropIdle(now = Date.now()): void {
    for (const token of [...this.others.rkeys()]) {
      if (now - this.others.peek(token)!.requestedAt < this.limits.tokenIdleMs) break
      this.others.delete(token)
    }
  }

  /** Drops the least recently requested token. @returns false if none can be dropped */
  dropOldest(): boolean {
    const oldest = this.others.rkeys().next()
    return !oldest.done && this.others.delete(oldest.value)
  }

  /** Returns the tokens dropped since the last call. */
  takeDropped(): readonly Address[] {
    const { droppedTokens: dropped } = this
    this.droppedTokens = []
    return dropped
  }

  [Symbol.iterator](): Iterator<Address> {
    return [...this.permanent.keys(), ...this.others.keys()][Symbol.iterator]()
  }
}
