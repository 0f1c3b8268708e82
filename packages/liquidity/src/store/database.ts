/** Stores a snapshot in an SQLite file. Each save is one transaction, so a file always holds exactly one block. */
import { backup, DatabaseSync, type StatementSync } from 'node:sqlite'
import type { BlockHeader } from '@sluice/rpc'
import { MarketError } from '../errors.ts'
import type { Pool } from '../family.ts'
import { PoolMap } from '../pool-map.ts'
import { fromText, toText } from './text.ts'

/**
 * Incremented when the state of a DEX family, `Pool.fixed`, or this schema changes, so that older files are not
 * misread.
 */
export const STATE_FORMAT = 5
/**
 * Milliseconds that SQLite waits for a lock of another process. The last process that closes a file locks the file
 * while it merges the write-ahead log.
 */
export const LOCK_WAIT_MS = 2_000

const TABLES = ['facts', 'pools']
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  -- state is NULL while a pool cannot be read; dexRow is its DEX in the order of the chain's file
  CREATE TABLE IF NOT EXISTS pools (
    id TEXT PRIMARY KEY, dexRow INTEGER, identity TEXT NOT NULL, state TEXT
  ) WITHOUT ROWID;
`

/** A pool, with the index of its DEX row among the rows that the market serves, if known. */
export type SavedPool = { readonly pool: Pool<null>; readonly dexRow: number | null }

/** Content of a save in addition to the pools. */
export type SavedFacts = {
  readonly chainId: number
  readonly block: BlockHeader
  /** Further data of the writer. */
  readonly extra: unknown
}

/** A whole save. */
export type SavedState = SavedFacts & { readonly pools: PoolMap; readonly savedPools: readonly SavedPool[] }

/** A pool as stored; `state` is null while it cannot be read. */
export type StoredPool = SavedPool & { readonly state: unknown }

/** Changes since the last save. */
export type SavedChanges = {
  readonly newPools: Iterable<SavedPool>
  readonly changedPools: Iterable<Pool>
  /** Ids of pools whose state is no longer known. */
  readonly goneIds: Iterable<string>
}

type SqlPoolRow = {
  readonly id: string
  readonly dexRow: number | null
  readonly identity: string
  readonly state: string | null
}

/** SQLite file with the snapshot of a chain. */
export class SnapshotDatabase {
  readonly path: string
  private readonly db: DatabaseSync
  /** The `snapshot` fact that this object last read or wrote. */
  private lastSnapshot: string | null = null
  private readonly insertPool: StatementSync | null
  private readonly updateState: StatementSync | null
  private readonly upsertFact: StatementSync | null

  /** @throws MarketError `BAD_SNAPSHOT` if the file has another format */
  constructor(path: string, { readOnly = false }: { readonly readOnly?: boolean } = {}) {
    this.path = path
    try {
      this.db = new DatabaseSync(path, { readOnly, timeout: LOCK_WAIT_MS })
      // The write-ahead log survives a kill at any moment. A power failure can lose the last save but never mix two
      // saves.
      if (!readOnly) {
        this.db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;')
        assertNoTableMissing(this.db, TABLES)
        this.db.exec(`BEGIN; ${SCHEMA} COMMIT;`)
      }
      const prepare = (sql: string) => (readOnly ? null : this.db.prepare(sql))
      this.insertPool = prepare(
        'INSERT INTO pools VALUES (?, ?, ?, NULL) ON CONFLICT (id) DO UPDATE SET dexRow = excluded.dexRow, identity = excluded.identity',
      )
      this.updateState = prepare('UPDATE pools SET state = ? WHERE id = ?')
      this.upsertFact = prepare('INSERT OR REPLACE INTO facts VALUES (?, ?)')
    } catch (cause) {
      throw badSnapshot(path, cause)
    }
  }

  begin(): void {
    this.db.exec('BEGIN IMMEDIATE')
    // If another process has saved a different block, applying these changes would mix the two blocks.
    if (this.readFact('snapshot') !== this.lastSnapshot) throw badSnapshot(this.path, 'another process writes to it')
  }

  /** Writes changes: new pools before their states. */
  write({ newPools, changedPools, goneIds }: SavedChanges): void {
    for (const { pool, dexRow } of newPools) {
      const { state: _, id, ...identity } = pool
      this.insertPool!.run(id, dexRow, toText(identity))
    }
    for (const { id, state } of changedPools) this.updateState!.run(toText(state), id)
    for (const id of goneIds) this.updateState!.run(null, id)
  }

  /** Deletes all pools except the pools with these ids. */
  keepOnly(ids: ReadonlySet<string>): void {
    const deletePool = this.db.prepare('DELETE FROM pools WHERE id = ?')
    const storedRows = this.db.prepare('SELECT id FROM pools').all() as unknown as readonly Pick<SqlPoolRow, 'id'>[]
    for (const { id } of storedRows) if (!ids.has(id)) deletePool.run(id)
  }

  commit(facts: SavedFacts): void {
    const text = toText(facts)
    this.upsertFact!.run('format', String(STATE_FORMAT))
    this.upsertFact!.run('snapshot', text)
    this.db.exec('COMMIT')
    this.lastSnapshot = text
  }

  rollback(): void {
    if (this.db.isTransaction) this.db.exec('ROLLBACK')
  }

  save(facts: SavedFacts, changes: SavedChanges): void {
    try {
      this.begin()
      this.write(changes)
      this.commit(facts)
    } catch (error) {
      this.rollback()
      throw error
    }
  }

  /**
   * Returns the facts of the last save; null in an empty file. Must be called before the first save to a file that may
   * have content.
   *
   * @throws MarketError `BAD_SNAPSHOT`
   */
  facts(): SavedFacts | null {
    try {
      const format = this.readFact('format')
      if (format === null) return null
      if (format !== String(STATE_FORMAT))
        throw new Error(`its format is ${format}, this version reads ${STATE_FORMAT}`)
      this.lastSnapshot = this.readFact('snapshot')
      return fromText<SavedFacts>(this.lastSnapshot!)
    } catch (cause) {
      throw badSnapshot(this.path, cause)
    }
  }

  /** Yields the stored pools. @throws MarketError `BAD_SNAPSHOT` */
  *pools(): Generator<StoredPool> {
    try {
      const addresses = new Map<string, string>()
      for (const row of this.db.prepare('SELECT id, dexRow, identity, state FROM pools').iterate()) {
        const { id, dexRow, identity, state } = row as SqlPoolRow
        const fields = fromText<Omit<Pool<null>, 'id' | 'state'>>(identity)
        const tokens = fields.tokens.map((token) => intern(addresses, token))
        yield { pool: { id, ...fields, tokens, state: null }, dexRow, state: state === null ? null : fromText(state) }
      }
    } catch (cause) {
      throw badSnapshot(this.path, cause)
    }
  }

  /** Returns the last save; null in an empty file. @throws MarketError `BAD_SNAPSHOT` */
  load(): SavedState | null {
    const facts = this.facts()
    if (!facts) return null
    const savedPools: SavedPool[] = []
    const pools: Pool[] = []
    for (const { pool, dexRow, state } of this.pools()) {
      savedPools.push({ pool, dexRow })
      if (state !== null) pools.push({ ...pool, state })
    }
    return { ...facts, savedPools, pools: PoolMap.empty.with(pools) }
  }

  /** Copies the file as of one save. @throws MarketError `BAD_SNAPSHOT` */
  async copy(path: string): Promise<void> {
    await backup(this.db, path).catch((cause: unknown) => {
      throw badSnapshot(this.path, cause)
    })
  }

  close(): void {
    this.db.close()
  }

  private readFact(name: string): string | null {
    const row = this.db.prepare('SELECT value FROM facts WHERE name = ?').get(name)
    return row ? String(row.value) : null
  }
}

/**
 * Throws if a file with some of these tables lacks others. A missing table must not be created again: the content of
 * the other tables is then incomplete.
 */
export function assertNoTableMissing(db: DatabaseSync, names: readonly string[]): void {
  const existingRows = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
  const existingNames = new Set(existingRows.map(({ name }) => String(name)))
  const missingNames = names.filter((name) => !existingNames.has(name))
  if (missingNames.length > 0 && missingNames.length < names.length)
    throw new Error(`it lacks the table ${missingNames.join(', ')}`)
}

/** Interns addresses, so that an address that many pools share is stored once in memory. */
function intern<T extends string>(texts: Map<string, string>, text: T): T {
  const internedText = texts.get(text)
  if (internedText === undefined) texts.set(text, text)
  return (internedText ?? text) as T
}

function badSnapshot(path: string, cause: unknown): MarketError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new MarketError('BAD_SNAPSHOT', `${path} is not a snapshot: ${reason}`, { cause })
}
