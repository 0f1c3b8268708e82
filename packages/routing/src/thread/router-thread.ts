/** A thread that searches for the process, one request after the other, and that can be ended while it does. */
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

type Answer = Exclude<FromThread, { prepared: true }>
/** A chain as a thread knows it; terms that requests share by their names. */
type Told = {
  pools: Snapshot['pools']
  readonly terms: Map<string, unknown>
  /** Hash of the block whose graph of these pools it has when it comes to the next search; undefined where it has none. */
  graphAt?: string | undefined
}
type Search = {
  readonly isShort: boolean
  isSent: boolean
  /** The thread has its graph when it comes to it. */
  isPrepared: boolean
  /** Null where the search is given back. */
  readonly resolve: (answer: Answer | null) => void
  readonly reject: (error: Error) => void
}

/** Short searches that a thread has in hand, so that it need not wait for the process between two of them. */
const IN_HAND = 4
/** Milliseconds after which those behind a search need not wait for it any longer: they are given back. */
const LATE_MS = 250

/**
 * The thread keeps the pools of each chain and is told, before a search, how those of the search differ: blocks cost what
 * changes in them, and a search of an earlier block is as good as any. It is started by the first search, and anew by the
 * one after its end.
 */
export class RouterThread {
  private readonly options: ThreadOptions
  private readonly logs: EntryLogs
  private worker: Worker | undefined
  /** The one that it is at first, then those behind it: answers come in this order. */
  private searches: Search[] = []
  private timer: NodeJS.Timeout | undefined
  /** All that was to be sent so far. */
  private sent: Promise<void> = Promise.resolve()
  /** The state of each chain that the thread was told. */
  private told = new Map<number, Told>()
  private readonly onChange: () => void
  private lateTimer: NodeJS.Timeout | undefined
  /** It has answered since it was started: its code is loaded. */
  isWarm = false
  /** The search that it is at takes long. */
  isLate = false

  /** @param onChange - called when it has less to do, or turns out to be late */
  constructor(options: ThreadOptions, logs: EntryLogs = new Map(), onChange = () => {}) {
    this.options = options
    this.logs = logs
    this.onChange = onChange
  }

  /** Searches that it has. */
  get inHand(): number {
    return this.searches.length
  }

  get isBusy(): boolean {
    return this.inHand > 0
  }

  /** True where a short search may stand behind those that it has. */
  get hasRoom(): boolean {
    return this.isWarm && !this.isLate && this.inHand < IN_HAND && this.searches.every(({ isShort }) => isShort)
  }

  /**
   * `findRoute` on the snapshot's graph, after the searches that the thread has. Null where it is not begun, since the one before it
   * takes long or has ended the thread.
   *
   * @param isShort - it usually takes a few milliseconds
   * @throws RoutingError `SEARCH_OVERRAN`, `THREAD_ENDED`, and what the search itself throws
   */
  async findRoute(
    snapshot: Snapshot,
    request: RouteRequest | ExactOutputRequest,
    isShort = false,
  ): Promise<RouteResult | null> {
    const worker = this.start()
    const { promise, ...settled } = Promise.withResolvers<Answer | null>()
    const search: Search = { isShort, isSent: false, isPrepared: false, ...settled }
    this.searches.push(search)
    worker.ref()
    if (this.inHand === 1) this.timeFirst()
    const send = async () => {
      if (!this.searches.includes(search)) return
      search.isSent = true
      search.isPrepared = await this.send(worker, snapshot, request)
      if (search.isPrepared && search === this.searches[0]) this.endAfter(this.options.timeoutMs)
    }
    this.inTurn(send).catch((error) => {
      search.reject(error)
      this.remove(search)
    })
    const answer = await promise
    return answer && fromPlain(answer, snapshot.pools)
  }

  /** Frees what the thread holds of a chain, after the searches that it has. */
  forget(chainId: number): void {
    void this.inTurn(() => {
      if (this.told.delete(chainId) && this.worker) post(this.worker, { do: 'forget', chainId })
    })
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
      if ('prepared' in message) this.endAfter(this.options.timeoutMs)
      else {
        this.isWarm = true
        this.answered(message)
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
    this.giveBack()
    this.searches[0]?.reject(error)
    this.searches = []
    this.timeFirst()
    this.onChange()
  }

  private answered(answer: Answer): void {
    const [search] = this.searches
    if (!search) return
    search.resolve(answer)
    this.remove(search)
  }

  private remove(search: Search): void {
    const wasFirst = search === this.searches[0]
    this.searches = this.searches.filter((other) => other !== search)
    if (wasFirst) this.timeFirst()
    this.onChange()
  }

  /** Begins to time the search that is the first now, where there is one. */
  private timeFirst(): void {
    const [search] = this.searches
    this.isLate = false
    clearTimeout(this.timer)
    clearTimeout(this.lateTimer)
    if (search) {
      this.endAfter(search.isPrepared ? this.options.timeoutMs : PREPARING_MS)
      this.lateTimer = setTimeout(async () => {
        await unreadAnswers()
        if (search !== this.searches[0]) return
        this.isLate = true
        this.giveBack()
        this.onChange()
      }, LATE_MS)
    } else this.worker?.unref()
  }

  /** Gives back the searches that it has not begun, the last one first: each goes before all that wait. */
  private giveBack(): void {
    for (const { resolve } of this.searches.slice(1).reverse()) resolve(null)
    this.searches = this.searches.filter(({ isSent }, k) => k === 0 || isSent)
  }

  /** Sends something after all that is being sent, which takes a while where a chain has many pools. */
  private inTurn(send: () => Promise<void> | void): Promise<void> {
    const sent = this.sent.then(send)
    this.sent = sent.catch(() => {})
    return sent
  }

  /** @returns whether the thread has its graph when it comes to it */
  private async send(worker: Worker, snapshot: Snapshot, request: RouteRequest | ExactOutputRequest): Promise<boolean> {
    const { chainId, block } = snapshot
    const told: Told = this.told.get(chainId) ?? { pools: PoolMap.empty, terms: new Map() }
    this.told.set(chainId, told)
    await this.sendChanges(worker, told, snapshot)
    const shared = sendShared(worker, told, chainId, request)
    post(worker, { do: 'find', chainId, block, request: ownTerms(request), shared })
    const isPrepared = told.graphAt === block.hash
    told.graphAt = block.hash
    return isPrepared
  }

  /** Ends the thread unless the search is done by then. */
  private endAfter(ms: number): void {
    const { worker } = this
    if (!worker) return
    clearTimeout(this.timer)
    const timer = setTimeout(async () => {
      await unreadAnswers()
      if (this.timer !== timer || !this.isBusy || this.worker !== worker) return
      this.end(worker, new RoutingError('SEARCH_OVERRAN', `the search took longer than ${ms} ms`))
      await worker.terminate()
    }, ms)
    this.timer = timer
  }

  private async sendChanges(worker: Worker, told: Told, { chainId, pools }: Snapshot): Promise<void> {
    if (told.pools === pools) return
    told.graphAt = undefined
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
}

/** Turns of the event loop in which answers are read that came while the process was held up. */
async function unreadAnswers(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await nextTurn()
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
