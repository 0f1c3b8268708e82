/** Public types of the market: snapshots, scan and health status, and the `Market` interface. */
import type { Address } from '@sluice/chains'
import type { BlockHeader } from '@sluice/rpc'
import type { StateCount } from '@sluice/simulation'
import type { Pool, SampledSwap } from './family.ts'
import type { PoolEntry } from './market/pool-reader.ts'
import type { TokenFacts } from './market/token-facts.ts'

/** Result counts of the audit, which compares pools in memory with the chain. */
export type AuditCount = {
  /** Pools compared so far. */
  readonly checked: number
  /** Pools that differed from the chain and were corrected. */
  readonly repaired: number
}

/**
 * Every known pool of a chain at one block. Immutable: it can be saved, and a quote replayed from it is identical bit
 * for bit.
 */
export type Snapshot = {
  readonly chainId: number
  readonly block: BlockHeader
  /** By pool id. */
  readonly pools: ReadonlyMap<string, Pool>
  /** Ids of the pools that differ from the previous snapshot; null if all may differ. */
  readonly changedIds: readonly string[] | null
}

/** Progress of the scan of past logs for pools that no getter lists. */
export type ScanStatus = {
  /**
   * waiting: not started. paused: the node is rate limiting. failing: the node returns no logs; retried with growing
   * pauses. done: every pool is known.
   */
  readonly state: 'waiting' | 'scanning' | 'paused' | 'failing' | 'done'
  /** Fraction of the blocks that have been scanned, from 0 to 1. */
  readonly progress: number
  /** Blocks left to scan, summed over all DEXes; null before the scan has started. */
  readonly blocksLeft: number | null
  /** Maximum block range that the node accepts in one eth_getLogs request, if known. */
  readonly blocksPerCall?: number
  /** Reason for a pause or failure. */
  readonly reason?: string
  /** Families whose pools are not all known yet. */
  readonly families: readonly string[]
}

/** Synchronization status of a market. */
export type MarketHealth = {
  /** The newest block in memory; null before the first sync. */
  readonly head: BlockHeader | null
  /** Milliseconds since memory was last known to be at the node's head; null before the first sync. */
  readonly lagMs: number | null
  /** Error of the last sync attempt; null if it succeeded. */
  readonly error: string | null
  /** Reason of a failure that the node did not cause, such as a stopped indexer; safe to publish. */
  readonly reason?: string
  /** Results of the audit so far. */
  readonly audit: AuditCount
  /** Null if no DEX of the chain needs a log scan. */
  readonly scan: ScanStatus | null
}

/** Keeps a chain's pools in memory: discovers them on demand and follows them block by block. */
export interface Market {
  readonly chainId: number
  /** Facts about the addresses in requests: whether each is a token, and its decimals. */
  readonly tokens: TokenFacts
  /** Returns the snapshot of the newest block. @throws MarketError `NOT_READY` before the first sync */
  snapshot(): Snapshot
  /** Discovers and reads the pools of tokens, unless they are known. Resolves to a snapshot that contains the pools. */
  ensure(tokens: readonly Address[], options?: { readonly signal?: AbortSignal }): Promise<Snapshot>
  /** Like `ensure` for several groups of tokens. Pairs are searched within a group, not across groups. */
  ensureGroups(groups: readonly (readonly Address[])[], options?: { readonly signal?: AbortSignal }): Promise<Snapshot>
  /**
   * Checks in one small call which unknown addresses are tokens, and stores the result in `tokens`. An address that was
   * not a token is checked again once per block.
   */
  checkTokens(addresses: readonly Address[], options?: { readonly signal?: AbortSignal }): Promise<void>
  /**
   * Discovers the pools between each token and the hubs (tokens with many pools), within the budget of background
   * searches. Resolves when the pools are in memory. One small call finds the addresses that are not tokens; this
   * result is cached.
   *
   * @throws MarketError `BUSY` if the queue is full
   */
  searchPools(tokens: readonly Address[]): Promise<void>
  /** Stops following tokens that have not been requested for a while; a started market does this periodically. */
  evict(): void
  /** True if the block is in memory and on the chain that memory follows. */
  hasBlock(block: BlockHeader): boolean
  /**
   * Returns the newest snapshot before a block, if it is in memory. Only markets that receive blocks from another
   * process keep earlier snapshots.
   */
  snapshotBefore?(block: BlockHeader): Snapshot | undefined
  /**
   * Simulates the given swaps of sampled pools (pools without local math) on chain, so that quotes of these swaps are
   * exact. Resolves to a snapshot of the same block, or to the newest one. Absent if another process reads the chain.
   *
   * @param swaps - by pool id
   * @throws RpcError
   */
  refine?(block: BlockHeader, swaps: ReadonlyMap<string, readonly SampledSwap[]>): Promise<Snapshot>
  /**
   * Returns the pools found by log scan that a swap between the tokens may use. Absent if another process scans the
   * logs.
   */
  scannedPools?(tokens: readonly Address[]): Promise<readonly PoolEntry[]>
  /** Fill levels of all caches that untrusted requests can fill. */
  cacheCounts(): Readonly<Record<string, StateCount>>
  /**
   * Brings memory to the node's head now, independent of the poll timer. Concurrent calls share a sync that has not
   * read the head yet.
   */
  sync(options?: { readonly signal?: AbortSignal }): Promise<Snapshot>
  /** Resolves to a snapshot at or after the block. @throws MarketError `BEHIND` at the time limit */
  waitForBlock(number: number, timeoutMs: number, signal?: AbortSignal): Promise<Snapshot>
  /** Subscribes to new snapshots. Returns the function that unsubscribes. */
  onSnapshot(listener: (snapshot: Snapshot) => void): () => void
  health(): MarketHealth
  start(): void
  stop(): Promise<void>
}
