/** Keeps memory in a file between two runs: what was saved is followed on from its block. */
import { createHash } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Address } from '@sluice/chains'
import { type SavedPool, type SavedState, SnapshotDatabase } from '../store/database.ts'
import type { PoolBook } from './book.ts'
import type { Discovery } from './discovery.ts'
import { MarketError } from './errors.ts'
import { History } from './history.ts'
import type { Ledger } from './ledger.ts'
import { PoolMap, poolChanges } from './pool-map.ts'
import type { FoundPool } from './pool-reader.ts'

export type SaveOptions = {
  /** An SQLite file, made where there is none. Of one market at a time. */
  readonly path: string
  /** Most of what a kill loses; 30 s by default. */
  readonly everyMs?: number
  /** Told why nothing was saved, or why what was saved cannot be used; the market goes on without. */
  readonly onError?: (error: Error) => void
}

type Parts = { readonly book: PoolBook; readonly ledger: Ledger; readonly discovery: Discovery }

type Extra = {
  /** Of the chain's rows: saved pools were found and read as these say. */
  readonly rows: string
  readonly tokens: readonly Address[]
  readonly pairs: readonly string[]
  /** By the number of the row. */
  readonly scannedTo: readonly (readonly [number, number])[]
}

/** Files in use by this process: a market that goes to sleep may still be saving when its successor wakes. */
const inUse = new Map<string, Promise<void>>()

export class Saver {
  readonly everyMs: number
  private readonly parts: Parts
  private readonly path: string
  private readonly onError: (error: Error) => void
  private readonly rows: string
  private readonly rowNumbers: ReadonlyMap<unknown, number>
  private database: SnapshotDatabase | null = null
  /** What the file holds. */
  private saved = PoolMap.empty
  private savedKnown = new WeakSet<FoundPool>()
  private savedHash: string | null = null
  private saving: Promise<void> = Promise.resolve()
  private readonly done = Promise.withResolvers<void>()

  constructor({ path, everyMs = 30_000, onError = () => {} }: SaveOptions, parts: Parts) {
    this.path = path
    this.everyMs = everyMs
    this.onError = onError
    this.parts = parts
    this.rows = createHash('sha256').update(JSON.stringify(parts.book.rows)).digest('hex')
    this.rowNumbers = new Map(parts.book.rows.map((row, i) => [row, i]))
  }

  /** Takes in what was saved. A file that is of no use is thrown away: the chain tells everything again. */
  async restore(): Promise<void> {
    const before = inUse.get(this.path)
    inUse.set(this.path, this.done.promise)
    await before
    try {
      mkdirSync(dirname(this.path), { recursive: true })
      const state = await this.open()
      if (state) this.takeIn(state)
    } catch (error) {
      this.report(error)
      if (!(error instanceof MarketError)) return
      this.database?.close()
      this.database = null
      for (const rest of ['', '-wal', '-shm']) rmSync(this.path + rest, { force: true })
      await this.open().catch((again: unknown) => this.report(again))
    }
  }

  /** Saves the newest block, unless it is what was saved. Never fails: `onError` is told. */
  save(): Promise<void> {
    this.saving = this.saving.then(() => this.write()).catch((error: unknown) => this.report(error))
    return this.saving
  }

  async close(): Promise<void> {
    await this.save()
    this.database?.close()
    this.database = null
    if (inUse.get(this.path) === this.done.promise) inUse.delete(this.path)
    this.done.resolve()
  }

  private async open(): Promise<SavedState | null> {
    this.database = new SnapshotDatabase(this.path)
    return this.database.load()
  }

  private takeIn({ chainId, block, pools, known, extra }: SavedState): void {
    const { book, ledger, discovery } = this.parts
    if (chainId !== ledger.chainId || (extra as Extra | null)?.rows !== this.rows)
      throw new MarketError('BAD_SNAPSHOT', `${this.path} was saved with another file of the chain`)
    const { tokens, pairs, scannedTo } = extra as Extra
    for (const token of tokens) book.tokens.add(token)
    for (const [number, to] of scannedTo) book.scannedTo.set(book.rows[number]!, to)
    for (const { pool, dexRow } of known) {
      const row = book.rows[dexRow!]!
      const entry = { row, pool }
      if (book.familyOf(row).listedByLogs) book.listed.set(pool.id, entry)
      if (book.isWanted(pool)) book.found.set(pool.id, entry)
      if (pool.fixed !== undefined) book.settle(entry)
      this.savedKnown.add(entry)
    }
    discovery.remember(pairs)
    ledger.restore(new History([{ block, pools, changed: new Set() }]))
    this.saved = pools
    this.savedHash = block.hash
  }

  private async write(): Promise<void> {
    const { book, ledger, discovery } = this.parts
    // Not before the node was asked: what was saved may be of a branch that is gone.
    const top = ledger.newest && ledger.history?.top
    if (!this.database || !top || (top.pools === this.saved && top.block.hash === this.savedHash)) return
    // All at one moment: while the file is written, memory goes on.
    const extra: Extra = {
      rows: this.rows,
      tokens: [...book.tokens],
      pairs: [...discovery.pairs],
      scannedTo: [...book.scannedTo].map(([row, to]) => [this.rowNumbers.get(row)!, to]),
    }
    const fresh = [...book.listed.values(), ...book.found.values()].filter((entry) => !this.savedKnown.has(entry))
    const known: SavedPool[] = fresh.map(({ row, pool }) => ({ pool, dexRow: this.rowNumbers.get(row)! }))
    const { changed, gone } = poolChanges(this.saved, top.pools)
    await this.database.save({ chainId: ledger.chainId, block: top.block, extra }, known, changed, gone)
    for (const entry of fresh) this.savedKnown.add(entry)
    this.saved = top.pools
    this.savedHash = top.block.hash
  }

  private report(error: unknown): void {
    this.onError(error instanceof Error ? error : new Error(String(error)))
  }
}
