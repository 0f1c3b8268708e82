/** A pool of routing threads, with a queue of waiting searches. */
import type { Snapshot } from '@sluice/liquidity'
import { onAbort } from '@sluice/rpc'
import { RoutingError } from '../errors.ts'
import type { ExactOutputRequest, RouteRequest, RouteResult } from '../types.ts'
import { type EntryLogs, RouterThread, type ThreadOptions } from './router-thread.ts'

/** Options of a pool of routing threads. */
export type ThreadsOptions = Partial<ThreadOptions> & {
  /** Maximum number of concurrent threads; greater than 0. */
  readonly count: number
}

const DEFAULTS: ThreadOptions = { timeoutMs: 5_000, memoryMb: 2_048 }

type QueuedSearch = {
  readonly isShort: boolean
  /** Runs the search in a thread. Resolves with false if the thread hands it back. */
  readonly run: (thread: RouterThread) => Promise<boolean>
  readonly reject: (error: Error) => void
}

/**
 * Assigns searches to threads; queues them while no thread is free. A thread is free if it is idle; for a short search,
 * also if it has only a few short searches. If a thread is slow or must be terminated, the searches that it did not
 * begin go back to the queue. A thread starts, and takes memory, only when all earlier threads are busy.
 */
export class RouterThreads {
  private readonly threads: readonly RouterThread[]
  private readonly maxThreads: number
  private readonly logs: EntryLogs = new Map()
  private waitingSearches: QueuedSearch[] = []
  private isClosed = false

  constructor({ count, ...options }: ThreadsOptions) {
    this.maxThreads = count
    const allOptions = { ...DEFAULTS, ...options }
    // The additional thread is used only while another thread is slow.
    this.threads = Array.from(
      { length: count + 1 },
      () => new RouterThread(allOptions, this.logs, () => this.assignSearches()),
    )
  }

  /** Number of searches that wait for a thread. */
  get queuedCount(): number {
    return this.waitingSearches.length
  }

  /**
   * State of the thread that would run a short search now: `warm` if it has completed a search before, else `cold`;
   * null if no thread is free.
   */
  get freeThreadState(): 'warm' | 'cold' | null {
    if (this.waitingSearches.length > 0) return null
    const thread = this.threadFor({ isShort: true }, this.maxThreads)
    return thread && (thread.isWarm ? 'warm' : 'cold')
  }

  /**
   * Runs `findRoute` on the snapshot's graph in the first free thread.
   *
   * @param signal - if aborted, removes the search from the queue; a search that a thread has received continues
   * @param isShort - true if the search is expected to take a few milliseconds; it may then be queued in a thread
   * @throws RoutingError `SEARCH_OVERRAN`, `THREAD_ENDED`, and errors of the search itself
   */
  findRoute(
    snapshot: Snapshot,
    request: RouteRequest | ExactOutputRequest,
    signal?: AbortSignal,
    isShort = false,
  ): Promise<RouteResult> {
    return new Promise((resolve, reject) => {
      if (this.isClosed) return reject(closedError())
      if (signal?.aborted) return reject(signal.reason)
      const abandon = () => {
        this.waitingSearches = this.waitingSearches.filter((other) => other !== search)
        reject(signal?.reason)
        this.assignSearches()
      }
      let removeAbortListener = onAbort(signal, abandon)
      const search: QueuedSearch = {
        isShort,
        run: async (thread) => {
          removeAbortListener()
          try {
            const result = await thread.findRoute(snapshot, request, isShort)
            if (result) resolve(result)
            else if (signal?.aborted) reject(signal.reason)
            else {
              removeAbortListener = onAbort(signal, abandon)
              return false
            }
          } catch (error) {
            reject(error)
          }
          return true
        },
        reject: (error) => {
          removeAbortListener()
          reject(error)
        },
      }
      this.waitingSearches.push(search)
      this.assignSearches()
    })
  }

  forget(chainId: number): void {
    this.logs.delete(chainId)
    for (const thread of this.threads) thread.forget(chainId)
  }

  /** Terminates all threads; running and waiting searches fail. */
  async close(): Promise<void> {
    this.isClosed = true
    for (const { reject } of this.waitingSearches) reject(closedError())
    this.waitingSearches = []
    await Promise.all(this.threads.map((thread) => thread.close()))
  }

  private assignSearches(): void {
    // While a thread is slow, one more thread may be busy.
    const maxBusyThreads = this.maxThreads + (this.threads.some(({ isSlow }) => isSlow) ? 1 : 0)
    for (let search = this.waitingSearches[0]; search; search = this.waitingSearches[0]) {
      const thread = this.threadFor(search, maxBusyThreads)
      if (!thread) return
      this.waitingSearches.shift()
      void this.runIn(thread, search)
    }
  }

  /** @param maxBusyThreads - maximum number of busy threads */
  private threadFor({ isShort }: Pick<QueuedSearch, 'isShort'>, maxBusyThreads: number): RouterThread | null {
    const busyThreads = this.threads.filter(({ isBusy }) => isBusy)
    const idleThread = busyThreads.length < maxBusyThreads && this.threads.find(({ isBusy }) => !isBusy)
    if (idleThread || !isShort) return idleThread || null
    const threadsWithRoom = busyThreads.filter(({ hasRoom }) => hasRoom)
    return threadsWithRoom.reduce<RouterThread | null>(
      (best, thread) => (best && best.searchCount <= thread.searchCount ? best : thread),
      null,
    )
  }

  private async runIn(thread: RouterThread, search: QueuedSearch): Promise<void> {
    if (await search.run(thread)) return
    if (this.isClosed) return search.reject(closedError())
    this.waitingSearches.unshift(search)
    this.assignSearches()
  }
}

const closedError = () => new RoutingError('THREAD_ENDED', 'the routing threads are closed')
