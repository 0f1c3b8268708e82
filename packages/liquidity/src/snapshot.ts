import type { Address } from '@sluice/chains'
import type { BlockHeader } from '@sluice/rpc'
import type { StateCount } from '@sluice/simulation'
import type { Pool } from './family.ts'
import type { AuditCount } from './market/audit.ts'
import type { TokenFacts } from './market/token-facts.ts'

/** Every known pool of a chain at one block. A value: it can be saved and a quote replayed from it bit for bit. */
export type Snapshot = {
  readonly chainId: number
  readonly block: BlockHeader
  /** By pool id. */
  readonly pools: ReadonlyMap<string, Pool>
  /** Ids of the pools that differ from the snapshot before; null when all may differ. */
  readonly changed: readonly string[] | null
}

/** How a market stands with its node. */
export type MarketHealth = {
  /** The newest whole block; null before the first sync. */
  readonly head: BlockHeader | null
  /** Since memory was last seen to stand at the node's head; null before the first sync. */
  readonly lagMs: number | null
  /** Why the last attempt to follow the node failed; null when it did not. */
  readonly error: string | null
  /** What the rotating comparison of memory with the chain has found so far. */
  readonly audit: AuditCount
}

/** Keeps a chain's pools in memory, found on demand and followed block by block. */
export interface Market {
  readonly chainId: number
  /** What is known of addresses that were asked about. */
  readonly tokens: TokenFacts
  /** The newest whole block. @throws MarketError `NOT_READY` before the first sync */
  snapshot(): Snapshot
  /** Finds and reads the pools of tokens not seen before; at once when all are known. Resolves to a snapshot with them. */
  ensure(tokens: readonly Address[], options?: { readonly signal?: AbortSignal }): Promise<Snapshot>
  /** The same for groups of tokens, of which only those of one group are looked for with one another. */
  ensureGroups(groups: readonly (readonly Address[])[], options?: { readonly signal?: AbortSignal }): Promise<Snapshot>
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
  /** How full each thing is that strangers can fill. */
  state(): Readonly<Record<string, StateCount>>
  /** Brings memory to the node's head now, whatever the timer says; concurrent calls share a run that has not asked for it yet. */
  sync(options?: { readonly signal?: AbortSignal }): Promise<Snapshot>
  /** Resolves once a snapshot at or after the block stands; rejects with MarketError `BEHIND` at the time limit. */
  waitForBlock(number: number, timeoutMs: number, signal?: AbortSignal): Promise<Snapshot>
  onSnapshot(listener: (snapshot: Snapshot) => void): () => void
  health(): MarketHealth
  start(): void
  stop(): Promise<void>
}
