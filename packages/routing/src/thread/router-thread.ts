/** A thread that searches for the process, one request at a time, and that can be ended while it does. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { type Pool, PoolMap, poolChangeSteps, type Snapshot } from '@sluice/liquidity'
import { RoutingError } from '../errors.ts'
import type { ExactOutputRequest, RouteRequest, RouteResult } from '../types.ts'
import { EntryLog } from './entry-log.ts'
import { type FromThread, fromPlain, ownTerms, sharedTerms, type ToThread } from './messages.ts'

/** Pools in a message: copying as many takes about half a millisecond of the process's own time. */
const BATCH = 250
/** Milliseconds in which a thread must have started, been told all pools and made its graph. */
const PREPARING_MS = 30_000

export type ThreadOptions = {
  /** Milliseconds that a search may take; its budget of work ends it long before, so it is for faults. */
  readonly timeoutMs: number
  /** Megabytes of memory that one thread may take. */
  readonly memoryMb: number
  /** The module that the thread runs, in tests. */
  readonly entry?: URL
}

/** By chain; threads of one process share them. */
export type EntryLogs = Map<number, EntryLog>

type Answer = Exclude<FromThread, { begun: true }>
/** A chain as a thread knows it; terms that requests share by their names. */
type Told = { pools: Snapshot['pools']; readonly terms: Map<string, unknown> }
type Search = {
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
  timer: NodeJS.Timeout | undefined
}

/**
 * The thread keeps the pools of each chain and is told, before a search, how those of the search differ: blocks cost what
 * changes in them, and a search of an earlier block is as good as any. It is started by the first search, and anew by the
 * one after its end.
 */
export class RouterThread {
  private readonly options: ThreadOptions
  private readonly logs: EntryLogs
  private worker: Worker | undefined
  private search: Search | undefined
  /** The state of each chain that the thread was told, and the chains that it is still to forget. */
  private told = new Map<number, Told>()
  private readonly stale = new Set<number>()
  /** It has answered since it was started: its code is loaded. */
  isWarm = false

  constructor(options: ThreadOptions, logs: EntryLogs = new Map()) {
    this.options = options
    this.logs = logs
  }

  get isBusy(): boolean {
    return this.search !== undefined
  }

  /**
   * `findRoute` on the snapshot's graph, while the thread is not busy.
   *
   * @throws RoutingError `SEARCH_OVERRAN`, `THREAD_ENDED`, and what the search itself throws
   */
  async findRoute(snapshot: Snapshot, request: RouteRequest | ExactOutputRequest): Promise<RouteResult> {
    const worker = this.start()
    const answer = new Promise<Answer>((resolve, reject) => {
      this.search = { resolve, reject, timer: undefined }
    })
    // It may be rejected while pools are still being sent.
    answer.catch(() => {})
    const search = this.search!
    worker.ref()
    this.endAfter(PREPARING_MS)
    try {
      const { chainId, block } = snapshot
      const told = this.told.get(chainId) ?? { pools: PoolMap.empty, terms: new Map() }
      this.told.set(chainId, told)
      await this.sendChanges(worker, told, snapshot)
      const shared = sendShared(worker, told, chainId, request)
      post(worker, { do: 'find', chainId, block, request: ownTerms(request), shared })
      return fromPlain(await answer, snapshot.pools)
    } finally {
      clearTimeout(search.timer)
      worker.unref()
      this.search = undefined
      this.forgetStale()
    }
  }

  /** Frees what the thread holds of a chain, once it is not busy. */
  forget(chainId: number): void {
    this.stale.add(chainId)
    if (!this.isBusy) this.forgetStale()
  }

  /** A search that is running fails. */
  async close(): Promise<void> {
    const { worker } = this
    if (worker) this.end(worker, new RoutingError('THREAD_ENDED', 'the routing threads are closed'))
    await worker?.terminate()
  }

  private start(): Worker {
    if (this.worker) return this.worker
    const { memoryMb, entry = new URL('./worker.ts', import.meta.url) } = this.options
    const worker = new Worker(entry, { resourceLimits: { maxOldGenerationSizeMb: memoryMb } })
    this.worker = worker
    worker.unref()
    const ended = (cause?: Error) =>
      this.end(worker, new RoutingError('THREAD_ENDED', 'the routing thread has ended', { cause }))
    worker.on('message', (message: FromThread) => {
      if (this.worker !== worker) return
      if ('begun' in message) this.endAfter(this.options.timeoutMs)
      else {
        this.isWarm = true
        this.search?.resolve(message)
      }
    })
    worker.on('error', ended)
    worker.on('exit', () => ended())
    return worker
  }

  private end(worker: Worker, error: RoutingError): void {
    if (this.worker !== worker) return
    this.worker = undefined
    this.isWarm = false
    this.told = new Map()
    this.stale.clear()
    this.search?.reject(error)
  }

  /** Ends the thread unless the search is done by then. */
  private endAfter(ms: number): void {
    const { search, worker } = this
    if (!search || !worker) return
    clearTimeout(search.timer)
    const timer = setTimeout(async () => {
      // Where it was the process that was held up, the answer may be there, unread.
      for (let turn = 0; turn < 2; turn++) await nextTurn()
      if (search.timer !== timer || this.search !== search || this.worker !== worker) return
      this.end(worker, new RoutingError('SEARCH_OVERRAN', `the search took longer than ${ms} ms`))
      await worker.terminate()
    }, ms)
    search.timer = timer
  }

  private async sendChanges(worker: Worker, told: Told, { chainId, pools }: Snapshot): Promise<void> {
    if (told.pools === pools) return
    const log = this.logs.get(chainId) ?? new EntryLog()
    this.logs.set(chainId, log)
    const entries = log.between(told.pools, pools)
    if (entries) {
      post(worker, { do: 'follow', chainId, entries })
      told.pools = pools
      return
    }
    let changed: Pool[] = []
    const send = async () => {
      post(worker, { do: 'change', chainId, changed, gone: [] })
      changed = []
      await nextTurn()
    }
    for (const step of poolChangeSteps(told.pools, pools)) {
      if (step.gone.length > 0) post(worker, { do: 'change', chainId, changed: [], gone: step.gone })
      for (const pool of step.changed) {
        changed.push(pool)
        if (changed.length === BATCH) await send()
      }
      if (this.worker !== worker) return
    }
    if (changed.length > 0) post(worker, { do: 'change', chainId, changed, gone: [] })
    told.pools = pools
  }

  private forgetStale(): void {
    for (const chainId of this.stale)
      if (this.told.delete(chainId) && this.worker) post(this.worker, { do: 'forget', chainId })
    this.stale.clear()
  }
}

/** Sends those that are others than before, and returns the names of all. */
function sendShared(
  worker: Worker,
  { terms: known }: Told,
  chainId: number,
  request: RouteRequest | ExactOutputRequest,
): readonly string[] {
  const shared = sharedTerms(request)
  for (const [name, terms] of shared) {
    const [value] = Object.values(terms)
    if (known.get(name) === value) continue
    post(worker, { do: 'share', chainId, name, terms })
    known.set(name, value)
  }
  return [...shared.keys()]
}

function post(worker: Worker, message: ToThread): void {
  worker.postMessage(message)
}
