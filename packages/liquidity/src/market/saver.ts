/**
 * Saves the pools, tokens, and pairs of a market and restores them after a restart. The market then follows the chain
 * from the saved block. A worker thread reads and writes the file, in small batches that do not block the event loop.
 */
import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Address, type DexRow, makeDirectory } from '@sluice/chains'
import { inSlices, type Steps } from '@sluice/rpc'
import { MarketError } from '../errors.ts'
import type { Pool } from '../family.ts'
import { PoolMap, poolChangeSteps } from '../pool-map.ts'
import type { SavedFacts, StoredPool } from '../store/database.ts'
import { POOLS_PER_MESSAGE } from '../store/messages.ts'
import type { SaveCommand, Store } from '../store/store.ts'
import { inBatches, StoreFile } from '../store/store-thread.ts'
import type { Discovery } from './discovery.ts'
import { History } from './history.ts'
import type { Ledger } from './ledger.ts'
import type { PoolDirectory } from './pool-directory.ts'
import type { PoolEntry } from './pool-reader.ts'

/** Options for saving a market. */
export type SaveOptions = {
  /**
   * Path of an SQLite file, created if absent and used by one market at a time; or a function that opens another store.
   */
  readonly path: string | StoreOpener
  /** Milliseconds between two saves, and so the maximum loss after a crash; default: 30 s. */
  readonly everyMs?: number
  /**
   * Called when saved state cannot be used or saving fails; the market continues without it. Of failures in a row, only
   * the first one is reported.
   */
  readonly onError?: (error: Error) => void
}

/** Opens a store; with `true`, discards its unusable content first. */
export type StoreOpener = (mustReset: boolean) => Promise<Store>

type SaverComponents = {
  readonly directory: PoolDirectory
  readonly ledger: Ledger
  readonly discovery: Discovery
  /** Maximum pools in the file. */
  readonly maxSaved: number
}

/** Extra facts of a save, in addition to chain and block. */
export type SavedExtra = {
  /** Hash of the chain's DEX deployments (rows), which determine how saved pools were found and read. */
  readonly rows: string
  /** First block that the log scan has not scanned, by index of the row among the directory's rows. */
  readonly scannedTo: readonly (readonly [number, number])[]
  /** Number of blocks that the node accepts in one request for logs. */
  readonly blocksPerCall?: number
}

type WriteSummary = {
  /** Pools that are new to the file. */
  readonly newEntries: PoolEntry[]
  /** Pools that stay in a full file when all its other pools are deleted; empty if no pools are deleted. */
  readonly retainedEntries: PoolEntry[]
}

/** Maximum items per `list` command, and maximum pools per `write` or `keep` command. */
const ITEMS_PER_LIST = 5_000
const ENTRIES_PER_BATCH = 1_000
/** Maximum saves that are skipped between two attempts while saving fails, such as while the disk is full. */
const MAX_SKIPPED_SAVES = 15

/**
 * Stores in use by this process, with a promise that resolves when the store is closed. A market that was stopped may
 * still be saving when the next market of the chain opens the same path.
 */
const closingByPath = new Map<SaveOptions['path'], Promise<void>>()

export class Saver {
  readonly intervalMs: number
  private readonly components: SaverComponents
  private readonly path: SaveOptions['path']
  private readonly openStore: StoreOpener
  private readonly onError: (error: Error) => void
  private readonly rowsHash: string
  /** Index of each DEX row (deployment) among the directory's rows. */
  private readonly rowNumbers: ReadonlyMap<unknown, number>
  private store: Store | null = null
  /** True if the store could not be opened, or was lost. Each save tries again, and discards its content. */
  private mustReopen = false
  /** Pools in the file that have a state. */
  private savedPools = PoolMap.empty
  /** Entries of the directory that the file contains. */
  private savedEntries = new WeakSet<PoolEntry>()
  /** Number of pools in the file, with or without a state. */
  private savedCount = 0
  private savedBlockHash: string | null = null
  private pendingSave: Promise<void> = Promise.resolve()
  /** Saves that failed in a row. */
  private failureCount = 0
  /** Saves to skip before the next attempt. */
  private skipsLeft = 0
  private readonly closed = Promise.withResolvers<void>()

  constructor({ path, everyMs = 30_000, onError = () => {} }: SaveOptions, components: SaverComponents) {
    this.path = path
    this.openStore = typeof path === 'string' ? (mustReset) => openFile(path, mustReset) : path
    this.intervalMs = everyMs
    this.onError = onError
    this.components = components
    this.rowsHash = rowsHash(components.directory.rows)
    this.rowNumbers = new Map(components.directory.rows.map((row, i) => [row, i]))
  }

  /**
   * Restores the saved state. An unusable file is discarded; everything in it can be read from the chain again.
   *
   * @returns the ids of restored pools that have no state, because their last read failed
   */
  async restore(): Promise<readonly string[]> {
    const previousClosed = closingByPath.get(this.path)
    closingByPath.set(this.path, this.closed.promise)
    await previousClosed
    try {
      this.store = await this.openStore(false)
      return this.store.facts ? await this.load(this.store, this.store.facts) : []
    } catch (error) {
      this.report(error)
      this.forgetSaved()
      const isBadContent = error instanceof MarketError
      if (this.store && !isBadContent) return []
      await this.closeStore()
      this.mustReopen = true
      if (isBadContent) await this.reopen().catch((reopenError: unknown) => this.report(reopenError))
      return []
    }
  }

  /**
   * Saves the newest block, unless the block is saved already. Skips more and more saves while they fail, since each
   * attempt writes much. Never rejects: errors go to `onError`.
   */
  save(): Promise<void> {
    this.pendingSave = this.pendingSave.then(() => (this.skipsLeft > 0 ? void this.skipsLeft-- : this.trySave()))
    return this.pendingSave
  }

  async close(): Promise<void> {
    this.skipsLeft = 0
    await this.save()
    await this.closeStore()
    if (closingByPath.get(this.path) === this.closed.promise) closingByPath.delete(this.path)
    this.closed.resolve()
  }

  private async trySave(): Promise<void> {
    try {
      await this.saveNow()
      this.failureCount = 0
    } catch (error) {
      if (this.failureCount++ === 0) this.report(error)
      this.skipsLeft = Math.min(2 ** (this.failureCount - 1) - 1, MAX_SKIPPED_SAVES)
    }
  }

  private forgetSaved(): void {
    this.savedPools = PoolMap.empty
    this.savedEntries = new WeakSet()
    this.savedCount = 0
  }

  private async closeStore(): Promise<void> {
    await this.store?.close().catch((error: unknown) => this.report(error))
    this.store = null
  }

  private async reopen(): Promise<void> {
    this.store = await this.openStore(true)
    this.mustReopen = false
  }

  /**
   * Loads a file. Nothing is published until all of it is in memory.
   *
   * @returns the ids of followed pools without a state
   */
  private async load(store: Store, { chainId, block, extra }: SavedFacts): Promise<readonly string[]> {
    const { directory, ledger, discovery } = this.components
    if (chainId !== ledger.chainId || (extra as SavedExtra | null)?.rows !== this.rowsHash)
      throw new MarketError('BAD_SNAPSHOT', "the state was saved with a different version of the chain's file")
    const { scannedTo, blocksPerCall } = extra as SavedExtra
    const pairs: string[] = []
    const statelessIds: string[] = []
    let pools = PoolMap.empty
    for await (const { pools: storedPools, list } of store.batches()) {
      // Tokens come before pools, because a pool is followed only if its tokens are.
      if (list?.name === 'tokens') for (const token of list.items) directory.tokens.markRequested(token as Address)
      if (list?.name === 'pairs') for (const pair of list.items) pairs.push(pair as string)
      pools = pools.with(await inSlices('restore', this.registerPools(storedPools, statelessIds)))
    }
    // Restore these last: the pools of a restored pair, and of scanned blocks, are not searched again.
    discovery.restorePairs(pairs)
    discovery.scan.restore(
      scannedTo.map(([rowNumber, to]) => [directory.rows[rowNumber]!, to] as const),
      blocksPerCall,
    )
    ledger.restore(new History([{ block, pools, changedIds: new Set() }]))
    this.savedPools = pools
    this.savedBlockHash = block.hash
    return statelessIds
  }

  /**
   * Registers stored pools in the directory. Adds the ids of followed pools without a state to `statelessIds`.
   *
   * @returns the pools with a state
   */
  private *registerPools(storedPools: readonly StoredPool[], statelessIds: string[]): Steps<readonly Pool[]> {
    const { directory } = this.components
    const poolsWithState: Pool[] = []
    for (const { pool, dexRow, state } of storedPools) {
      const row = directory.rows[dexRow!]!
      const entry = { row, pool }
      const exactEntry = directory.exactEntryOf(entry)
      if (directory.familyOf(exactEntry.row).listedByLogs) directory.list(exactEntry)
      // A pool with a state was followed before. Pools that logs announced must not take up its place among the
      // followed pools.
      if (directory.hasFollowedPair(pool)) directory.add(entry, { isLimited: state === null })
      if (pool.fixed !== undefined) directory.complete(entry)
      this.savedEntries.add(entry)
      this.savedCount++
      if (state !== null) poolsWithState.push({ ...pool, state })
      else if (directory.followedPools.has(pool.id)) statelessIds.push(pool.id)
      yield
    }
    return poolsWithState
  }

  private async saveNow(): Promise<void> {
    const { ledger } = this.components
    if (this.store?.isLost) {
      this.store = null
      this.forgetSaved()
      this.mustReopen = true
    }
    if ((await this.store?.isIntact?.()) === false) this.forgetSaved()
    // Save nothing before the first sync: the restored state may belong to a reorged branch.
    const top = ledger.newest && ledger.history?.top
    if (top && this.mustReopen) await this.reopen()
    if (!this.store || !top || (top.pools === this.savedPools && top.block.hash === this.savedBlockHash)) return
    const { scan } = this.components.discovery
    const scannedTo = [...scan.nextBlocks(top.block.number)].map(([row, to]): [number, number] => [
      this.rowNumbers.get(row)!,
      to,
    ])
    const { blocksPerCall } = scan
    const extra: SavedExtra = {
      rows: this.rowsHash,
      scannedTo,
      ...(blocksPerCall !== undefined && { blocksPerCall }),
    }
    const summary: WriteSummary = { newEntries: [], retainedEntries: [] }
    await this.store.save(
      { chainId: ledger.chainId, block: top.block, extra },
      this.changesSinceSave(top.pools, summary),
    )
    if (summary.retainedEntries.length > 0) {
      this.savedEntries = new WeakSet(summary.retainedEntries)
      this.savedCount = new Set(summary.retainedEntries.map(({ pool }) => pool.id)).size
    } else {
      for (const entry of summary.newEntries) this.savedEntries.add(entry)
      this.savedCount += summary.newEntries.length
    }
    this.savedPools = top.pools
    this.savedBlockHash = top.block.hash
  }

  /**
   * Yields the changes since the last save, and fills in the summary. Memory changes during the save: tokens, pairs,
   * and entries are read while saving, but the states come from `pools`.
   */
  private async *changesSinceSave(
    pools: PoolMap,
    { newEntries, retainedEntries }: WriteSummary,
  ): AsyncGenerator<SaveCommand> {
    const { directory, discovery } = this.components
    const lists = { tokens: [...directory.tokens], pairs: [...discovery.loadedPairKeys] }
    for (const [name, listItems] of Object.entries(lists))
      for await (const items of inBatches(listItems, ITEMS_PER_LIST)) yield { do: 'list', name, items }
    for (const entries of [directory.listedPools, directory.followedPools])
      for await (const batch of inBatches(entries.values(), ENTRIES_PER_BATCH)) {
        // Skip a listed pool that was handed over to its sampled twin, the family that quotes it from simulated swaps.
        // The pool is saved with the followed pools.
        const unsavedEntries = batch.filter((entry) => !this.savedEntries.has(entry) && !directory.isHandedOver(entry))
        newEntries.push(...unsavedEntries)
        const newPools = unsavedEntries.map(({ row, pool }) => ({ pool, dexRow: this.rowNumbers.get(row)! }))
        if (newPools.length > 0) yield { do: 'write', newPools, changedPools: [], goneIds: [] }
      }
    let changedPools: Pool[] = []
    for (const changes of poolChangeSteps(this.savedPools, pools)) {
      changedPools.push(...changes.changedPools)
      if (changedPools.length < POOLS_PER_MESSAGE && changes.goneIds.length === 0) continue
      yield { do: 'write', newPools: [], changedPools, goneIds: changes.goneIds }
      changedPools = []
    }
    if (changedPools.length > 0) yield { do: 'write', newPools: [], changedPools, goneIds: [] }
    if (this.savedCount + newEntries.length <= this.components.maxSaved) return
    // Keep exactly the pools in memory; the least recently used pools have been evicted.
    const newEntrySet = new Set(newEntries)
    for (const entries of [directory.listedPools, directory.followedPools])
      for await (const batch of inBatches(entries.values(), ENTRIES_PER_BATCH)) {
        // An entry that was added during this save is not in the file yet.
        retainedEntries.push(...batch.filter((entry) => this.savedEntries.has(entry) || newEntrySet.has(entry)))
        yield { do: 'keep', ids: batch.map(({ pool }) => pool.id) }
      }
  }

  private report(error: unknown): void {
    this.onError(error instanceof Error ? error : new Error(String(error)))
  }
}

export function rowsHash(rows: readonly DexRow[]): string {
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex')
}

async function openFile(path: string, mustReset: boolean): Promise<Store> {
  makeDirectory(dirname(path))
  if (mustReset) for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
  return StoreFile.open(path)
}
