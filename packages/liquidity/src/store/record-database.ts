/**
 * Stores records (logged quotes) by block, with the pools of each block, so that a quote can be computed again. A block
 * stores only the pools that differ from the previous block. When the file is full, the oldest blocks are deleted.
 */
import { DatabaseSync } from 'node:sqlite'
import type { BlockHeader } from '@sluice/rpc'
import { MarketError } from '../errors.ts'
import type { Pool } from '../family.ts'
import { PoolMap } from '../pool-map.ts'
import type { Snapshot } from '../snapshot.ts'
import { assertNoTableMissing, LOCK_WAIT_MS } from './database.ts'
import { fromText, toText } from './text.ts'

/** Incremented when a family's state, `fixed`, or this schema changes: older files are cleared. */
const FORMAT = 1
/** Fraction of the blocks that is deleted at once when the file is full. */
const DELETED_SHARE = 1 / 8

const TABLES = ['facts', 'blocks', 'pools', 'parts', 'records']
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  -- base is the seq of the block with all pools from which the differences start
  CREATE TABLE IF NOT EXISTS blocks (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, base INTEGER NOT NULL, chainId INTEGER NOT NULL, header TEXT NOT NULL
  );
  -- pool as of block seq; NULL if the pool is gone
  CREATE TABLE IF NOT EXISTS pools (id TEXT, seq INTEGER, pool TEXT, PRIMARY KEY (id, seq)) WITHOUT ROWID;
  -- text that records share, with the seq of the block that last used it
  CREATE TABLE IF NOT EXISTS parts (hash TEXT PRIMARY KEY, seq INTEGER NOT NULL, text TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS records (id TEXT PRIMARY KEY, seq INTEGER NOT NULL, text TEXT NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS recordsOfBlock ON records (seq);
`

/** Maximum number of records, and maximum bytes of the file. */
export type RecordLimits = { readonly records: number; readonly bytes: number }

/** Text that many records refer to by its hash, so that it is stored once. */
export type SharedText = { readonly hash: string; readonly text: string }
export type RecordText = { readonly id: string; readonly text: string }

/** Content that ends the transaction of a block. */
export type BlockOfRecords = {
  readonly chainId: number
  readonly block: BlockHeader
  /** True if all pools of the block were written, not only the pools that differ from the previous block. */
  readonly hasAllPools: boolean
  readonly records: readonly RecordText[]
  readonly sharedTexts: readonly SharedText[]
}

/** A record with the snapshot of its block. */
export type FoundRecord = {
  readonly text: string
  readonly snapshot: Snapshot
  /** Returns the shared text with a hash. */
  readonly sharedTextOf: (hash: string) => string | undefined
}

/** SQLite file with records and the pools of their blocks. */
export class RecordDatabase {
  private readonly db: DatabaseSync
  private readonly limits: RecordLimits
  /** Number (`seq`) of the last block that was written with all pools. */
  private baseSeq = 0

  /**
   * Deletes the content of a file with another format.
   *
   * @throws Error if the file cannot be written, or if it lacks a table. The content of a file that lacks a table is
   *   deleted, so that the next attempt opens an empty file
   */
  constructor(path: string, limits: RecordLimits) {
    this.limits = limits
    this.db = new DatabaseSync(path, { timeout: LOCK_WAIT_MS })
    this.db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;')
    const dropAll = () => this.db.exec(TABLES.map((name) => `DROP TABLE IF EXISTS ${name};`).join(' '))
    try {
      assertNoTableMissing(this.db, TABLES)
    } catch (error) {
      dropAll()
      this.db.close()
      throw new Error(`${path}: ${(error as Error).message}; its content was deleted`, { cause: error })
    }
    const format = formatOf(this.db)
    if (format !== undefined && format !== FORMAT) dropAll()
    this.db.exec(`BEGIN; ${SCHEMA} COMMIT;`)
    this.db.prepare("INSERT OR REPLACE INTO facts VALUES ('format', ?)").run(FORMAT)
  }

  begin(): void {
    this.db.exec('BEGIN IMMEDIATE')
  }

  write(changedPools: readonly Pool[], goneIds: readonly string[]): void {
    const insertRow = this.db.prepare('INSERT OR REPLACE INTO pools VALUES (?, ?, ?)')
    for (const pool of changedPools) insertRow.run(pool.id, this.nextSeq, toText(pool))
    for (const id of goneIds) insertRow.run(id, this.nextSeq, null)
  }

  /**
   * Adds the block and its records, and ends the transaction.
   *
   * @throws Error if the block alone exceeds the limits; the file is then cleared
   */
  commit({ chainId, block, hasAllPools, records, sharedTexts }: BlockOfRecords): void {
    const seq = this.nextSeq
    if (hasAllPools) this.baseSeq = seq
    this.db.prepare('INSERT INTO blocks VALUES (?, ?, ?, ?)').run(seq, this.baseSeq, chainId, toText(block))
    const insertRow = this.db.prepare('INSERT OR REPLACE INTO records VALUES (?, ?, ?)')
    for (const { id, text } of records) insertRow.run(id, seq, text)
    const upsertPart = this.db.prepare(
      'INSERT INTO parts VALUES (?, ?, ?) ON CONFLICT (hash) DO UPDATE SET seq = excluded.seq',
    )
    for (const { hash, text } of sharedTexts) upsertPart.run(hash, seq, text)
    this.deleteUntilBelowLimits()
    this.db.exec('COMMIT')
    if (this.isFull) {
      this.db.exec('DELETE FROM records; DELETE FROM pools; DELETE FROM blocks; DELETE FROM parts;')
      throw new Error('one block is more than the log of quotes may hold')
    }
  }

  rollback(): void {
    if (this.db.isTransaction) this.db.exec('ROLLBACK')
  }

  close(): void {
    this.db.close()
  }

  private get nextSeq(): number {
    const row = this.db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'blocks'").get()
    return Number(row?.seq ?? 0) + 1
  }

  private get isFull(): boolean {
    const [pageCount, freePages, pageSize] = ['page_count', 'freelist_count', 'page_size'].map((name) =>
      Number(this.db.prepare(`PRAGMA ${name}`).get()?.[name]),
    )
    const { count } = this.db.prepare('SELECT COUNT(*) AS count FROM records').get() as { count: number }
    return (pageCount! - freePages!) * pageSize! > this.limits.bytes || count > this.limits.records
  }

  private deleteUntilBelowLimits(): void {
    while (this.isFull) {
      const { blocks } = this.db.prepare('SELECT COUNT(*) AS blocks FROM blocks').get() as { blocks: number }
      if (blocks <= 1) return
      this.deleteOldest(Math.min(blocks - 1, Math.ceil(blocks * DELETED_SHARE)))
    }
  }

  /** Deletes the oldest blocks with their records, and the pool versions that no remaining block needs. */
  private deleteOldest(blocks: number): void {
    const oldestKept = this.db.prepare('SELECT seq, base FROM blocks ORDER BY seq LIMIT 1 OFFSET ?').get(blocks)
    const { seq, base } = oldestKept as { seq: number; base: number }
    this.db.prepare('DELETE FROM blocks WHERE seq < ?').run(seq)
    this.db.prepare('DELETE FROM records WHERE seq < ?').run(seq)
    this.db.prepare('DELETE FROM parts WHERE seq < ?').run(seq)
    this.db.prepare('DELETE FROM pools WHERE seq < ?').run(base)
    this.db
      .prepare(
        `DELETE FROM pools WHERE seq < :seq AND EXISTS (
           SELECT 1 FROM pools AS later WHERE later.id = pools.id AND later.seq > pools.seq AND later.seq <= :seq
         )`,
      )
      .run({ seq })
  }
}

/**
 * Returns a record with the pools of its block; null if there is no such record.
 *
 * @throws MarketError `BAD_SNAPSHOT` if the file is missing or has another format
 */
export function findRecord(path: string, id: string): FoundRecord | null {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(path, { readOnly: true, timeout: LOCK_WAIT_MS })
    const format = formatOf(db)
    if (format !== FORMAT) throw new Error(`its format is ${format}, this version reads ${FORMAT}`)
    const row = db
      .prepare('SELECT text, seq, base, chainId, header FROM records JOIN blocks USING (seq) WHERE id = ?')
      .get(id) as { text: string; seq: number; base: number; chainId: number; header: string } | undefined
    if (!row) return null
    const { seq, base, chainId, header, text } = row
    // In SQLite, the other columns of a query with MAX come from the row with the maximum.
    const pools = db
      .prepare('SELECT id, pool, MAX(seq) FROM pools WHERE seq BETWEEN ? AND ? GROUP BY id')
      .all(base, seq) as unknown as readonly { pool: string | null }[]
    const storedPools = pools.flatMap(({ pool }) => (pool === null ? [] : [fromText<Pool>(pool)]))
    const sharedTexts = new Map(
      db
        .prepare('SELECT hash, text FROM parts')
        .all()
        .map((row) => [String(row.hash), String(row.text)]),
    )
    const block = fromText<BlockHeader>(header)
    return {
      text,
      snapshot: { chainId, block, pools: PoolMap.empty.with(storedPools), changedIds: null },
      sharedTextOf: (hash) => sharedTexts.get(hash),
    }
  } catch (cause) {
    throw new MarketError('BAD_SNAPSHOT', `${path} is no log of quotes: ${(cause as Error).message}`, { cause })
  } finally {
    db?.close()
  }
}

function formatOf(db: DatabaseSync): number | undefined {
  const hasFacts = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'facts'").get()
  const row = hasFacts && db.prepare("SELECT value FROM facts WHERE name = 'format'").get()
  return row ? Number(row.value) : undefined
}
