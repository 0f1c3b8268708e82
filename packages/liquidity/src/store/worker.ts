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

/** Items of each list, by the name of the list. */
type Lists = Record<string, unknown[]>
/**
 * The `extra` field of the facts in a file: the writer's own extra data, and its named lists, such as tokens and pairs.
 */
export type FileExtra = { readonly rest: unknown; readonly lists: Lists }
type OpenFile = {
  readonly database: SnapshotDatabase
  /** Content still to be read. */
  batches: Generator<SavedBatch>
  /** Lists received since `begin`. */
  lists: Lists
  /** Ids of the pools to keep, received since `begin`; null to keep all. */
  keptIds: Set<string> | null
}

/** List items per batch; they are short strings. */
const ITEMS_PER_BATCH = 5_000

const port = parentPort!
const files = new Map<number, OpenFile>()
const recordDatabases = new Map<number, RecordDatabase>()

port.on('message', ({ fileId, jobId, command }: StoreRequest) => {
  port.postMessage(reply(fileId, jobId, command))
})

function reply(fileId: number, jobId: number, command: StoreCommand): StoreReply {
  try {
    return { jobId, result: runCommand(fileId, command) }
  } catch (error) {
    const isBadFormat = error instanceof MarketError
    return { jobId, error: error instanceof Error ? error.message : String(error), isBadFormat }
  }
}

function runCommand(fileId: number, command: StoreCommand): unknown {
  if (command.do === 'open') return open(fileId, command.path)
  if (command.do === 'open-records')
    return void recordDatabases.set(fileId, new RecordDatabase(command.path, command.limits))
  const recordDatabase = recordDatabases.get(fileId)
  return recordDatabase ? runOnRecords(fileId, recordDatabase, command) : runOnFile(fileId, command)
}

function runOnRecords(fileId: number, recordDatabase: RecordDatabase, command: StoreCommand): void {
  if (command.do === 'begin') recordDatabase.begin()
  if (command.do === 'write') recordDatabase.write(command.changedPools, command.goneIds)
  if (command.do === 'commit-records') recordDatabase.commit(command.records)
  if (command.do === 'rollback') recordDatabase.rollback()
  if (command.do !== 'close') return
  recordDatabases.delete(fileId)
  recordDatabase.close()
}

function runOnFile(fileId: number, command: StoreCommand): unknown {
  const file = files.get(fileId)!
  const { database } = file
  switch (command.do) {
    case 'next':
      return file.batches.next().value ?? null
    case 'begin':
      file.lists = {}
      file.keptIds = null
      return database.begin()
    case 'write':
      return database.write(command)
    case 'keep':
      file.keptIds ??= new Set()
      for (const id of command.ids) file.keptIds.add(id)
      return undefined
    case 'list':
      file.lists[command.name] = [...(file.lists[command.name] ?? []), ...command.items]
      return undefined
    case 'commit': {
      if (file.keptIds) database.keepOnly(file.keptIds)
      const extra: FileExtra = { rest: command.facts.extra, lists: file.lists }
      return database.commit({ ...command.facts, extra })
    }
    case 'rollback':
      return database.rollback()
    case 'close':
      files.delete(fileId)
      return database.close()
  }
}

function open(fileId: number, path: string): SavedFacts | null {
  const database = new SnapshotDatabase(path)
  try {
    const facts = database.facts()
    const extra = facts?.extra as FileExtra | undefined
    files.set(fileId, { database, batches: batchesOf(database, extra?.lists ?? {}), lists: {}, keptIds: null })
    return facts && { ...facts, extra: extra?.rest ?? null }
  } catch (error) {
    database.close()
    throw error
  }
}

function* batchesOf(database: SnapshotDatabase, lists: Lists): Generator<SavedBatch> {
  for (const [name, items] of Object.entries(lists))
    for (let offset = 0; offset < items.length; offset += ITEMS_PER_BATCH)
      yield { pools: [], list: { name, items: items.slice(offset, offset + ITEMS_PER_BATCH) } }
  let pools = []
  for (const pool of database.pools()) {
    pools.push(pool)
    if (pools.length < POOLS_PER_MESSAGE) continue
    yield { pools, list: null }
    pools = []
  }
  if (pools.length > 0) yield { pools, list: null }
}
