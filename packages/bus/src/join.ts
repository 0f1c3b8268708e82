/**
 * Reads the whole state of a chain from Redis (joins) while the owner keeps changing it, and applies stream entries to
 * a state. An entry is the difference between two states, written by the chain's owner.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type DecodedEntry, FieldCollector, readEntry, rememberEntry } from '@sluice/liquidity'
import { inSlices, type Steps } from '@sluice/rpc'
import type { Connection, OwnConnection } from './connection.ts'
import { decompressEntry } from './entry-compression.ts'
import { BusError } from './errors.ts'
import { decodeBlockFields, type FollowedState, type Head, readHead } from './head.ts'
import type { ChainKeys } from './keys.ts'

/** Number of hash fields per read: about ten milliseconds of work. */
const FIELDS_PER_READ = 1_000
/** Number of pairs per read: about a millisecond of work. */
const PAIRS_PER_READ = 1_000
const ENTRIES_PER_READ = 50
/** Maximum milliseconds between two attempts. */
const MAX_PAUSE_MS = 200

export type JoinOptions = {
  readonly keys: ChainKeys
  /**
   * Maximum attempts to read a consistent state; by default unlimited, since a follower waits for the owner's repair.
   */
  readonly attempts?: number
  readonly signal: AbortSignal
  /** Number of hash fields per read. */
  readonly fieldsPerRead?: number
}

/**
 * Reads the complete state after one entry; null if nothing was published.
 *
 * @throws BusError `AWAY`, `DAMAGED`
 */
export async function join(connection: OwnConnection, options: JoinOptions): Promise<FollowedState | null> {
  const { keys, attempts = Number.POSITIVE_INFINITY, signal } = options
  for (let attempt = 1; ; attempt++) {
    const head = await readHead(connection, keys)
    if (!head) return null
    const state = await tryJoin(connection, head, options)
    if (state) return state
    if (attempt >= attempts) throw new BusError('DAMAGED', 'what Redis holds of the chain is not whole')
    await sleep(Math.random() * MAX_PAUSE_MS, undefined, { signal, ref: false })
  }
}

/**
 * Reads the published pairs in pages, because a market can have 100,000, and Redis does nothing else during a command.
 * A pair that is added or removed meanwhile may be read or not.
 */
export async function readPairs(connection: Connection, keys: ChainKeys): Promise<Set<string>> {
  const pairs = new Set<string>()
  let cursor = '0'
  do {
    const page = await connection.call<[string, string[]]>('SSCAN', keys.pairs, cursor, 'COUNT', PAIRS_PER_READ)
    for (const pair of page[1]) pairs.add(pair)
    cursor = page[0]
  } while (cursor !== '0')
  return pairs
}

async function tryJoin(
  connection: OwnConnection,
  head: Head,
  { keys, fieldsPerRead: fieldsPerPage = FIELDS_PER_READ }: JoinOptions,
): Promise<FollowedState | null> {
  const fields = new FieldCollector()
  const pairs = await readPairs(connection, keys)
  const readPage = (cursor: string) =>
    connection.call<[string, string[]]>('HSCAN', keys.pools(head.generation), cursor, 'COUNT', fieldsPerPage)
  let nextPage: Promise<[string, string[]]> | null = readPage('0')
  while (nextPage) {
    const [nextCursor, flat]: [string, string[]] = await nextPage
    // Request the next page while this one is processed. If that fails, the `await` above throws.
    nextPage = nextCursor === '0' ? null : readPage(nextCursor)
    nextPage?.catch(() => {})
    await inSlices('join', addFields(fields, flat))
  }
  const endHead = await readHead(connection, keys)
  if (endHead?.generation !== head.generation) return null
  // Each field may have been read before or after the entries that were written since `head`. The state is consistent
  // once all entries from `head` to `endHead` are applied.
  if (!(await replay(connection, keys, head.id, endHead.id, fields, pairs))) return null
  if (fields.count !== endHead.fieldCount) return null
  const pools = await inSlices('join', fields.toMap())
  return pools && { ...endHead, pools, pairs }
}

function* addFields(fields: FieldCollector, flat: readonly string[]): Steps<void> {
  for (let i = 0; i < flat.length; i += 2) {
    fields.set(flat[i]!, flat[i + 1]!)
    if (i % 100 === 0) yield
  }
}

/** Applies the entries between two ids. @returns false if an entry is missing */
async function replay(
  connection: OwnConnection,
  keys: ChainKeys,
  from: string,
  to: string,
  fields: FieldCollector,
  pairs: Set<string>,
): Promise<boolean> {
  let lastId = from
  while (lastId !== to) {
    const entries: readonly StreamEntry[] = await connection.callForBytes(
      ...['XRANGE', keys.entries, `(${lastId}`, to, 'COUNT', ENTRIES_PER_READ],
    )
    if (entries.length === 0) return false
    for (const [id, flat] of entries) {
      const { texts, bytes } = decodeEntryFields(flat)
      const { prev } = texts
      if (prev !== lastId) return false
      const entry = bytes && readEntry(bytes)
      if (!entry) return false
      fields.applyEntry(entry)
      applyPairChanges(pairs, entry)
      lastId = String(id)
    }
  }
  return true
}

/** An entry of the stream: its id, and its fields and values in turn. */
export type StreamEntry = readonly [id: Buffer, flat: readonly Buffer[]]

/** Decodes an entry: its text fields, and the bytes that describe changed pools, which are in its field `told`. */
function decodeEntryFields(flat: readonly Buffer[]): {
  readonly texts: Readonly<Record<string, string>>
  readonly bytes: Buffer | null
} {
  const texts: Record<string, string> = {}
  let bytes: Buffer | null = null
  for (let i = 0; i < flat.length; i += 2) {
    const name = String(flat[i])
    if (name === 'told') bytes = decompressEntry(flat[i + 1]!)
    else texts[name] = String(flat[i + 1])
  }
  return { texts, bytes }
}

function applyPairChanges(pairs: Set<string>, { pairs: { added, removed } }: DecodedEntry): void {
  for (const pair of removed) pairs.delete(pair)
  for (const pair of added) pairs.add(pair)
}

/**
 * Applies an entry to the previous state; null if the entry is not the next one, or does not fit the state.
 *
 * @param state - previous state; its set of pairs is modified and becomes part of the new state
 */
export function applyEntry(
  state: FollowedState,
  [id, flat]: StreamEntry,
): { readonly state: FollowedState; readonly ids: readonly string[] } | null {
  const { texts, bytes } = decodeEntryFields(flat)
  if (texts.prev !== state.id) return null
  const entry = bytes && readEntry(bytes)
  if (!entry) return null
  const fields = FieldCollector.of(entry)
  const nextPools = fields.applyTo(state.pools, entry.gone)
  const blockFields = decodeBlockFields(texts)
  if (!nextPools || state.fieldCount + nextPools.fieldCountChange !== blockFields.fieldCount) return null
  applyPairChanges(state.pairs as Set<string>, entry)
  // The bytes of the entry are passed on to routing threads unchanged.
  rememberEntry(state.pools, nextPools.pools, bytes)
  const nextState = { ...blockFields, id: String(id), tag: texts.tag!, pools: nextPools.pools, pairs: state.pairs }
  return { state: nextState, ids: [...fields.ids, ...entry.gone] }
}
