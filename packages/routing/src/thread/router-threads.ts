/** Several threads and the searches that wait for one. */
import type { Snapshot } from '@sluice/liquidity'
import { onAbort } from '@sluice/rpc'
import { RoutingError } from '../errors.ts'
import type { ExactOutputRequest, RouteRequest, RouteResult } from '../types.ts'
import { type EntryLogs, NotBegun, RouterThread, type ThreadOptions } from './router-thread.ts'

export type ThreadsOptions = Partial<ThreadOptions> & {
  /** Threads that search at once; above 0. */
  readonly count: number
}

const DEFAULTS: ThreadOptions = { timeoutMs: 2_000, memoryMb: 2_048 }
/** Milliseconds after which those that wait need not wait for a search any longer: one more thread serves them. */
const SLOW_MS = 250

type Waiting = {
  readonly isShort: boolean
  /** @throws NotBegun */
  readonly run: (thread: RouterThread) => Promise<void>
  readonly reject: (error: Error) => void
}

/**
 * A search waits here until a thread is free, or has few short ones before it; what a thread has not begun goes to another one
 * where it has to be ended, or takes long. Each thread starts, and takes its share of memory, only when those before it are
 * busy.
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

  /** The thread that the next short search would go to at once: one that has answered before, one that has not; null where there is none. */
  get free(): 'warm' | 'cold' | null {
    if (this.waiting.length > 0) return null
    const thread = this.threadFor({ isShort: true })
    return thread && (thread.isWarm ? 'warm' : 'cold')
  }

  /**
   * `findRoute` on the snapshot's graph, in the first thread that is free.
   *
   * @param signal - takes it out of those that wait; a search that has gone to a thread goes on
   * @param isShort - it takes a few milliseconds at most, and may stand behind others that do
   * @throws RoutingError `SEARCH_OVERRAN`, `THREAD_ENDED`, and what the search itself throws
   */
  findRoute(
    snapshot: Snapshot,
    request: RouteRequest | ExactOutputRequest,
    signal?: AbortSignal,
    isShort = false,
  ): Promise<RouteResult> {
    return new Promise((resolve, reject) => {
      if (this.closed) return reject(closedError())
      if (signal?.aborted) return reject(signal.reason)
      const giveUp = () => {
        this.waiting = this.waiting.filter((other) => other !== search)
        reject(signal?.reason)
      }
      const search: Waiting = {
        isShort,
        run: (thread) => {
          detach()
          return thread.findRoute(snapshot, request, isShort).then(resolve, (error) => {
            if (error instanceof NotBegun) throw error
            reject(error)
          })
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
    for (let search = this.waiting[0]; search; search = this.waiting[0]) {
      const thread = this.threadFor(search)
      if (!thread) return
      this.waiting.shift()
      void this.runIn(thread, search)
    }
  }

  private threadFor({ isShort }: Pick<Waiting, 'isShort'>): RouterThread | null {
    const busy = this.threads.filter(({ isBusy }) => isBusy)
    const isLess = busy.length < this.count + Math.min(1, this.slow)
    const idle = isLess && this.threads.find(({ isBusy }) => !isBusy)
    return idle || (isShort && busy.find(({ hasRoom }) => hasRoom)) || null
  }

  private async runIn(thread: RouterThread, search: Waiting): Promise<void> {
    let isSlow = false
    const timer = setTimeout(() => {
      isSlow = true
      this.slow++
      thread.giveBack()
      this.assign()
    }, SLOW_MS)
    try {
      await search.run(thread)
    } catch {
      // Not begun.
      if (this.closed) search.reject(closedError())
      else this.waiting.unshift(search)
    }
    clearTimeout(timer)
    if (isSlow) this.slow--
    this.assign()
  }
}

const closedError = () => new RoutingError('THREAD_ENDED', 'the routing threads are closed')
