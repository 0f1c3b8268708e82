/** A bounded queue for background searches of discovery and of the redemption cache. */
import type { StateCount } from '@sluice/simulation'
import { MarketError } from '../errors.ts'

type Job<T> = { readonly item: T; readonly completion: PromiseWithResolvers<void> }

/** Processes queued items in batches. Rejects new items when the queue is full. */
export class BatchQueue<T> {
  private readonly processItems: (items: readonly T[]) => Promise<void>
  private readonly maxQueued: number
  private readonly batchSize: number
  private readonly queue = new Map<string, Job<T>>()
  private isRunning = false
  private refusedCount = 0

  /** @param batchSize - maximum items per call of `processItems` */
  constructor(processItems: (items: readonly T[]) => Promise<void>, maxQueued: number, batchSize: number) {
    this.processItems = processItems
    this.maxQueued = maxQueued
    this.batchSize = batchSize
  }

  get stateCount(): StateCount {
    return { entries: this.queue.size, evicted: this.refusedCount }
  }

  /**
   * Queues an item; resolves when it has been processed, and rejects if its batch fails. An item that is already queued
   * under `key` is not added again.
   *
   * @throws MarketError `BUSY` if the queue is full
   */
  add(key: string, item: T): Promise<void> {
    const queuedJob = this.queue.get(key)
    if (queuedJob) return queuedJob.completion.promise
    if (this.queue.size >= this.maxQueued) {
      this.refusedCount++
      return Promise.reject(new MarketError('BUSY', 'the queue of token lookups is full'))
    }
    const completion = Promise.withResolvers<void>()
    completion.promise.catch(() => undefined)
    this.queue.set(key, { item, completion })
    if (!this.isRunning) void this.run()
    return completion.promise
  }

  /** Resolves when the queue is empty, regardless of failures. */
  async whenIdle(): Promise<void> {
    while (this.queue.size > 0)
      await Promise.allSettled([...this.queue.values()].map(({ completion }) => completion.promise))
  }

  private async run(): Promise<void> {
    this.isRunning = true
    // Items added in the same tick join one batch.
    await Promise.resolve()
    while (this.queue.size > 0) {
      const jobs = [...this.queue.entries()].slice(0, this.batchSize)
      const { resolve, reject } = combineCompletions(jobs.map(([, { completion }]) => completion))
      await this.processItems(jobs.map(([, { item }]) => item)).then(resolve, reject)
      for (const [key] of jobs) this.queue.delete(key)
    }
    this.isRunning = false
  }
}

function combineCompletions(completions: readonly PromiseWithResolvers<void>[]) {
  return {
    resolve: () => {
      for (const { resolve } of completions) resolve()
    },
    reject: (error: unknown) => {
      for (const { reject } of completions) reject(error)
    },
  }
}
