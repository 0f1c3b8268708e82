import { Bounded, type StateCount } from '@sluice/simulation'
import { pairKey, sortTokens } from '../dexes/common/direction.ts'
import type { AskedTokens, Following } from './asked-tokens.ts'
import type { MarketLimits } from './limits.ts'
import type { Pair } from './pairs.ts'

type Asked = {
  readonly followings: readonly (Following | undefined)[]
  /** Null when the pools are in memory. */
  asking: Promise<void> | null
}

/**
 * The pairs whose pools are in memory or being looked for. One of a token that was dropped since counts as never asked
 * for.
 */
export class AskedPairs {
  private readonly tokens: AskedTokens
  private readonly asked: Bounded<string, Asked>

  constructor(tokens: AskedTokens, limits: MarketLimits) {
    this.tokens = tokens
    this.asked = new Bounded(limits.pairs)
  }

  get count(): StateCount {
    return this.asked.count
  }

  isNew(pair: Pair): boolean {
    return this.valid(pair) === undefined
  }

  /**
   * The promise to wait for until the pools of a pair are in memory; null when they are, or when it was never asked
   * for.
   */
  asking(pair: Pair): Promise<void> | null {
    return this.valid(pair)?.asking ?? null
  }

  /** Notes that pairs are being asked for. When that fails they count as never asked for. */
  ask(pairs: readonly Pair[], asking: Promise<void>): void {
    const entries = pairs.map((pair) => ({ pair, asked: { followings: this.followings(pair), asking } as Asked }))
    for (const { pair, asked } of entries) this.asked.set(pairKey(pair), asked)
    asking.then(
      () => {
        for (const { asked } of entries) asked.asking = null
      },
      () => {
        for (const { pair, asked } of entries)
          if (this.asked.peek(pairKey(pair)) === asked) this.asked.delete(pairKey(pair))
      },
    )
  }

  /** Pairs whose pools are in memory, from an earlier run. */
  remember(keys: Iterable<string>): void {
    for (const key of keys)
      this.asked.set(key, { followings: this.followings(key.split(',') as unknown as Pair), asking: null })
  }

  forgetAll(): void {
    this.asked.clear()
  }

  /** Those that need not be asked for again. */
  *keys(): Iterable<string> {
    // Looked at without counting as used, which would put each at the end of what is walked through.
    for (const [key, asked] of this.asked)
      if (asked.asking === null && this.isValid(asked, key.split(',') as unknown as Pair)) yield key
  }

  private followings(pair: Pair): readonly (Following | undefined)[] {
    return sortTokens(pair).map((token) => this.tokens.following(token))
  }

  private valid(pair: Pair): Asked | undefined {
    const asked = this.asked.get(pairKey(pair))
    return asked && this.isValid(asked, pair) ? asked : undefined
  }

  private isValid({ followings }: Asked, pair: Pair): boolean {
    const now = this.followings(pair)
    return followings.every((following, i) => following !== undefined && following === now[i])
  }
}
