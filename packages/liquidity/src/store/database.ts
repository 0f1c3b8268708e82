/**
 * A snapshot as an SQLite file. What is saved together is one transaction: a file tells of one block, or of nothing.
 */
import { backup, DatabaseSync, type StatementSync } from 'node:sqlite'
import type { BlockHeader } from '@sluice/rpc'
import { MarketError } from '../errors.ts'
import type { Pool } from '../family.ts'
import { PoolMap } from '../pool-map.ts'
import { fromText, toText } from './text.ts'

/** Goes up whenever a family's state, `fixed` or this schema changes, so that older files are not misread. */
export const STATE_FORMAT = 5
/** Milliseconds that SQLite waits for another process: who closes a file last locks it while its log of changes is merged. */
export const LOCK_WAIT_MS = 2_000

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  -- state is NULL while a pool cannot be read; dexRow is its DEX in the order of the chain's file
  CREATE TABLE IF NOT EXISTS pools (
    id TEXT PRIMARY KEY, dexRow INTEGER, identity TEXT NOT NULL, state TEXT
  ) WITHOUT ROWID;
`

/** A pool that is known, with the number of its DEX in the chain's file where that matters. */
export type SavedPool = { readonly pool: Pool<null>; readonly dexRow: number | null }

export type SavedFacts = {
  readonly chainId: number
  readonly block: BlockHeader
  /** All else that the writer wants back. */
  readonly extra: unknown
}

export type SavedState = SavedFacts & { readonly pools: PoolMap; readonly known: readonly SavedPool[] }

/** A pool as a file holds it; `state` is null while it cannot be read. */
export type StoredPool = SavedPool & { readonly state: unknown }

/** The changes that a file has to be told to hold other pools than it does. */
export type Differences = {
  /** Pools that are new. */
  readonly known: Iterable<SavedPool>
  readonly changed: Iterable<Pool>
  /** Ids of pools whose state is no longer known. */
  readonly gone: Iterable<string>
}

type Row = {
  readonly id: string
  readonly dexRow: number | null
  readonly identity: string
  readonly state: string | null
}

export class SnapshotDatabase {
  readonly path: string
  private readonly db: DatabaseSync
  /** The facts as this object knows them to be in the file. */
  private seen: string | null = null
  private readonly insert: StatementSync | null
  private readonly update: StatementSync | null
  private readonly fact: StatementSync | null

  /** @throws MarketError `BAD_SNAPSHOT` when the file is something else */
  constructor(path: string, { readOnly = false }: { readonly readOnly?: boolean } = {}) {
    this.path = path
    try {
      this.db = new DatabaseSync(path, { readOnly, timeout: LOCK_WAIT_MS })
      // The log of changes survives a kill at any moment; a power cut may lose the last save, never mix two.
      if (!readOnly) this.db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${SCHEMA}`)
      const prepare = (sql: string) => (readOnly ? null : this.db.prepare(sql))
      this.insert = prepare(
        'INSERT INTO pools VALUES (?, ?, ?, NULL) ON CONFLICT (id) DO UPDATE SET dexRow = excluded.dexRow, identity = excluded.identity',
      )
      this.update = prepare('UPDATE pools SET state = ? WHERE id = ?')
      this.fact = prepare('INSERT OR REPLACE INTO facts VALUES (?, ?)')
    } catch (cause) {
      throw badSnapshot(path, cause)
    }
  }

  /** Starts a transaction: nothing of it is in the file before `commit`. */
  begin(): void {
    this.db.exec('BEGIN IMMEDIATE')
    // Differences from what somebody else wrote would mix two blocks.
    if (this.readFact('snapshot') !== this.seen) throw badSnapshot(this.path, 'somebody else writes to it')
  }

  /** Writes what differs from what the file holds: pools that are new to it before their states. */
  write({ known, changed, gone }: Differences): void {
    for (const { pool, dexRow } of known) {
      const { state: _, id, ...identity } = pool
      this.insert!.run(id, dexRow, toText(identity))
    }
    for (const { id, state } of changed) this.update!.run(toText(state), id)
    for (const id of gone) this.update!.run(null, id)
  }

  /** Forgets all other pools. */
  keepOnly(ids: ReadonlySet<string>): void {
    const forget = this.db.prepare('DELETE FROM pools WHERE id = ?')
    const all = this.db.prepare('SELECT id FROM pools').all() as unknown as readonly Pick<Row, 'id'>[]
    for (const { id } of all) if (!ids.has(id)) forget.run(id)
  }

  commit(facts: SavedFacts): void {
    const text = toText(facts)
    this.fact!.run('format', String(STATE_FORMAT))
    this.fact!.run('snapshot', text)
    this.db.exec('COMMIT')
    this.seen = text
  }

  rollback(): void {
    if (this.db.isTransaction) this.db.exec('ROLLBACK')
  }

  /** All of a transaction. */
  save(facts: SavedFacts, differences: Differences): void {
    try {
      this.begin()
      this.write(differences)
      this.commit(facts)
    } catch (error) {
      this.rollback()
      throw error
    }
  }

  /**
   * Facts of what was saved last; null in an empty file. To be asked for before the first save to a file that may hold
   * something.
   *
   * @throws MarketError `BAD_SNAPSHOT`
   */
  facts(): SavedFacts | null {
    try {
      const format = this.readFact('format')
      if (format === null) return null
      if (format !== String(STATE_FORMAT))
        throw new Error(`its format is ${format}, this version reads ${STATE_FORMAT}`)
      this.seen = this.readFact('snapshot')
      return fromText<SavedFacts>(this.seen!)
    } catch (cause) {
      throw badSnapshot(this.path, cause)
    }
  }

  /** The pools that were saved, one after the other. @throws MarketError `BAD_SNAPSHOT` */
  *pools(): Generator<StoredPool> {
    try {
      const addresses = new Map<string, string>()
      for (const row of this.db.prepare('SELECT id, dexRow, identity, state FROM pools').iterate()) {
        const { id, dexRow, identity, state } = row as Row
        const fields = fromText<Omit<Pool<null>, 'id' | 'state'>>(identity)
        const tokens = fields.tokens.map((token) => intern(addresses, token))
        yield { pool: { id, ...fields, tokens, state: null }, dexRow, state: state === null ? null : fromText(state) }
      }
    } catch (cause) {
      throw badSnapshot(this.path, cause)
    }
  }

  /** All that was saved last; null in an empty file. @throws MarketError `BAD_SNAPSHOT` */
  load(): SavedState | null {
    const facts = this.facts()
    if (!facts) return null
    const known: SavedPool[] = []
    const pools: Pool[] = []
    for (const { pool, dexRow, state } of this.pools()) {
      known.push({ pool, dexRow })
      if (state !== null) pools.push({ ...pool, state })
    }
    return { ...facts, known, pools: PoolMap.empty.with(pools) }
  }

  /** The whole file, as of one save. @throws MarketError `BAD_SNAPSHOT` */
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

/** One text for an address however many pools name it. */
function intern<T extends string>(known: Map<string, string>, text: T): T {
  const found = known.get(text)
  if (found === undefined) known.set(text, text)
  return (found ?? text) as T
}

function badSnapshot(path: string, cause: unknown): MarketError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new MarketError('BAD_SNAPSHOT', `${path} is not a snapshot: ${reason}`, { cause })
}
