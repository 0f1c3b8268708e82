/** Tracks which tokens are followed, and for how long. */
import type { Address } from '@sluice/chains'
import type { StateCount } from '@sluice/simulation'
import { LRUCache } from 'lru-cache'
import type { MarketLimits } from './limits.ts'

/** Period in which a token is followed. A token that is requested again after it was dropped gets a new object. */
export type Following = {
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
  private readonly permanent = new Map<Address, Following>()
  private readonly others: LRUCache<Address, Following>
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

  following(token: Address): Following | undefined {
    return this.permanent.get(token) ?? this.others.peek(token)
  }

  /** Marks a token and its neighbors as requested now. */
  add(token: Address, now = Date.now()): void {
    const following = this.touch(token, now)
    const { neighbors } = following
    // If a neighbor was evicted, determine the neighbors again.
    if (neighbors?.every((neighbor) => this.has(neighbor))) for (const neighbor of neighbors) this.touch(neighbor, now)
    else following.neighbors = null
  }

  setNeighbors(token: Address, neighbors: readonly Address[]): void {
    const following = this.following(token)
    if (!following) return
    following.neighbors = neighbors
    for (const neighbor of neighbors) this.touch(neighbor, following.requestedAt)
  }

  /** Has the neighbors of a token determined again. */
  forgetNeighbors(token: Address): void {
    const following = this.following(token)
    if (following) following.neighbors = null
  }

  private touch(token: Address, now: number): Following {
    const existing = this.permanent.get(token) ?? this.others.get(token)
    const following = existing ?? { requestedAt: now, neighbors: null }
    following.requestedAt = now
    if (!existing) {
      if (this.namedTokens.has(token)) this.permanent.set(token, following)
      else this.others.set(token, following)
    }
    return following
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
