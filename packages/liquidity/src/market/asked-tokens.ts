import { type Address, type Chain, ZERO_ADDRESS } from '@sluice/chains'
import type { StateCount } from '@sluice/simulation'
import { LRUCache } from 'lru-cache'
import type { MarketLimits } from './limits.ts'

/** A token's time of being followed: another object when it is asked for anew after it was dropped. */
export type Following = { askedAt: number }

/** The addresses that a chain's file speaks of: never forgotten. */
export function namedTokens({ wrappedNative, nativeErc20, stables, tokens, hubs }: Chain): ReadonlySet<Address> {
  const listed = [wrappedNative, nativeErc20, ...stables, ...tokens].filter((token) => token != null)
  return new Set([ZERO_ADDRESS, ...hubs, ...listed.map(({ address }) => address)])
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

  add(token: Address, now = Date.now()): void {
    const known = this.permanent.get(token) ?? this.others.get(token)
    if (known) known.askedAt = now
    else if (this.named.has(token)) this.permanent.set(token, { askedAt: now })
    else this.others.set(token, { askedAt: now })
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
