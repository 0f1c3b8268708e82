/**
 * Chooses the pools that are sampled at a block. A sample simulates swaps in the node, and anyone can create pools that
 * must be sampled. The number of sampled pools is therefore limited, in total and for pools of the same tokens.
 */
import type { DexRow } from '@sluice/chains'
import { indexPairsOf } from '../dexes/common/sampled-state.ts'
import { Backoff } from './backoff.ts'
import type { FollowedTokens } from './followed-tokens.ts'
import type { PoolEntry } from './pool-reader.ts'

/**
 * Maximum pairs of tokens whose pools are sampled at a block; a pool of three tokens has three pairs. Sampling takes
 * four calls of 20 million gas, or one call per pair of a sampled twin (a pool that its own family cannot read).
 */
export const MAX_SAMPLED_PAIRS = 12
/** Maximum sampled pools with the same tokens. */
export const MAX_OF_SAME_TOKENS = 4
/**
 * Maximum pools that are sampled for the first time at a block. A first sample takes twice as much gas as a later one.
 */
export const MAX_UNSAMPLED = 3
/** Maximum pools with the same tokens that take turns for a first sample. */
const MAX_UNSAMPLED_CANDIDATES = 32
/** Milliseconds for which a pool is sampled after the last request of its tokens. */
export const SAMPLED_IDLE_MS = 600_000
/** Maximum blocks between two attempts at a pool that refuses every swap. */
const MAX_BACKOFF_BLOCKS = 1_024

/** Pools that are sampled at a block, by id. */
export type SamplingChoice = {
  /** Pools to sample again. */
  readonly sampledIds: ReadonlySet<string>
  /** Pools to sample for the first time, or after a pause. */
  readonly unsampledIds: ReadonlySet<string>
}

export class SamplingBudget {
  private readonly tokens: FollowedTokens
  private readonly isSampledRow: (row: DexRow) => boolean
  /** Followed pools that must be sampled, by id. */
  private readonly entryById = new Map<string, PoolEntry>()
  private readonly backoff = new Backoff(MAX_BACKOFF_BLOCKS)

  constructor(tokens: FollowedTokens, isSampledRow: (row: DexRow) => boolean) {
    this.tokens = tokens
    this.isSampledRow = isSampledRow
  }

  /** True for a followed pool that must be sampled. */
  has(id: string): boolean {
    return this.entryById.has(id)
  }

  /** Ids of the followed pools that must be sampled. */
  ids(): readonly string[] {
    return [...this.entryById.keys()]
  }

  get size(): number {
    return this.entryById.size
  }

  add(entry: PoolEntry): void {
    if (this.isSampledRow(entry.row)) this.entryById.set(entry.pool.id, entry)
  }

  /** Adds or removes a pool whose family has changed. Keeps the record of failed attempts. */
  replace(entry: PoolEntry): void {
    this.entryById.delete(entry.pool.id)
    this.add(entry)
  }

  drop(id: string): void {
    this.entryById.delete(id)
    this.backoff.recordSuccess(id)
  }

  /** Records whether a pool could be sampled. */
  recordSample(id: string, wasSampled: boolean, block: number): void {
    if (wasSampled) this.backoff.recordSuccess(id)
    else if (this.entryById.has(id)) this.backoff.recordFailure(id, block)
  }

  /**
   * Chooses the pools of the most recent requests. Among pools with the same tokens, pools with samples come first. The
   * pools without samples take turns, so that many worthless pools cannot hide a good pool for long.
   */
  choose(pools: { has(id: string): boolean }, block: number, nowMs = Date.now()): SamplingChoice {
    const candidates: {
      readonly id: string
      readonly tokensKey: string
      readonly tokenCount: number
      readonly requestedAtMs: number
    }[] = []
    for (const [id, { pool }] of this.entryById) {
      const requestedAtMs = this.tokens.lastRequestMs(pool.tokens)
      if (nowMs - requestedAtMs < SAMPLED_IDLE_MS && (pools.has(id) || this.backoff.isDue(id, block)))
        candidates.push({ id, tokensKey: pool.tokens.join(), tokenCount: pool.tokens.length, requestedAtMs })
    }
    candidates.sort((a, b) => b.requestedAtMs - a.requestedAtMs || (a.id < b.id ? -1 : 1))
    const sampledIds = new Set<string>()
    const unsampledIds = new Set<string>()
    let freePairs = MAX_SAMPLED_PAIRS
    for (const group of Map.groupBy(candidates, ({ tokensKey }) => tokensKey).values()) {
      const sampledCandidates = group.filter(({ id }) => pools.has(id))
      const unsampledCandidates = group.filter(({ id }) => !pools.has(id)).slice(0, MAX_UNSAMPLED_CANDIDATES)
      const pairCount = indexPairsOf(group[0]!.tokenCount).length
      const freeSlots = () => Math.floor(freePairs / pairCount)
      for (const { id } of sampledCandidates.slice(0, Math.min(freeSlots(), MAX_OF_SAME_TOKENS))) {
        sampledIds.add(id)
        freePairs -= pairCount
      }
      const unsampledSlots = Math.min(
        freeSlots(),
        MAX_UNSAMPLED - unsampledIds.size,
        MAX_OF_SAME_TOKENS - Math.min(sampledCandidates.length, MAX_OF_SAME_TOKENS),
      )
      const offset = block * MAX_UNSAMPLED
      for (let k = 0; k < Math.min(unsampledSlots, unsampledCandidates.length); k++) {
        unsampledIds.add(unsampledCandidates[(offset + k) % unsampledCandidates.length]!.id)
        freePairs -= pairCount
      }
    }
    return { sampledIds, unsampledIds }
  }
}
