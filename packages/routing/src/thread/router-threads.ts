/** Several threads and the searches that wait for one. */
import type { Snapshot } from '@sluice/liquidity'
import { onAbort } from '@sluice/rpc'
import { RoutingError } from '../errors.ts'
import type { ExactOutputRequest, RouteRequest, RouteResult } from '../types.ts'
import { type EntryLogs, RouterThread, type ThreadOptions } from './router-thread.ts'

export type ThreadsOptions = Partial<ThreadOptions> & {
  /** Threads that search at once; above 0. */
  readonly count: number
}

const DEFAULTS: ThreadOptions = { timeoutMs: 2_000, memoryMb: 2_048 }
/** Milliseconds after which those that wait need not wait for a search any longer: one more thread serves them. */
const SLOW_MS = 250

type Waiting = { readonly run: (thread: RouterThread) => Promise<void>; readonly reject: (error: Error) => void }

/**
 * A search waits here until a thread is free, so that a thread that has to be ended takes no search with it but the one that
 * it was at. Each thread starts, and takes its share of memory, only when those before it are busy.
 */
export class RouterThreads {
  private readonly threads: readonly RouterThread[]
  private readonly count: number
  private readonly logs: EntryLogs = new Map()
  private waiting: Waiting[] = []
  private slow = 0
  private closed = false

  constructor({ count, ...options }: ThreadsOptions) {
    this.count = count
    this.threads = Array.from({ length: count + 1 }, () => new RouterThread({ ...DEFAULTS, ...options }, this.logs))
  }

  /** Searches that wait for a thread. */
  get queued(): number {
    return this.waiting.length
  }

  /** The thread that the next search would begin in at once: one that has answered before, one that has not; null where none is free. */
  get free(): 'warm' | 'cold' | null {
    if (this.waiting.length > 0 || this.threads.filter(({ isBusy }) => isBusy).length >= this.count) return null
    return this.threads.find(({ isBusy }) => !isBusy)!.isWarm ? 'warm' : 'cold'
  }

  /**
   * `findRoute` on the snapshot's graph, in the first thread that is free.
   *
   * @param signal - takes it out of those that wait; a search that has begun goes on
   * @throws RoutingError `SEARCH_OVERRAN`, `THREAD_ENDED`, and what the search itself throws
   */
  findRoute(
    snapshot: Snapshot,
    request: RouteRequest | ExactOutputRequest,
    signal?: AbortSignal,
  ): Promise<RouteResult> {
    return new Promise((resolve, reject) => {
      if (this.closed) return reject(closedError())
      if (signal?.aborted) return reject(signal.reason)
      const giveUp = () => {
        this.waiting = this.waiting.filter((other) => other !== search)
        reject(signal?.reason)
      }
      const search: Waiting = {
        run: (thread) => {
          detach()
          return thread.findRoute(snapshot, request).then(resolve, reject)
        },
        reject: (error) => {
          detach()
          reject(error)
        },
      }
      const detach = onAbort(signal, giveUp)
      this.waiting.push(search)
      this.assign()
    })
  }

  forget(chainId: number): void {
    this.logs.delete(chainId)
    for (const thread of this.threads) thread.forget(chainId)
  }

  /** Searches that are running or waiting fail. */
  async close(): Promise<void> {
    this.closed = true
    for (const { reject } of this.waiting) reject(closedError())
    this.waiting = []
    await Promise.all(this.threads.map((thread) => thread.close()))
  }

  private assign(): void {
    const busy = this.threads.filter(({ isBusy }) => isBusy).length
    for (let room = this.count + Math.min(1, this.slow) - busy; room > 0 && this.waiting.length > 0; room--)
      void this.runIn(this.threads.find(({ isBusy }) => !isBusy)!, this.waiting.shift()!)
  }

  private async runIn(thread: RouterThread, search: Waiting): Promise<void> {
    let isSlow = false
    const timer = setTimeout(() => {
      isSlow = true
      this.slow++
      this.assign()
    }, SLOW_MS)
    await search.run(thread)
    clearTimeout(timer)
    if (isSlow) this.slow--
    this.assign()
  }
}

const closedError = () => new RoutingError('THREAD_ENDED', 'the routing threads are closed')
