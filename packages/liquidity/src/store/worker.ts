/** Worker thread that holds the open files and processes their requests one after the other. */
import { parentPort } from 'node:worker_threads'
import { MarketError } from '../errors.ts'
import { type SavedFacts, SnapshotDatabase } from './database.ts'
import {
  POOLS_PER_MESSAGE,
  type SavedBatch,
  type StoreCommand,
  type StoreReply,
  type StoreRequest,
} from './messages.ts'
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
  keptIds: Set<string> | null
}

/** List items per batch; they are short strings. */
const LIST_BATCH = 5_000

const port = parentPort!
const files = new Map<number, File>()
const logs = new Map<number, RecordDatabase>()

port.on('message', ({ file, job, command }: StoreRequest) => {
  port.postMessage(reply(file, job, command))
})

function reply(file: number, job: number, request: StoreCommand): StoreReply {
  try {
    return { job, result: run(file, request) }
  } catch (error) {
    const isBadFormat = error instanceof MarketError
    return { job, error: error instanceof Error ? error.message : String(error), isBadFormat }
  }
}

function run(number: number, request: StoreCommand): unknown {
  if (request.do === 'open') return open(number, request.path)
  if (request.do === 'open-records') return void logs.set(number, new RecordDatabase(request.path, request.limits))
  const log = logs.get(number)
  return log ? append(number, log, request) : runOnFile(number, request)
}

function append(number: number, log: RecordDatabase, request: StoreCommand): void {
  if (request.do === 'begin') log.begin()
  if (request.do === 'write') log.write(request.changedPools, request.goneIds)
  if (request.do === 'commit-records') log.commit(request.records)
  if (request.do === 'rollback') log.rollback()
  if (request.do !== 'close') return
  logs.delete(number)
  log.close()
}

function runOnFile(number: number, request: StoreCommand): unknown {
  const file = files.get(number)!
  const { database } = file
  switch (request.do) {
    case 'next':
      return file.batches.next().value ?? null
    case 'begin':
      file.lists = {}
      file.keptIds = null
      return database.begin()
    case 'write':
      return database.write(request)
    case 'keep':
      file.keptIds ??= new Set()
      for (const id of request.ids) file.keptIds.add(id)
      return undefined
    case 'list':
      file.lists[request.name] = [...(file.lists[request.name] ?? []), ...request.items]
      return undefined
    case 'commit': {
      if (file.keptIds) database.keepOnly(file.keptIds)
      const extra: FileExtra = { rest: request.facts.extra, lists: file.lists }
      return database.commit({ ...request.facts, extra })
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
    files.set(number, { database, batches: batches(database, extra?.lists ?? {}), lists: {}, keptIds: null })
    return facts && { ...facts, extra: extra?.rest ?? null }
  } catch (error) {
    database.close()
    throw error
  }
}

function* batches(database: SnapshotDatabase, lists: Lists): Generator<SavedBatch> {
  for (const [name, items] of Object.entries(lists))
    for (let offset = 0; offset < items.length; offset += LIST_BATCH)
      yield { pools: [], list: { name, items: items.slice(offset, offset + LIST_BATCH) } }
  let pools = []
  for (const pool of database.pools()) {
    pools.push(pool)
    if (pools.length < POOLS_PER_MESSAGE) continue
    yield { pools, list: null }
    pools = []
  }
  if (pools.length > 0) yield { pools, list: null }
}
