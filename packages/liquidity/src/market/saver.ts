/**
 * Keeps memory in a file between two runs: what was saved is followed on from its block. A thread reads and writes the file;
 * what goes there and comes back does so in small parts, so that the event loop is never held up.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Address, DexRow } from '@sluice/chains'
import { inSlices, type Steps } from '@sluice/rpc'
import { MarketError } from '../errors.ts'
import type { Pool } from '../family.ts'
import { PoolMap, poolChangeSteps } from '../pool-map.ts'
import type { SavedFacts, StoredPool } from '../store/database.ts'
import { BATCH } from '../store/messages.ts'
import type { Part, Store } from '../store/store.ts'
import { inBatches, StoreFile } from '../store/store-thread.ts'
import type { Discovery } from './discovery.ts'
import { History } from './history.ts'
import type { Ledger } from './ledger.ts'
import type { PoolDirectory } from './pool-directory.ts'
import type { FoundPool } from './pool-reader.ts'

export type SaveOptions = {
  /** An SQLite file, made where there is none, of one market at a time; or what opens another place. */
  readonly path: string | StorePlace
  /** Most of what a kill loses; 30 s by default. */
  readonly everyMs?: number
  /** Told why nothing was saved, or why what was saved cannot be used; the market goes on without. */
  readonly onError?: (error: Error) => void
}

/** @param anew - what it holds is of no use, and to be forgotten */
export type StorePlace = (anew: boolean) => Promise<Store>

type Parts = {
  readonly directory: PoolDirectory
  readonly ledger: Ledger
  readonly discovery: Discovery
  /** Pools in the file. */
  readonly most: number
}

/** Facts of a save beside the block. */
export type SavedExtra = {
  /** The hash of the chain's rows: saved pools were found and read as these say. */
  readonly rows: string
  /** By the number of the row. */
  readonly scannedTo: readonly (readonly [number, number])[]
  /** Blocks that nodes grant in one request for logs. */
  readonly blocksPerCall?: number
}

type Told = {
  /** Pools that are new to the file. */
  readonly fresh: FoundPool[]
  /** Pools that it keeps where all others leave it; empty where none do. */
  readonly kept: FoundPool[]
}

const LISTED_AT_ONCE = 5_000
const LOOKED_AT_AT_ONCE = 1_000

/** Files in use by this process: a market that goes to sleep may still be saving when its successor wakes. */
const inUse = new Map<SaveOptions['path'], Promise<void>>()

export class Saver {
  readonly everyMs: number
  private readonly parts: Parts
  private readonly path: SaveOptions['path']
  private readonly open: StorePlace
  private readonly onError: (error: Error) => void
  private readonly rowsHash: string
  private readonly rowNumbers: ReadonlyMap<unknown, number>
  private file: Store | null = null
  /** The pools that the file holds. */
  private saved = PoolMap.empty
  private savedKnown = new WeakSet<FoundPool>()
  /** Pools that the file holds, with or without a state. */
  private count = 0
  private savedHash: string | null = null
  private saving: Promise<void> = Promise.resolve()
  private readonly done = Promise.withResolvers<void>()

  constructor({ path, everyMs = 30_000, onError = () => {} }: SaveOptions, parts: Parts) {
    this.path = path
    this.open = typeof path === 'string' ? (anew) => openFile(path, anew) : path
    this.everyMs = everyMs
    this.onError = onError
    this.parts = parts
    this.rowsHash = rowsHash(parts.directory.rows)
    this.rowNumbers = new Map(parts.directory.rows.map((row, i) => [row, i]))
  }

  /** Takes in what was saved. A file that is of no use is thrown away: the chain tells everything again. */
  async restore(): Promise<void> {
    const before = inUse.get(this.path)
    inUse.set(this.path, this.done.promise)
    await before
    try {
      this.file = await this.open(false)
      if (this.file.facts) await this.takeIn(this.file, this.file.facts)
    } catch (error) {
      this.report(error)
      if (!(error instanceof MarketError)) return
      await this.file?.close()
      this.file = null
      await this.openAnew().catch((again: unknown) => this.report(again))
    }
  }

  /** Saves the newest block, unless it is what was saved. Never fails: `onError` is told. */
  save(): Promise<void> {
    this.saving = this.saving.then(() => this.write()).catch((error: unknown) => this.report(error))
    return this.saving
  }

  async close(): Promise<void> {
    await this.save()
    await this.file?.close().catch((error: unknown) => this.report(error))
    this.file = null
    if (inUse.get(this.path) === this.done.promise) inUse.delete(this.path)
    this.done.resolve()
  }

  private forgetSaved(): void {
    this.saved = PoolMap.empty
    this.savedKnown = new WeakSet()
    this.count = 0
  }

  private async openAnew(): Promise<void> {
    this.file = await this.open(true)
  }

  /** Nothing of it is followed before all of it is in memory: the chain answers nothing until then. */
  private async takeIn(file: Store, { chainId, block, extra }: SavedFacts): Promise<void> {
    const { directory, ledger, discovery } = this.parts
    if (chainId !== ledger.chainId || (extra as SavedExtra | null)?.rows !== this.rowsHash)
      throw new MarketError('BAD_SNAPSHOT', 'what was saved is of another file of the chain')
    const { scannedTo, blocksPerCall } = extra as SavedExtra
    discovery.scan.restore(
      scannedTo.map(([row, to]) => [directory.rows[row]!, to] as const),
      blocksPerCall,
    )
    let pools = PoolMap.empty
    for await (const { pools: stored, list } of file.batches()) {
      // Tokens come before pools, which are wanted for their sake.
      if (list?.name === 'tokens') for (const token of list.items) directory.tokens.add(token as Address)
      if (list?.name === 'pairs') discovery.remember(list.items as string[])
      pools = pools.with(await inSlices('restore', this.recognise(stored)))
    }
    ledger.restore(new History([{ block, pools, changed: new Set() }]))
    this.saved = pools
    this.savedHash = block.hash
  }

  /** @returns those whose state is known */
  private *recognise(stored: readonly StoredPool[]): Steps<readonly Pool[]> {
    const { directory } = this.parts
    const read: Pool[] = []
    for (const { pool, dexRow, state } of stored) {
      const row = directory.rows[dexRow!]!
      const entry = { row, pool }
      if (directory.familyOf(row).listedByLogs) directory.listed.set(pool.id, entry)
      if (directory.isWanted(pool)) directory.add(entry)
      if (pool.fixed !== undefined) directory.complete(entry)
      this.savedKnown.add(entry)
      this.count++
      if (state !== null) read.push({ ...pool, state })
      yield
    }
    return read
  }

  private async write(): Promise<void> {
    const { ledger } = this.parts
    if ((await this.file?.isWhole?.()) === false) this.forgetSaved()
    // Not before the node was asked: what was saved may be of a branch that is gone.
    const top = ledger.newest && ledger.history?.top
    if (!this.file || !top || (top.pools === this.saved && top.block.hash === this.savedHash)) return
    const { scan } = this.parts.discovery
    const scannedTo = [...scan.scannedTo(top.block.number)].map(([row, to]): [number, number] => [
      this.rowNumbers.get(row)!,
      to,
    ])
    const { blocksPerCall } = scan
    const extra: SavedExtra = { rows: this.rowsHash, scannedTo, ...(blocksPerCall !== undefined && { blocksPerCall }) }
    const told: Told = { fresh: [], kept: [] }
    await this.file.save({ chainId: ledger.chainId, block: top.block, extra }, this.partsOf(top.pools, told))
    if (told.kept.length > 0) {
      this.savedKnown = new WeakSet(told.kept)
      this.count = new Set(told.kept.map(({ pool }) => pool.id)).size
    } else {
      for (const entry of told.fresh) this.savedKnown.add(entry)
      this.count += told.fresh.length
    }
    this.saved = top.pools
    this.savedHash = top.block.hash
  }

  /**
   * While the file is written, memory goes on: what is listed as found is listed as it is now, and its pools, which may be
   * more by then, come after.
   *
   * @param told - filled on the way
   */
  private async *partsOf(pools: PoolMap, { fresh, kept }: Told): AsyncGenerator<Part> {
    const { directory, discovery } = this.parts
    const lists = { tokens: [...directory.tokens], pairs: [...discovery.pairs] }
    for (const [name, all] of Object.entries(lists))
      for await (const items of inBatches(all, LISTED_AT_ONCE)) yield { do: 'list', name, items }
    for (const entries of [directory.listed, directory.found])
      for await (const some of inBatches(entries.values(), LOOKED_AT_AT_ONCE)) {
        const unsaved = some.filter((entry) => !this.savedKnown.has(entry))
        fresh.push(...unsaved)
        const known = unsaved.map(({ row, pool }) => ({ pool, dexRow: this.rowNumbers.get(row)! }))
        if (known.length > 0) yield { do: 'write', known, changed: [], gone: [] }
      }
    let changed: Pool[] = []
    for (const step of poolChangeSteps(this.saved, pools)) {
      changed.push(...step.changed)
      if (changed.length < BATCH && step.gone.length === 0) continue
      yield { do: 'write', known: [], changed, gone: step.gone }
      changed = []
    }
    if (changed.length > 0) yield { do: 'write', known: [], changed, gone: [] }
    if (this.count + fresh.length <= this.parts.most) return
    // What memory holds, of which the least recently used was dropped first, is what the file keeps.
    for (const entries of [directory.listed, directory.found])
      for await (const some of inBatches(entries.values(), LOOKED_AT_AT_ONCE)) {
        kept.push(...some)
        yield { do: 'keep', ids: some.map(({ pool }) => pool.id) }
      }
  }

  private report(error: unknown): void {
    this.onError(error instanceof Error ? error : new Error(String(error)))
  }
}

/** Names the rows that pools were found and read by. */
export function rowsHash(rows: readonly DexRow[]): string {
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex')
}

async function openFile(path: string, anew: boolean): Promise<Store> {
  mkdirSync(dirname(path), { recursive: true })
  if (anew) for (const rest of ['', '-wal', '-shm']) rmSync(path + rest, { force: true })
  return StoreFile.open(path)
}
