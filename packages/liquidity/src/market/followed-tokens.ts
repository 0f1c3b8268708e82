/** Tracks which tokens a market follows, and when each token was last requested. */
import type { Address } from '@sluice/chains'
import type { StateCount } from '@sluice/simulation'
import { LRUCache } from 'lru-cache'
import type { MarketLimits } from './limits.ts'

/** Period in which a token is followed. A token that was dropped gets a new object when it is requested again. */
export type FollowPeriod = {
  /** Unix time in milliseconds of the last request. */
  requestedAtMs: number
  /** Neighbors, which are followed as long as this token; null until they have been determined. */
  neighbors: readonly Address[] | null
}

/**
 * The tokens whose pools are followed: every requested token that the chain's file names, and of all other tokens the
 * most recently requested ones.
 */
export class FollowedTokens {
  private readonly namedTokens: ReadonlySet<Address>
  private readonly limits: MarketLimits
  private readonly namedPeriods = new Map<Address, FollowPeriod>()
  private readonly unnamedPeriods: LRUCache<Address, FollowPeriod>
  private droppedTokens: Address[] = []
  private evictedCount = 0

  constructor(namedTokens: ReadonlySet<Address>, limits: MarketLimits) {
    this.namedTokens = namedTokens
    this.limits = limits
    this.unnamedPeriods = new LRUCache({
      max: limits.tokens,
      disposeAfter: (_period, token, reason) => {
        if (reason === 'set') return
        this.droppedTokens.push(token)
        this.evictedCount++
      },
    })
  }

  get count(): StateCount {
    return { entries: this.namedPeriods.size + this.unnamedPeriods.size, evicted: this.evictedCount }
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

  /** Marks a token and its neighbors as requested now. */
  add(token: Address, nowMs = Date.now()): void {
    const period = this.touch(token, nowMs)
    const { neighbors } = period
    // If a neighbor was evicted, determine the neighbors again.
    if (neighbors?.every((neighbor) => this.has(neighbor)))
      for (const neighbor of neighbors) this.touch(neighbor, nowMs)
    else period.neighbors = null
  }

  setNeighbors(token: Address, neighbors: readonly Address[]): void {
    const period = this.periodOf(token)
    if (!period) return
    period.neighbors = neighbors
    for (const neighbor of neighbors) this.touch(neighbor, period.requestedAtMs)
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

  /** Drops the tokens that have not been requested for `tokenIdleMs`. */
  dropIdle(nowMs = Date.now()): void {
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
