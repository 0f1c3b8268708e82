/** A worker thread that runs searches one after the other and can be terminated during one. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { type Pool, PoolMap, poolChangeSteps, type Snapshot } from '@sluice/liquidity'
import { RoutingError } from '../errors.ts'
import type { ExactOutputRequest, RouteRequest, RouteResult } from '../types.ts'
import { EntryLog } from './entry-log.ts'
import { type FromThread, fromPlain, sharedTerms, type ToThread, withoutSharedTerms } from './messages.ts'

/** Pools per message. Copying this many pools takes about 0.5 ms on the main thread. */
const POOLS_PER_MESSAGE = 250
/** Timeout for starting the thread, sending all pools, and building the graph, in milliseconds. */
const PREPARE_TIMEOUT_MS = 30_000

export type ThreadOptions = {
  /**
   * Timeout of a search in milliseconds. It ends only faulty searches, since the work budget ends a search much
   * earlier.
   */
  readonly timeoutMs: number
  /** Memory limit of one thread in megabytes. */
  readonly memoryMb: number
  /** Replaces the thread's module in tests. */
  readonly entryModule?: URL
}

/** Entry logs by chain id, shared by all threads of a process. */
export type EntryLogs = Map<number, EntryLog>

type SearchMessage = Exclude<FromThread, { prepared: true }>
/** State of a chain as it was sent to the thread. */
type ThreadState = {
  pools: Snapshot['pools']
  /** Shared terms by name; compared by identity. */
  readonly terms: Map<string, unknown>
  /** Hash of the block whose graph the thread will have at its next search; undefined if it must build one. */
  graphBlockHash?: string | undefined
}
/** A search that was given to the thread. */
type Search = {
  /** True if the search is expected to take a few milliseconds. */
  readonly isShort: boolean
  /** True if the search was posted to the worker, or is being posted. */
  isSent: boolean
  /** True if the thread will have the graph when it reaches this search. */
  isPrepared: boolean
  /** Called with null if the search is handed back to the caller before it began. */
  readonly resolve: (answer: SearchMessage | null) => void
  readonly reject: (error: Error) => void
}

/** Maximum number of short searches in a thread, running and queued. The queue avoids pauses between searches. */
const MAX_QUEUED_SEARCHES = 4
/**
 * Milliseconds after which a search counts as slow, and the searches queued behind it are handed back to the caller.
 */
const SLOW_MS = 250

/**
 * A worker thread that mirrors the pools of each chain. Before a search, it receives the difference to the search's
 * snapshot. So a new block costs only its changes, and a search of an earlier block also works. The first search starts
 * the worker. If the worker has ended, the next search starts a new one.
 */
export class RouterThread {
  private readonly options: ThreadOptions
  private readonly entryLogs: EntryLogs
  private worker: Worker | undefined
  /** The running search, then the queued ones. Results arrive in this order. */
  private searches: Search[] = []
  private terminationTimer: NodeJS.Timeout | undefined
  /** Resolves when all earlier messages have been posted. */
  private lastPost: Promise<void> = Promise.resolve()
  private stateByChain = new Map<number, ThreadState>()
  private readonly onChange: () => void
  private slowTimer: NodeJS.Timeout | undefined
  /** True after the first result: the thread's code is loaded. */
  isWarm = false
  /** True if the running search has taken more than `SLOW_MS`. */
  isSlow = false

  /** @param onChange - called when a search ends, and when the running one turns out to be slow */
  constructor(options: ThreadOptions, logs: EntryLogs = new Map(), onChange = () => {}) {
    this.options = options
    this.entryLogs = logs
    this.onChange = onChange
  }

  /** Number of running and queued searches. */
  get searchCount(): number {
    return this.searches.length
  }

  get isBusy(): boolean {
    return this.searchCount > 0
  }

  /** True if another short search may be queued. */
  get hasRoom(): boolean {
    return (
      this.isWarm &&
      !this.isSlow &&
      this.searchCount < MAX_QUEUED_SEARCHES &&
      this.searches.every(({ isShort }) => isShort)
    )
  }

  /**
   * Runs `findRoute` on the snapshot's graph, after the searches that are queued already. Returns null if the search
   * did not begin, because an earlier search is slow or ended the thread.
   *
   * @param isShort - true if the search is expected to take a few milliseconds
   * @throws RoutingError `SEARCH_OVERRAN`, `THREAD_ENDED`, and errors of the search itself
   */
  async findRoute(
    snapshot: Snapshot,
    request: RouteRequest | ExactOutputRequest,
    isShort = false,
  ): Promise<RouteResult | null> {
    const worker = this.start()
    const { promise, ...callbacks } = Promise.withResolvers<SearchMessage | null>()
    const search: Search = { isShort, isSent: false, isPrepared: false, ...callbacks }
    this.searches.push(search)
    worker.ref()
    if (this.searchCount === 1) this.startTimers()
    const send = async () => {
      if (!this.searches.includes(search)) return
      search.isSent = true
      search.isPrepared = await this.sendSearch(worker, snapshot, request)
      if (search.isPrepared && search === this.searches[0]) this.terminateAfter(this.options.timeoutMs)
    }
    this.postInOrder(send).catch((error) => {
      search.reject(error)
      this.remove(search)
    })
    const answer = await promise
    return answer && fromPlain(answer, snapshot.pools)
  }

  /** Frees the thread's memory of a chain, after the queued searches. */
  forget(chainId: number): void {
    void this.postInOrder(() => {
      if (this.stateByChain.delete(chainId) && this.worker) post(this.worker, { do: 'forget', chainId })
    })
  }

  /** Terminates the thread; running searches fail. */
  async close(): Promise<void> {
    const { worker } = this
    if (worker) this.handleEnd(worker, new RoutingError('THREAD_ENDED', 'the routing threads are closed'))
    await worker?.terminate()
  }

  private start(): Worker {
    if (this.worker) return this.worker
    const { memoryMb, entryModule = new URL('./worker.ts', import.meta.url) } = this.options
    const worker = new Worker(entryModule, { resourceLimits: { maxOldGenerationSizeMb: memoryMb } })
    this.worker = worker
    worker.unref()
    const onEnd = (cause?: Error) =>
      this.handleEnd(worker, new RoutingError('THREAD_ENDED', 'the routing thread has ended', { cause }))
    worker.on('message', (message: FromThread) => {
      if (this.worker !== worker) return
      if ('prepared' in message) this.terminateAfter(this.options.timeoutMs)
      else {
        this.isWarm = true
        this.resolveFirst(message)
      }
    })
    worker.on('error', onEnd)
    worker.on('exit', () => onEnd())
    return worker
  }

  private handleEnd(worker: Worker, error: RoutingError): void {
    if (this.worker !== worker) return
    this.worker = undefined
    this.isWarm = false
    this.stateByChain = new Map()
    this.handBack()
    this.searches[0]?.reject(error)
    this.searches = []
    this.startTimers()
    this.onChange()
  }

  private resolveFirst(answer: SearchMessage): void {
    const [search] = this.searches
    if (!search) return
    search.resolve(answer)
    this.remove(search)
  }

  private remove(search: Search): void {
    const wasFirst = search === this.searches[0]
    this.searches = this.searches.filter((other) => other !== search)
    if (wasFirst) this.startTimers()
    this.onChange()
  }

  /** Starts the timers of the first search, if there is one. */
  private startTimers(): void {
    const [search] = this.searches
    this.isSlow = false
    clearTimeout(this.terminationTimer)
    clearTimeout(this.slowTimer)
    if (search) {
      this.terminateAfter(search.isPrepared ? this.options.timeoutMs : PREPARE_TIMEOUT_MS)
      this.slowTimer = setTimeout(async () => {
        await deliverPendingMessages()
        if (search !== this.searches[0]) return
        this.isSlow = true
        this.handBack()
        this.onChange()
      }, SLOW_MS)
    } else this.worker?.unref()
  }

  /**
   * Hands back all searches except the first, in reverse order, since the caller puts each at the front of its queue.
   * Those that were sent stay in the list until the worker answers.
   */
  private handBack(): void {
    for (const { resolve } of this.searches.slice(1).reverse()) resolve(null)
    this.searches = this.searches.filter(({ isSent }, k) => k === 0 || isSent)
  }

  /**
   * Runs a function that posts messages, once all earlier messages have been posted. With many pools, posting takes
   * several turns of the event loop.
   */
  private postInOrder(send: () => Promise<void> | void): Promise<void> {
    const posted = this.lastPost.then(send)
    this.lastPost = posted.catch(() => {})
    return posted
  }

  /** @returns true if the thread will have the graph when it reaches the search */
  private async sendSearch(
    worker: Worker,
    snapshot: Snapshot,
    request: RouteRequest | ExactOutputRequest,
  ): Promise<boolean> {
    const { chainId, block } = snapshot
    const state: ThreadState = this.stateByChain.get(chainId) ?? { pools: PoolMap.empty, terms: new Map() }
    this.stateByChain.set(chainId, state)
    await this.sendChanges(worker, state, snapshot)
    const sharedNames = sendShared(worker, state, chainId, request)
    post(worker, { do: 'find', chainId, block, request: withoutSharedTerms(request), sharedNames })
    const isPrepared = state.graphBlockHash === block.hash
    state.graphBlockHash = block.hash
    return isPrepared
  }

  /** Terminates the thread if the search takes longer. */
  private terminateAfter(ms: number): void {
    const { worker } = this
    if (!worker) return
    clearTimeout(this.terminationTimer)
    const timer = setTimeout(async () => {
      await deliverPendingMessages()
      if (this.terminationTimer !== timer || !this.isBusy || this.worker !== worker) return
      this.handleEnd(worker, new RoutingError('SEARCH_OVERRAN', `the search took longer than ${ms} ms`))
      await worker.terminate()
    }, ms)
    this.terminationTimer = timer
  }

  private async sendChanges(worker: Worker, state: ThreadState, { chainId, pools }: Snapshot): Promise<void> {
    if (state.pools === pools) return
    state.graphBlockHash = undefined
    const log = this.entryLogs.get(chainId) ?? new EntryLog()
    this.entryLogs.set(chainId, log)
    const entries = log.between(state.pools, pools)
    if (entries) {
      post(worker, { do: 'follow', chainId, entries })
      state.pools = pools
      return
    }
    let changedPools: Pool[] = []
    const send = async () => {
      post(worker, { do: 'change', chainId, changedPools, goneIds: [] })
      changedPools = []
      await nextTurn()
    }
    for (const step of poolChangeSteps(state.pools, pools)) {
      if (step.goneIds.length > 0) post(worker, { do: 'change', chainId, changedPools: [], goneIds: step.goneIds })
      for (const pool of step.changedPools) {
        changedPools.push(pool)
        if (changedPools.length === POOLS_PER_MESSAGE) await send()
      }
      if (this.worker !== worker) return
    }
    if (changedPools.length > 0) post(worker, { do: 'change', chainId, changedPools, goneIds: [] })
    state.pools = pools
  }
}

/** Lets the event loop deliver results that arrived while the process was blocked. */
async function deliverPendingMessages(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await nextTurn()
}

/**
 * Sends the shared terms of a request that changed since they were last sent. Returns the names of all shared terms of
 * the request.
 */
function sendShared(
  worker: Worker,
  { terms: sentTerms }: ThreadState,
  chainId: number,
  request: RouteRequest | ExactOutputRequest,
): readonly string[] {
  const shared = sharedTerms(request)
  for (const [name, terms] of shared) {
    const [value] = Object.values(terms)
    if (sentTerms.get(name) === value) continue
    post(worker, { do: 'share', chainId, name, terms })
    sentTerms.set(name, value)
  }
  return [...shared.keys()]
}

function post(worker: Worker, message: ToThread): void {
  worker.postMessage(message)
}
