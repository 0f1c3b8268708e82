/** Client of the worker thread that holds the files of all markets of the process. */
import { setImmediate as turn } from 'node:timers/promises'
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

type Job = { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void }

let thread: Worker | undefined
const jobs = new Map<number, Job>()
let lastJob = 0
let lastFile = 0

function start(): Worker {
  if (thread) return thread
  const worker = new Worker(new URL('./worker.ts', import.meta.url))
  thread = worker
  worker.on('message', (reply: StoreReply) => {
    const job = jobs.get(reply.job)
    jobs.delete(reply.job)
    if (jobs.size === 0) worker.unref()
    if ('result' in reply) job?.resolve(reply.result)
    else job?.reject(reply.isBadFormat ? new MarketError('BAD_SNAPSHOT', reply.error) : new Error(reply.error))
  })
  const end = (cause?: Error) => {
    if (thread !== worker) return
    thread = undefined
    const error = new Error('the thread that keeps files has ended', { cause })
    for (const { reject } of jobs.values()) reject(error)
    jobs.clear()
  }
  worker.on('error', end)
  worker.on('exit', () => end())
  return worker
}

function requestStore<T>(worker: Worker, file: number, message: StoreCommand): Promise<T> {
  if (thread !== worker) return Promise.reject(new Error('the thread that keeps files has ended'))
  const job = ++lastJob
  return new Promise<T>((resolve, reject) => {
    jobs.set(job, { resolve: resolve as (result: unknown) => void, reject })
    worker.ref()
    worker.postMessage({ file, job, command: message } satisfies StoreRequest)
  })
}

/** A file that is open in the thread. */
export type ThreadFile = { readonly requestStore: <T = void>(request: StoreCommand) => Promise<T> }

/** Opens a quote log. @throws Error if it cannot be opened */
export async function openFile(request: Extract<StoreCommand, { do: 'open-records' }>): Promise<ThreadFile> {
  const worker = start()
  const number = ++lastFile
  await requestStore(worker, number, request)
  return { requestStore: (request) => requestStore(worker, number, request) }
}

/** A market's file, read and written in the thread in small batches. */
export class StoreFile implements Store {
  /** Facts of the last save; null in an empty file. */
  readonly facts: SavedFacts | null
  private readonly worker: Worker
  private readonly number: number

  private constructor(worker: Worker, number: number, facts: SavedFacts | null) {
    this.worker = worker
    this.number = number
    this.facts = facts
  }

  /** Opens a market's file. @throws MarketError `BAD_SNAPSHOT` if it has another format */
  static async open(path: string): Promise<StoreFile> {
    const worker = start()
    const number = ++lastFile
    return new StoreFile(worker, number, await requestStore<SavedFacts | null>(worker, number, { do: 'open', path }))
  }

  /** Yields the saved state once: lists, then pools. @throws MarketError `BAD_SNAPSHOT` */
  async *batches(): AsyncGenerator<SavedBatch> {
    const request = () => this.requestStore<SavedBatch | null>({ do: 'next' })
    let pending = request()
    for (let batch = await pending; batch; batch = await pending) {
      pending = request()
      // Prevent an unhandled rejection; the error is thrown when the batch is awaited.
      pending.catch(() => undefined)
      yield batch
    }
  }

  /** Writes all parts in one transaction. */
  async save(facts: SavedFacts, parts: AsyncIterable<SaveCommand>): Promise<void> {
    try {
      await this.requestStore({ do: 'begin' })
      for await (const part of parts) await this.requestStore(part)
      await this.requestStore({ do: 'commit', facts })
    } catch (error) {
      await this.requestStore({ do: 'rollback' }).catch(() => undefined)
      throw error
    }
  }

  close(): Promise<void> {
    return this.requestStore({ do: 'close' })
  }

  private requestStore<T = void>(request: StoreCommand): Promise<T> {
    return requestStore(this.worker, this.number, request)
  }
}

/** Yields items in batches, and yields to the event loop in between. */
export async function* inBatches<T>(items: Iterable<T>, size = POOLS_PER_MESSAGE): AsyncGenerator<readonly T[]> {
  let batch: T[] = []
  for (const item of items) {
    batch.push(item)
    if (batch.length < size) continue
    yield batch
    await turn()
    batch = []
  }
  if (batch.length > 0) yield batch
}
