/** A snapshot as an SQLite file. What is saved together is one transaction: a file tells of one block, or of nothing. */
import { backup, DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { setImmediate as breathe } from 'node:timers/promises'
import type { BlockHeader } from '@sluice/rpc'
import type { Pool } from '../family.ts'
import { MarketError } from '../market/errors.ts'
import { PoolMap } from '../market/pool-map.ts'
import { fromText, toText } from './text.ts'

/** Goes up whenever a family's state, `fixed` or this schema changes, so that older files are not misread. */
const FORMAT = 3
/** Pools after which the rest of the service gets a turn, about 10 ms of work. */
const TURN = 1_000

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
  /** What else the writer wants back. */
  readonly extra: unknown
}

export type SavedState = SavedFacts & { readonly pools: PoolMap; readonly known: readonly SavedPool[] }

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
      this.db = new DatabaseSync(path, { readOnly })
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

  /**
   * Writes what differs from what the file holds.
   *
   * @param known - pools new to the file, before their states
   * @param gone - ids of pools whose state is no longer known
   */
  async save(
    facts: SavedFacts,
    known: Iterable<SavedPool>,
    changed: Iterable<Pool>,
    gone: Iterable<string>,
  ): Promise<void> {
    this.db.exec('BEGIN IMMEDIATE')
    try {
      // Differences from what somebody else wrote would mix two blocks.
      if (this.readFact('snapshot') !== this.seen) throw badSnapshot(this.path, 'somebody else writes to it')
      const text = toText(facts)
      await this.runAll(this.insert!, known, ({ pool: { state: _, id, ...identity }, dexRow }) => [
        id,
        dexRow,
        toText(identity),
      ])
      await this.runAll(this.update!, changed, ({ id, state }) => [toText(state), id])
      await this.runAll(this.update!, gone, (id) => [null, id])
      this.fact!.run('format', String(FORMAT))
      this.fact!.run('snapshot', text)
      this.db.exec('COMMIT')
      this.seen = text
    } catch (error) {
      this.db.exec('ROLLBACK')
      throw error
    }
  }

  /** What was saved last; null in an empty file. To be called before the first `save` to a file that may hold something. @throws MarketError `BAD_SNAPSHOT` */
  async load(): Promise<SavedState | null> {
    try {
      const format = this.readFact('format')
      if (format === null) return null
      if (format !== String(FORMAT)) throw new Error(`its format is ${format}, this version reads ${FORMAT}`)
      this.seen = this.readFact('snapshot')
      const facts = fromText<SavedFacts>(this.seen!)
      const known: SavedPool[] = []
      const pools: Pool[] = []
      const addresses = new Map<string, string>()
      const rows = this.db.prepare('SELECT id, dexRow, identity, state FROM pools').iterate()
      for (const row of rows) {
        const { id, dexRow, identity, state } = row as {
          id: string
          dexRow: number | null
          identity: string
          state: string | null
        }
        const fields = fromText<Omit<Pool<null>, 'id' | 'state'>>(identity)
        const pool = { id, ...fields, tokens: fields.tokens.map((token) => intern(addresses, token)), state: null }
        known.push({ pool, dexRow })
        if (state !== null) pools.push({ ...pool, state: fromText(state) })
        if (known.length % TURN === 0) await breathe()
      }
      return { ...facts, known, pools: PoolMap.empty.with(pools) }
    } catch (cause) {
      throw badSnapshot(this.path, cause)
    }
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

  private async runAll<T>(
    statement: StatementSync,
    items: Iterable<T>,
    parameters: (item: T) => SQLInputValue[],
  ): Promise<void> {
    let count = 0
    for (const item of items) {
      statement.run(...parameters(item))
      if (++count % TURN === 0) await breathe()
    }
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
