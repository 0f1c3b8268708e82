import type { Address } from '@sluice/chains'
import type { BlockHeader } from '@sluice/rpc'
import type { StateCount } from '@sluice/simulation'
import type { Pool } from './family.ts'
import type { FoundPool } from './market/pool-reader.ts'
import type { TokenFacts } from './market/token-facts.ts'

/** Counts of pools in memory that were compared with the chain. */
export type AuditCount = {
  /** Pools compared with the chain so far. */
  readonly checked: number
  /** Pools of these that memory had wrong. */
  readonly repaired: number
}

/** Every known pool of a chain at one block. A value: it can be saved and a quote replayed from it bit for bit. */
export type Snapshot = {
  readonly chainId: number
  readonly block: BlockHeader
  /** By pool id. */
  readonly pools: ReadonlyMap<string, Pool>
  /** Ids of the pools that differ from the snapshot before; null when all may differ. */
  readonly changed: readonly string[] | null
}

/** Progress of the search of past logs for pools that no getter lists. */
export type ScanStatus = {
  /**
   * waiting: not begun. paused: the node is busy. failing: the node does not give the logs; tried again now and then. done: every
   * pool is known.
   */
  readonly state: 'waiting' | 'scanning' | 'paused' | 'failing' | 'done'
  /** Share of the blocks, from 0 to 1. */
  readonly progress: number
  /** Blocks that are left, those of each DEX counted by themselves; null before it has begun. */
  readonly blocksLeft: number | null
  /** Blocks that the node grants in one request, as far as is known. */
  readonly blocksPerCall?: number
  /** Reason for which it does not go on. */
  readonly reason?: string
  /** Families whose pools are not all known. */
  readonly families: readonly string[]
}

/** The standing of a market with its node. */
export type MarketHealth = {
  /** The newest whole block; null before the first sync. */
  readonly head: BlockHeader | null
  /** Since memory was last seen to stand at the node's head; null before the first sync. */
  readonly lagMs: number | null
  /** Why the last attempt to follow the node failed; null when it did not. */
  readonly error: string | null
  /** The same in words for anybody, where it is not the node that fails. */
  readonly reason?: string
  /** Findings so far of the rotating comparison of memory with the chain. */
  readonly audit: AuditCount
  /** Null where there is nothing to search. */
  readonly scan: ScanStatus | null
}

/** Keeps a chain's pools in memory, found on demand and followed block by block. */
export interface Market {
  readonly chainId: number
  /** Facts of addresses that were asked about. */
  readonly tokens: TokenFacts
  /** The newest whole block. @throws MarketError `NOT_READY` before the first sync */
  snapshot(): Snapshot
  /**
   * Finds and reads the pools of tokens not seen before; at once when all are known. Resolves to a snapshot with them.
   */
  ensure(tokens: readonly Address[], options?: { readonly signal?: AbortSignal }): Promise<Snapshot>
  /** The same for groups of tokens, of which only those of one group are looked for with one another. */
  ensureGroups(groups: readonly (readonly Address[])[], options?: { readonly signal?: AbortSignal }): Promise<Snapshot>
  /** Tells `tokens` what stands at addresses, in one small call for all of which nothing is known; again at every block of what was none. */
  look(addresses: readonly Address[], options?: { readonly signal?: AbortSignal }): Promise<void>
  /**
   * Finds the pools of each token with the hubs in the background, within its budget; resolves when that is done. What is no
   * token costs one small call for all of them, and is remembered.
   *
   * @throws MarketError `BUSY` when too many wait already
   */
  seek(tokens: readonly Address[]): Promise<void>
  /** Ends the following of tokens that nobody asks for any more; a market that was started does so by itself. */
  evict(): void
  /** The block is in memory, and of the chain as memory knows it. */
  has(block: BlockHeader): boolean
  /** The newest snapshot of a block before, as far as such are kept: those who learn blocks from elsewhere than their node keep some. */
  before?(block: BlockHeader): Snapshot | undefined
  /**
   * Pools that only past logs tell of, as far as a swap between the tokens may use them; absent where another process searches the
   * logs.
   */
  listed?(tokens: readonly Address[]): Promise<readonly FoundPool[]>
  /** Fill levels of all that strangers can fill. */
  state(): Readonly<Record<string, StateCount>>
  /**
   * Brings memory to the node's head now, whatever the timer says; concurrent calls share a run that has not asked for
   * it yet.
   */
  sync(options?: { readonly signal?: AbortSignal }): Promise<Snapshot>
  /** Resolves once a snapshot at or after the block stands; rejects with MarketError `BEHIND` at the time limit. */
  waitForBlock(number: number, timeoutMs: number, signal?: AbortSignal): Promise<Snapshot>
  onSnapshot(listener: (snapshot: Snapshot) => void): () => void
  health(): MarketHealth
  start(): void
  stop(): Promise<void>
}
