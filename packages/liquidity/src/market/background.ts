/** A bounded queue for background work. */
import type { StateCount } from '@sluice/simulation'
import { MarketError } from '../errors.ts'

type Job<T> = { readonly item: T; readonly done: PromiseWithResolvers<void> }

/** Processes queued items in batches. Rejects new items when the queue is full. */
export class Background<T> {
  private readonly work: (items: readonly T[]) => Promise<void>
  private readonly maxQueued: number
  private readonly batchSize: number
  private readonly queue = new Map<string, Job<T>>()
  private running = false
  private refusedCount = 0

  /** @param batchSize - items of one run of `work` */
  constructor(work: (items: readonly T[]) => Promise<void>, maxQueued: number, batchSize: number) {
    this.work = work
    this.maxQueued = maxQueued
    this.batchSize = batchSize
  }

  get count(): StateCount {
    return { entries: this.queue.size, evicted: this.refusedCount }
  }

  /**
   * Queues an item; resolves when it has been processed. An item that is already queued under `key` is not added again.
   *
   * @throws MarketError `BUSY` if the queue is full
   */
  add(key: string, item: T): Promise<void> {
    const waiting = this.queue.get(key)
    if (waiting) return waiting.done.promise
    if (this.queue.size >= this.maxQueued) {
      this.refusedCount++
      return Promise.reject(new MarketError('BUSY', 'the queue of token lookups is full'))
    }
    const completion = Promise.withResolvers<void>()
    completion.promise.catch(() => undefined)
    this.queue.set(key, { item, done: completion })
    if (!this.running) void this.run()
    return completion.promise
  }

  /** Resolves when the queue is empty, regardless of failures. */
  async idle(): Promise<void> {
    while (this.queue.size > 0) await Promise.allSettled([...this.queue.values()].map(({ done }) => done.promise))
  }

  private async run(): Promise<void> {
    this.running = true
    // Items added in the same tick join one batch.
    await Promise.resolve()
    while (this.queue.size > 0) {
      const jobs = [...this.queue.entries()].slice(0, this.batchSize)
      const { resolve, reject } = settleAll(jobs.map(([, { done }]) => done))
      await this.work(jobs.map(([, { item }]) => item)).then(resolve, reject)
      for (const [key] of jobs) this.queue.delete(key)
    }
    this.running = false
  }
}

function settleAll(all: readonly PromiseWithResolvers<void>[]) {
  return {
    resolve: () => {
      for (const { resolve } of all) resolve()
    },
    reject: (error: unknown) => {
      for (const { reject } of all) reject(error)
    },
  }
}
