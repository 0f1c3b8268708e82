/**
 * Chooses the pools that are sampled at a block. A sample costs a swap in the node, and anyone can create pools that
 * must be sampled. Their number is therefore limited, in total and for pools of the same tokens.
 */
import { type DexRow, ZERO_ADDRESS } from '@sluice/chains'
import { Backoff } from './backoff.ts'
import type { FollowedTokens } from './followed-tokens.ts'
import type { PoolEntry } from './pool-reader.ts'

/** Maximum pools that are sampled at a block: three calls of 20 million gas. */
export const MAX_SAMPLED_POOLS = 12
/** Maximum pools with the same tokens among them. */
export const MAX_OF_SAME_TOKENS = 4
/** Maximum pools among them that have no samples yet, which take twice as much gas. */
export const MAX_UNSAMPLED = 3
/** Maximum pools with the same tokens that are considered at a block, in turns. */
const MAX_CONSIDERED = 32
/** Milliseconds without a request of its tokens after which a pool is not sampled. */
export const SAMPLED_IDLE_MS = 600_000
/** Maximum blocks between two attempts at a pool that refuses every swap. */
const MAX_BACKOFF = 1_024

/** Pools that are sampled at a block, by id. */
export type SamplingChoice = {
  /** Pools to sample again. */
  readonly sampledIds: ReadonlySet<string>
  /** Pools to sample for the first time, or after a pause. */
  readonly unsampledIds: ReadonlySet<string>
}

/** Budget of one market. */
export class SamplingBudget {
  private readonly tokens: FollowedTokens
  private readonly isSampled: (row: DexRow) => boolean
  /** Followed pools that must be sampled, by id. */
  private readonly pools = new Map<string, PoolEntry>()
  private readonly backoff = new Backoff(MAX_BACKOFF)

  constructor(tokens: FollowedTokens, isSampled: (row: DexRow) => boolean) {
    this.tokens = tokens
    this.isSampled = isSampled
  }

  /** True for a followed pool that must be sampled. */
  has(id: string): boolean {
    return this.pools.has(id)
  }

  /** Ids of the followed pools that must be sampled. */
  ids(): readonly string[] {
    return [...this.pools.keys()]
  }

  get size(): number {
    return this.pools.size
  }

  add(entry: PoolEntry): void {
    if (this.isSampled(entry.row)) this.pools.set(entry.pool.id, entry)
  }

  drop(id: string): void {
    this.pools.delete(id)
    this.backoff.recordSuccess(id)
  }

  /** Records whether a pool could be sampled. */
  recordSample(id: string, hasWorked: boolean, block: number): void {
    if (hasWorked) this.backoff.recordSuccess(id)
    else if (this.pools.has(id)) this.backoff.recordFailure(id, block)
  }

  /**
   * Chooses the pools of the most recent requests. Among pools with the same tokens, those that have samples come
   * first. The others take turns, so that many worthless pools cannot hide a good one for long.
   */
  choose(pools: { has(id: string): boolean }, block: number, now = Date.now()): SamplingChoice {
    const candidates: { readonly id: string; readonly key: string; readonly requestedAt: number }[] = []
    for (const [id, { pool }] of this.pools) {
      const requestedAt = this.requestedAt(pool.tokens)
      if (now - requestedAt < SAMPLED_IDLE_MS && (pools.has(id) || this.backoff.isDue(id, block)))
        candidates.push({ id, key: pool.tokens.join(), requestedAt })
    }
    candidates.sort((a, b) => b.requestedAt - a.requestedAt || (a.id < b.id ? -1 : 1))
    const sampledIds = new Set<string>()
    const unsampledIds = new Set<string>()
    for (const group of Map.groupBy(candidates, ({ key }) => key).values()) {
      const withSamples = group.filter(({ id }) => pools.has(id))
      const withoutSamples = group.filter(({ id }) => !pools.has(id)).slice(0, MAX_CONSIDERED)
      const freeSlots = () => MAX_SAMPLED_POOLS - sampledIds.size - unsampledIds.size
      for (const { id } of withSamples.slice(0, Math.min(freeSlots(), MAX_OF_SAME_TOKENS))) sampledIds.add(id)
      const room = Math.min(
        freeSlots(),
        MAX_UNSAMPLED - unsampledIds.size,
        MAX_OF_SAME_TOKENS - Math.min(withSamples.length, MAX_OF_SAME_TOKENS),
      )
      const first = block * MAX_UNSAMPLED
      for (let k = 0; k < Math.min(room, withoutSamples.length); k++)
        unsampledIds.add(withoutSamples[(first + k) % withoutSamples.length]!.id)
    }
    return { sampledIds, unsampledIds }
  }

  /**
   * Returns when the pool was requested: both of its tokens if the chain's file names both, else the ones that it does
   * not name.
   */
  private requestedAt(tokens: PoolEntry['pool']['tokens']): number {
    const unnamedTokens = tokens.filter((token) => !this.tokens.isNamed(token))
    // The native token is never requested itself, but as its wrapper.
    const decidingTokens = unnamedTokens.length > 0 ? unnamedTokens : tokens.filter((token) => token !== ZERO_ADDRESS)
    return Math.min(...decidingTokens.map((token) => this.tokens.periodOf(token)?.requestedAt ?? 0))
  }
}
