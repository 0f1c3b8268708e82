/**
 * Chooses the pools that are sampled at a block. A sample simulates swaps in the node, and anyone can create pools that
 * must be sampled. The number of sampled pools is therefore limited, in total and for pools of the same tokens.
 */
import type { DexRow } from '@sluice/chains'
import { indexPairsOf } from '../dexes/common/sampled-state.ts'
import type { Pool } from '../family.ts'
import { Backoff } from './backoff.ts'
import type { FollowedTokens } from './followed-tokens.ts'
import type { PoolEntry } from './pool-reader.ts'

/**
 * Maximum pairs of tokens whose pools are sampled at a block; a pool of three tokens has three pairs. Sampling this
 * many pairs takes four calls of 20 million gas. Each pair of a sampled twin (a pool that its own family cannot read)
 * takes a call of its own.
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
  /** Block at which a pool was sampled for the first time, or after a pause, by id. */
  private readonly firstSampledBlockById = new Map<string, number>()
  private readonly reservesOf: (pool: Pool) => readonly bigint[]

  /** @param reservesOf - `DexFamily.reserves` of the pool's family */
  constructor(
    tokens: FollowedTokens,
    isSampledRow: (row: DexRow) => boolean,
    reservesOf: (pool: Pool) => readonly bigint[],
  ) {
    this.tokens = tokens
    this.isSampledRow = isSampledRow
    this.reservesOf = reservesOf
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
    this.firstSampledBlockById.delete(id)
  }

  /** Records whether a pool could be sampled. */
  recordSample(id: string, wasSampled: boolean, block: number): void {
    if (wasSampled) this.backoff.recordSuccess(id)
    if (!this.entryById.has(id)) return
    if (wasSampled) this.firstSampledBlockById.set(id, block)
    else this.backoff.recordFailure(id, block)
  }

  /**
   * Chooses the pools of the most recently requested tokens. Among pools with the same tokens, pools with samples come
   * first. Pools without samples take turns, so that many worthless pools cannot hide a good pool for long. If the
   * maximum number of pools with the same tokens has samples, one more pool is sampled at each block, because it may
   * turn out to be deeper than the others.
   */
  choose(pools: { get(id: string): Pool | undefined }, block: number, nowMs = performance.now()): SamplingChoice {
    const candidates: {
      readonly id: string
      readonly tokensKey: string
      readonly tokenCount: number
      readonly requestedAtMs: number
    }[] = []
    for (const [id, { pool }] of this.entryById) {
      const requestedAtMs = this.tokens.lastRequestMs(pool.tokens)
      if (nowMs - requestedAtMs < SAMPLED_IDLE_MS && (pools.get(id) || this.backoff.isDue(id, block)))
        candidates.push({ id, tokensKey: pool.tokens.join(), tokenCount: pool.tokens.length, requestedAtMs })
    }
    // Pools with the same tokens stay in the order in which they were found: discovery returns the deepest first.
    candidates.sort((a, b) => b.requestedAtMs - a.requestedAtMs)
    const sampledIds = new Set<string>()
    const unsampledIds = new Set<string>()
    const probeIds: string[] = []
    let freePairs = MAX_SAMPLED_PAIRS
    for (const sameTokenCandidates of Map.groupBy(candidates, ({ tokensKey }) => tokensKey).values()) {
      const sampledPools = sameTokenCandidates.flatMap(({ id }) => pools.get(id) ?? [])
      const unsampledTurns = this.turnsOf(
        sameTokenCandidates.flatMap(({ id }) => (pools.get(id) ? [] : [id])),
        block,
      )
      const pairCount = indexPairsOf(sameTokenCandidates[0]!.tokenCount).length
      const freeSlots = () => Math.floor(freePairs / pairCount)
      const keptIds = this.chooseKept(sampledPools, Math.min(freeSlots(), MAX_OF_SAME_TOKENS))
      for (const id of keptIds) {
        sampledIds.add(id)
        freePairs -= pairCount
      }
      const unsampledSlots = Math.min(
        freeSlots(),
        MAX_UNSAMPLED - unsampledIds.size,
        MAX_OF_SAME_TOKENS - keptIds.length,
      )
      for (const id of unsampledTurns.slice(0, unsampledSlots)) {
        unsampledIds.add(id)
        freePairs -= pairCount
      }
      if (keptIds.length === MAX_OF_SAME_TOKENS) probeIds.push(...unsampledTurns.slice(0, 1))
    }
    if (unsampledIds.size < MAX_UNSAMPLED && probeIds.length > 0) unsampledIds.add(probeIds[block % probeIds.length]!)
    return { sampledIds, unsampledIds }
  }

  /** Orders pools without samples for a block. The pools that were sampled least recently take turns at the front. */
  private turnsOf(ids: readonly string[], block: number): readonly string[] {
    const firstSampledBlock = (id: string) => this.firstSampledBlockById.get(id) ?? -1
    const turns = ids.toSorted((a, b) => firstSampledBlock(a) - firstSampledBlock(b)).slice(0, MAX_UNSAMPLED_CANDIDATES)
    const offset = turns.length > 0 ? (block * MAX_UNSAMPLED) % turns.length : 0
    return [...turns.slice(offset), ...turns.slice(0, offset)]
  }

  /**
   * Chooses `count` of the sampled pools of the same tokens. Half of them are the deepest pools, by the reserves of
   * each token in turn, so that worthless pools do not displace them. The other half are the pools that have been
   * sampled for the longest time, because a hostile hook can pretend any depth.
   */
  private chooseKept(pools: readonly Pool[], count: number): readonly string[] {
    const firstSampledBlock = ({ id }: Pool) => this.firstSampledBlockById.get(id) ?? -1
    const remaining = pools.toSorted((a, b) => firstSampledBlock(a) - firstSampledBlock(b))
    const keptIds: string[] = []
    for (let k = 0; k < count && remaining.length > 0; k++) {
      const reserveOf = (pool: Pool) => this.reservesOf(pool)[k % pool.tokens.length]!
      const chosen =
        k < count / 2
          ? remaining.reduce((best, pool) => (reserveOf(pool) > reserveOf(best) ? pool : best))
          : remaining[0]!
      keptIds.push(chosen.id)
      remaining.splice(remaining.indexOf(chosen), 1)
    }
    return keptIds
  }
}
