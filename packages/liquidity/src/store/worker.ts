/** Worker thread that holds the open files and processes their requests one after the other. */
import { parentPort } from 'node:worker_threads'
import { MarketError } from '../errors.ts'
import { type SavedFacts, SnapshotDatabase } from './database.ts'
import { BATCH, type Request, type SavedBatch, type StoreReply, type ToStore } from './messages.ts'
import { RecordDatabase } from './record-database.ts'

type Lists = Record<string, unknown[]>
/** Facts in a file: the writer's extra data, and the lists. */
export type FileExtra = { readonly rest: unknown; readonly lists: Lists }
type File = {
  readonly database: SnapshotDatabase
  /** Content still to be read. */
  batches: Generator<SavedBatch>
  /** Lists received since `begin`. */
  lists: Lists
  /** Ids of the pools to keep, received since `begin`; null to keep all. */
  retained: Set<string> | null
}

/** List items per batch; they are short strings. */
const LIST_BATCH = 5_000

const port = parentPort!
const files = new Map<number, File>()
const logs = new Map<number, RecordDatabase>()

port.on('message', ({ file, job, ask }: Request) => {
  port.postMessage(reply(file, job, ask))
})

function reply(file: number, job: number, ask: ToStore): StoreReply {
  try {
    return { job, result: run(file, ask) }
  } catch (error) {
    const isBad = error instanceof MarketError
    return { job, error: error instanceof Error ? error.message : String(error), isBad }
  }
}

function run(number: number, ask: ToStore): unknown {
  if (ask.do === 'open') return open(number, ask.path)
  if (ask.do === 'open-records') return void logs.set(number, new RecordDatabase(ask.path, ask.limits))
  const log = logs.get(number)
  return log ? append(number, log, ask) : runOnFile(number, ask)
}

function append(number: number, log: RecordDatabase, ask: ToStore): void {
  if (ask.do === 'begin') log.begin()
  if (ask.do === 'write') log.write(ask.changed, ask.gone)
  if (ask.do === 'commit-records') log.commit(ask.of)
  if (ask.do === 'rollback') log.rollback()
  if (ask.do !== 'close') return
  logs.delete(number)
  log.close()
}

function runOnFile(number: number, ask: ToStore): unknown {
  const file = files.get(number)!
  const { database } = file
  switch (ask.do) {
    case 'next':
      return file.batches.next().value ?? null
    case 'begin':
      file.lists = {}
      file.retained = null
      return database.begin()
    case 'write':
      return database.write(ask)
    case 'keep':
      file.retained ??= new Set()
      for (const id of ask.ids) file.retained.add(id)
      return undefined
    case 'list':
      file.lists[ask.name] = [...(file.lists[ask.name] ?? []), ...ask.items]
      return undefined
    case 'commit': {
      if (file.retained) database.keepOnly(file.retained)
      const extra: FileExtra = { rest: ask.facts.extra, lists: file.lists }
      return database.commit({ ...ask.facts, extra })
    }
    case 'rollback':
      return database.rollback()
    case 'close':
      files.delete(number)
      return database.close()
  }
}

function open(number: number, path: string): SavedFacts | null {
  const database = new SnapshotDatabase(path)
  try {
    const facts = database.facts()
    const extra = facts?.extra as FileExtra | undefined
    files.set(number, { database, batches: batches(database, extra?.lists ?? {}), lists: {}, retained: null })
    return facts && { ...facts, extra: extra?.rest ?? null }
  } catch (error) {
    database.close()
    throw error
  }
}

function* batches(database: SnapshotDatabase, lists: Lists): Generator<SavedBatch> {
  for (const [name, items] of Object.entries(lists))
    for (let at = 0; at < items.length; at += LIST_BATCH)
      yield { pools: [], list: { name, items: items.slice(at, at + LIST_BATCH) } }
  let pools = []
  for (const pool of database.pools()) {
    pools.push(pool)
    if (pools.length < BATCH) continue
    yield { pools, list: null }
    pools = []
  }
  if (pools.length > 0) yield { pools, list: null }
}
