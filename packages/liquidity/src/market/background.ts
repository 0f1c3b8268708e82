import type { StateCount } from '@sluice/simulation'
import { MarketError } from '../errors.ts'

type Job<T> = { readonly item: T; readonly done: PromiseWithResolvers<void> }

/** Work that nobody waits for long, done a few items at a time. A bounded queue: what comes when it is full is turned away. */
export class Background<T> {
  private readonly work: (items: readonly T[]) => Promise<void>
  private readonly most: number
  private readonly atOnce: number
  private readonly queue = new Map<string, Job<T>>()
  private running = false
  private refused = 0

  /** @param atOnce - items of one run of `work` */
  constructor(work: (items: readonly T[]) => Promise<void>, most: number, atOnce: number) {
    this.work = work
    this.most = most
    this.atOnce = atOnce
  }

  get count(): StateCount {
    return { entries: this.queue.size, evicted: this.refused }
  }

  /** Resolves when it has been done; work that waits already is not done twice. @throws MarketError `BUSY` when the queue is full */
  add(key: string, item: T): Promise<void> {
    const waiting = this.queue.get(key)
    if (waiting) return waiting.done.promise
    if (this.queue.size >= this.most) {
      this.refused++
      return Promise.reject(new MarketError('BUSY', 'too many tokens wait to be looked for'))
    }
    const done = Promise.withResolvers<void>()
    done.promise.catch(() => undefined)
    this.queue.set(key, { item, done })
    if (!this.running) void this.run()
    return done.promise
  }

  /** Resolves when nothing waits any more, done or failed. */
  async idle(): Promise<void> {
    while (this.queue.size > 0) await Promise.allSettled([...this.queue.values()].map(({ done }) => done.promise))
  }

  private async run(): Promise<void> {
    this.running = true
    // What is asked for in one tick is one piece of work.
    await Promise.resolve()
    while (this.queue.size > 0) {
      const jobs = [...this.queue.entries()].slice(0, this.atOnce)
      const { resolve, reject } = endOf(jobs.map(([, { done }]) => done))
      await this.work(jobs.map(([, { item }]) => item)).then(resolve, reject)
      for (const [key] of jobs) this.queue.delete(key)
    }
    this.running = false
  }
}

function endOf(all: readonly PromiseWithResolvers<void>[]) {
  return {
    resolve: () => {
      for (const { resolve } of all) resolve()
    },
    reject: (error: unknown) => {
      for (const { reject } of all) reject(error)
    },
  }
}
