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

type Waiting = {
  readonly isShort: boolean
  /** False where the thread gives it back. */
  readonly run: (thread: RouterThread) => Promise<boolean>
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
  private closed = false

  constructor({ count, ...options }: ThreadsOptions) {
    this.count = count
    const all = { ...DEFAULTS, ...options }
    this.threads = Array.from({ length: count + 1 }, () => new RouterThread(all, this.logs, () => this.assign()))
  }

  /** Searches that wait for a thread. */
  get queued(): number {
    return this.waiting.length
  }

  /** The thread that the next short search would go to at once: one that has answered before, one that has not; null where there is none. */
  get free(): 'warm' | 'cold' | null {
    if (this.waiting.length > 0) return null
    const thread = this.threadFor({ isShort: true }, this.count)
    return thread && (thread.isWarm ? 'warm' : 'cold')
  }

  /**
   * `findRoute` on the snapshot's graph, in the first thread that is free.
   *
   * @param signal - takes it out of those that wait; a search that has gone to a thread goes on
   * @param isShort - it usually takes a few milliseconds, and may stand behind others that do
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
        this.assign()
      }
      let detach = onAbort(signal, giveUp)
      const search: Waiting = {
        isShort,
        run: async (thread) => {
          detach()
          try {
            const result = await thread.findRoute(snapshot, request, isShort)
            if (result) resolve(result)
            else if (signal?.aborted) reject(signal.reason)
            else {
              detach = onAbort(signal, giveUp)
              return false
            }
          } catch (error) {
            reject(error)
          }
          return true
        },
        reject: (error) => {
          detach()
          reject(error)
        },
      }
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
    // One more than usual, while others take long.
    const most = this.count + (this.threads.some(({ isLate }) => isLate) ? 1 : 0)
    for (let search = this.waiting[0]; search; search = this.waiting[0]) {
      const thread = this.threadFor(search, most)
      if (!thread) return
      this.waiting.shift()
      void this.runIn(thread, search)
    }
  }

  /** @param most - threads that are to be busy at once */
  private threadFor({ isShort }: Pick<Waiting, 'isShort'>, most: number): RouterThread | null {
    const busy = this.threads.filter(({ isBusy }) => isBusy)
    const idle = busy.length < most && this.threads.find(({ isBusy }) => !isBusy)
    if (idle || !isShort) return idle || null
    const room = busy.filter(({ hasRoom }) => hasRoom)
    return room.reduce<RouterThread | null>(
      (least, thread) => (least && least.inHand <= thread.inHand ? least : thread),
      null,
    )
  }

  private async runIn(thread: RouterThread, search: Waiting): Promise<void> {
    if (await search.run(thread)) return
    if (this.closed) return search.reject(closedError())
    this.waiting.unshift(search)
    this.assign()
  }
}

const closedError = () => new RoutingError('THREAD_ENDED', 'the routing threads are closed')
