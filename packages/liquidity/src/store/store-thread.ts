/** Client of the worker thread that holds the open files of the process: market databases and quote logs. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { MarketError } from '../errors.ts'
import type { SavedFacts } from './database.ts'
import {
  POOLS_PER_MESSAGE,
  type SavedBatch,
  type StoreCommand,
  type StoreReply,
  type StoreRequest,
} from './messages.ts'
import type { SaveCommand, Store } from './store.ts'

/** A request that the thread has not answered yet. */
type Job = { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void }

let thread: Worker | undefined
const jobs = new Map<number, Job>()
let lastJobId = 0
let lastFileId = 0

function start(): Worker {
  if (thread) return thread
  const worker = new Worker(new URL('./worker.ts', import.meta.url))
  thread = worker
  worker.on('message', (reply: StoreReply) => {
    const job = jobs.get(reply.jobId)
    jobs.delete(reply.jobId)
    if (jobs.size === 0) worker.unref()
    if ('result' in reply) job?.resolve(reply.result)
    else job?.reject(reply.isBadFormat ? new MarketError('BAD_SNAPSHOT', reply.error) : new Error(reply.error))
  })
  const onThreadEnd = (cause?: Error) => {
    if (thread !== worker) return
    thread = undefined
    const error = new Error('the thread that keeps files has ended', { cause })
    for (const { reject } of jobs.values()) reject(error)
    jobs.clear()
  }
  worker.on('error', onThreadEnd)
  worker.on('exit', () => onThreadEnd())
  return worker
}

function requestStore<T>(worker: Worker, fileId: number, command: StoreCommand): Promise<T> {
  if (thread !== worker) return Promise.reject(new Error('the thread that keeps files has ended'))
  const jobId = ++lastJobId
  return new Promise<T>((resolve, reject) => {
    jobs.set(jobId, { resolve: resolve as (result: unknown) => void, reject })
    worker.ref()
    worker.postMessage({ fileId, jobId, command } satisfies StoreRequest)
  })
}

/** A file that is open in the thread. */
export type ThreadFile = { readonly requestStore: <T = void>(command: StoreCommand) => Promise<T> }

/** Opens a quote log. @throws Error if it cannot be opened */
export async function openFile(command: Extract<StoreCommand, { do: 'open-records' }>): Promise<ThreadFile> {
  const worker = start()
  const fileId = ++lastFileId
  await requestStore(worker, fileId, command)
  return { requestStore: (request) => requestStore(worker, fileId, request) }
}

/** A market's file, read and written in the thread in small batches. */
export class StoreFile implements Store {
  /** Facts of the last save; null in an empty file. */
  readonly facts: SavedFacts | null
  private readonly worker: Worker
  private readonly fileId: number

  private constructor(worker: Worker, fileId: number, facts: SavedFacts | null) {
    this.worker = worker
    this.fileId = fileId
    this.facts = facts
  }

  /** Opens a market's file. @throws MarketError `BAD_SNAPSHOT` if it has another format */
  static async open(path: string): Promise<StoreFile> {
    const worker = start()
    const fileId = ++lastFileId
    return new StoreFile(worker, fileId, await requestStore<SavedFacts | null>(worker, fileId, { do: 'open', path }))
  }

  /** Yields the saved state once: lists, then pools. @throws MarketError `BAD_SNAPSHOT` */
  async *batches(): AsyncGenerator<SavedBatch> {
    const requestBatch = () => this.requestStore<SavedBatch | null>({ do: 'next' })
    let pendingBatch = requestBatch()
    for (let batch = await pendingBatch; batch; batch = await pendingBatch) {
      pendingBatch = requestBatch()
      // Prevent an unhandled rejection; the error is thrown when the batch is awaited.
      pendingBatch.catch(() => undefined)
      yield batch
    }
  }

  /** Executes all commands in one transaction. */
  async save(facts: SavedFacts, commands: AsyncIterable<SaveCommand>): Promise<void> {
    try {
      await this.requestStore({ do: 'begin' })
      for await (const command of commands) await this.requestStore(command)
      await this.requestStore({ do: 'commit', facts })
    } catch (error) {
      await this.requestStore({ do: 'rollback' }).catch(() => undefined)
      throw error
    }
  }

  /** True if the thread that holds the file has ended. */
  get isLost(): boolean {
    return thread !== this.worker
  }

  close(): Promise<void> {
    return this.requestStore({ do: 'close' })
  }

  private requestStore<T = void>(command: StoreCommand): Promise<T> {
    return requestStore(this.worker, this.fileId, command)
  }
}

/** Yields items in batches, and yields to the event loop in between. */
export async function* inBatches<T>(items: Iterable<T>, size = POOLS_PER_MESSAGE): AsyncGenerator<readonly T[]> {
  let batch: T[] = []
  for (const item of items) {
    batch.push(item)
    if (batch.length < size) continue
    yield batch
    await yieldToEventLoop()
    batch = []
  }
  if (batch.length > 0) yield batch
}
