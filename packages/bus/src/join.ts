/** Reads all of a chain's state from Redis while it changes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Entry, Fields, readEntry, rememberEntry } from '@sluice/liquidity'
import { inSlices, type Steps } from '@sluice/rpc'
import type { OwnConnection } from './connection.ts'
import { BusError } from './errors.ts'
import { blockOf, type Head, readHead, type Shown } from './head.ts'
import type { ChainKeys } from './keys.ts'
import { unpacked } from './packed.ts'

/** Fields asked for at once: some ten milliseconds of work when they come. */
const PAGE = 1_000
/** Entries asked for at once. */
const ENTRIES = 50
const MOST_PAUSE_MS = 200

export type JoinOptions = {
  readonly keys: ChainKeys
  /** Damaged states in a row after which it is given up; a follower goes on until an owner has written all anew. */
  readonly attempts?: number
  readonly signal: AbortSignal
  /** Fields asked for at once. */
  readonly page?: number
}

/**
 * The whole state at one entry; null where nothing was ever published.
 *
 * @throws BusError `AWAY`, `DAMAGED`
 */
export async function join(connection: OwnConnection, options: JoinOptions): Promise<Shown | null> {
  const { keys, attempts = Number.POSITIVE_INFINITY, signal } = options
  for (let attempt = 1; ; attempt++) {
    const head = await readHead(connection, keys)
    if (!head) return null
    const shown = await tryJoin(connection, head, options)
    if (shown) return shown
    if (attempt >= attempts) throw new BusError('DAMAGED', 'what Redis holds of the chain is not whole')
    await sleep(Math.random() * MOST_PAUSE_MS, undefined, { signal, ref: false })
  }
}

async function tryJoin(
  connection: OwnConnection,
  head: Head,
  { keys, page = PAGE }: JoinOptions,
): Promise<Shown | null> {
  const fields = new Fields()
  const pairs = new Set<string>(await connection.call<string[]>('SMEMBERS', keys.pairs))
  const scan = (cursor: string) =>
    connection.call<[string, string[]]>('HSCAN', keys.pools(head.gen), cursor, 'COUNT', page)
  let coming: Promise<[string, string[]]> | null = scan('0')
  while (coming) {
    const [next, flat]: [string, string[]] = await coming
    // The next page is on its way while this one is read; its failure is seen when it is waited for.
    coming = next === '0' ? null : scan(next)
    coming?.catch(() => {})
    await inSlices('join', takeIn(fields, flat))
  }
  const end = await readHead(connection, keys)
  if (end?.gen !== head.gen) return null
  // Fields may be of any moment up to `end`: nothing is shown before all entries up to there are applied.
  if (!(await replay(connection, keys, head.id, end.id, fields, pairs))) return null
  if (fields.count !== end.size) return null
  const pools = await inSlices('join', fields.toMap())
  return pools && { ...end, pools, pairs }
}

function* takeIn(fields: Fields, flat: readonly string[]): Steps<void> {
  for (let i = 0; i < flat.length; i += 2) {
    fields.set(flat[i]!, flat[i + 1]!)
    if (i % 100 === 0) yield
  }
}

/** @returns false where an entry is missing */
async function replay(
  connection: OwnConnection,
  keys: ChainKeys,
  from: string,
  to: string,
  fields: Fields,
  pairs: Set<string>,
): Promise<boolean> {
  let at = from
  while (at !== to) {
    const entries: readonly StreamEntry[] = await connection.callForBytes(
      ...['XRANGE', keys.entries, `(${at}`, to, 'COUNT', ENTRIES],
    )
    if (entries.length === 0) return false
    for (const [id, flat] of entries) {
      const { told, bytes } = readFields(flat)
      const { prev } = told
      if (prev !== at) return false
      const entry = bytes && readEntry(bytes)
      if (!entry) return false
      fields.follow(entry)
      followPairs(pairs, entry)
      at = String(id)
    }
  }
  return true
}

/** Entry as the stream has it: fields and their values in turn. */
export type StreamEntry = readonly [id: Buffer, flat: readonly Buffer[]]

/** Texts of an entry's fields, and what it tells of pools. */
function readFields(flat: readonly Buffer[]): {
  readonly told: Readonly<Record<string, string>>
  readonly bytes: Buffer | null
} {
  const told: Record<string, string> = {}
  let bytes: Buffer | null = null
  for (let i = 0; i < flat.length; i += 2) {
    const name = String(flat[i])
    if (name === 'told') bytes = unpacked(flat[i + 1]!)
    else told[name] = String(flat[i + 1])
  }
  return { told, bytes }
}

function followPairs(pairs: Set<string>, { pairs: { added, removed } }: Entry): void {
  for (const pair of removed) pairs.delete(pair)
  for (const pair of added) pairs.add(pair)
}

/**
 * The state after an entry, on top of the one before it; null where it is not the next one, or does not fit.
 *
 * @param shown - its set of pairs is the new state's, too
 */
export function applied(
  shown: Shown,
  [id, flat]: StreamEntry,
): { readonly shown: Shown; readonly ids: readonly string[] } | null {
  const { told, bytes } = readFields(flat)
  if (told.prev !== shown.id) return null
  const entry = bytes && readEntry(bytes)
  if (!entry) return null
  const fields = Fields.of(entry)
  const next = fields.over(shown.pools, entry.gone)
  const facts = blockOf(told)
  if (!next || shown.size + next.more !== facts.size) return null
  followPairs(shown.pairs as Set<string>, entry)
  // Threads are told it as it is.
  rememberEntry(shown.pools, next.pools, bytes)
  const after = { ...facts, id: String(id), tag: told.tag!, pools: next.pools, pairs: shown.pairs }
  return { shown: after, ids: [...fields.ids, ...entry.gone] }
}
