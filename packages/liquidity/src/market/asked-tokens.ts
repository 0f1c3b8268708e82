import type { Address } from '@sluice/chains'
import type { StateCount } from '@sluice/simulation'
import { LRUCache } from 'lru-cache'
import type { MarketLimits } from './limits.ts'

/** A token's time of being followed: another object when it is asked for again after it was dropped. */
export type Following = {
  askedAt: number
  /** Tokens that are followed for as long as this one is asked for; null until they are looked for. */
  neighbors: readonly Address[] | null
}

/** The tokens whose pools are followed: those asked for, of the named ones all, of the others the most recently asked for. */
export class AskedTokens {
  private readonly named: ReadonlySet<Address>
  private readonly limits: MarketLimits
  private readonly permanent = new Map<Address, Following>()
  private readonly others: LRUCache<Address, Following>
  private dropped: Address[] = []
  private evicted = 0

  constructor(named: ReadonlySet<Address>, limits: MarketLimits) {
    this.named = named
    this.limits = limits
    this.others = new LRUCache({
      max: limits.tokens,
      disposeAfter: (_following, token, reason) => {
        if (reason === 'set') return
        this.dropped.push(token)
        this.evicted++
      },
    })
  }

  get count(): StateCount {
    return { entries: this.permanent.size + this.others.size, evicted: this.evicted }
  }

  has(token: Address): boolean {
    return this.permanent.has(token) || this.others.has(token)
  }

  isNamed(token: Address): boolean {
    return this.named.has(token)
  }

  following(token: Address): Following | undefined {
    return this.permanent.get(token) ?? this.others.peek(token)
  }

  /** Follows a token from now on, and its neighbors for as long. */
  add(token: Address, now = Date.now()): void {
    const following = this.touch(token, now)
    const { neighbors } = following
    // One that had to make room is looked for again.
    if (neighbors?.every((neighbor) => this.has(neighbor))) for (const neighbor of neighbors) this.touch(neighbor, now)
    else following.neighbors = null
  }

  setNeighbors(token: Address, neighbors: readonly Address[]): void {
    const following = this.following(token)
    if (!following) return
    following.neighbors = neighbors
    for (const neighbor of neighbors) this.touch(neighbor, following.askedAt)
  }

  /** Has the neighbors of a token looked for again. */
  forgetNeighbors(token: Address): void {
    const following = this.following(token)
    if (following) following.neighbors = null
  }

  private touch(token: Address, now: number): Following {
    const known = this.permanent.get(token) ?? this.others.get(token)
    const following = known ?? { askedAt: now, neighbors: null }
    following.askedAt = now
    if (!known) {
      if (this.named.has(token)) this.permanent.set(token, following)
      else this.others.set(token, following)
    }
    return following
  }

  /** Drops the tokens that nobody has asked for lately. */
  dropIdle(now = Date.now()): void {
    for (const token of [...this.others.rkeys()]) {
      if (now - this.others.peek(token)!.askedAt < this.limits.tokenIdleMs) break
      this.others.delete(token)
    }
  }

  /** @returns false when there is none that may be dropped */
  dropOldest(): boolean {
    const oldest = this.others.rkeys().next()
    return !oldest.done && this.others.delete(oldest.value)
  }

  /** The tokens dropped since this was last asked for. */
  takeDropped(): readonly Address[] {
    const { dropped } = this
    this.dropped = []
    return dropped
  }

  [Symbol.iterator](): Iterator<Address> {
    return [...this.permanent.keys(), ...this.others.keys()][Symbol.iterator]()
  }
}
