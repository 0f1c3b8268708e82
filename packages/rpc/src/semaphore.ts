/** Concurrency limiter: runs at most `limit` jobs at a time, in FIFO order. With a limit of 1 it is a mutex. */
export class Semaphore {
  private freeSlots: number
  private readonly waiters: (() => void)[] = []
  private readonly inFlight = new Set<Promise<unknown>>()

  constructor(limit: number) {
    this.freeSlots = limit
  }

  /** Runs a job when a slot is free; never starts it synchronously. */
  run<T>(job: () => Promise<T>): Promise<T> {
    const result = this.waitForSlot().then(async () => {
      try {
        return await job()
      } finally {
        const next = this.waiters.shift()
        if (next) next()
        else this.freeSlots++
      }
    })
    const completion = result.then(
      () => {},
      () => {},
    )
    this.inFlight.add(completion)
    void completion.then(() => this.inFlight.delete(completion))
    return result
  }

  /** Resolves when all jobs that were submitted before have ended. */
  async idle(): Promise<void> {
    await Promise.all(this.inFlight)
  }

  private async waitForSlot(): Promise<void> {
    if (this.freeSlots > 0) this.freeSlots--
    else await new Promise<void>((resolve) => this.waiters.push(resolve))
  }
}
