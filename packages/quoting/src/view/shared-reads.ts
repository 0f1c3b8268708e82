/** Queue of reads of past blocks. Callers that need the same read share it. `past-blocks.ts` is the caller. */
import { MarketError } from '@sluice/liquidity'
import { abortable, onAbort, Semaphore } from '@sluice/rpc'

/** Maximum reads at a time; a read mostly waits for the node. */
const MAX_CONCURRENT_READS = 2
/** Maximum reads that are queued or in flight: as many as a price chart needs, with a reserve. */
const MAX_PENDING_READS = 80
/** Maximum milliseconds in the queue; a request whose expected wait is longer is rejected at once. */
const MAX_WAIT_MS = 6_000
/** Initial estimate of the duration of a read. */
const INITIAL_READ_MS = 200
/** Weight of the newest read in the moving average of the duration. */
const NEWEST_WEIGHT = 0.2

/** A read in flight, with the number of its callers. */
type SharedRead<T> = { callers: number; readonly result: Promise<T> }

/** Runs the expensive part of a read once a slot is free. @throws MarketError `BUSY` if that takes too long */
export type RunInSlot<T> = (job: () => Promise<T>) => Promise<T>

/** Queue of reads with the same type of result. */
export class SharedReads<T> {
  private readonly slots = new Semaphore(MAX_CONCURRENT_READS)
  private readonly readsByKey = new Map<string, SharedRead<T>>()
  private averageReadMs = INITIAL_READ_MS

  /**
   * Joins the read in flight with the same key, or starts it.
   *
   * @param read - runs its expensive part by `runInSlot`. If all callers abort before a slot is free, that part does not
   *   run. A part that has started continues, since the next request can use its result.
   * @throws MarketError `BUSY` if too many reads are queued
   */
  run(key: string, signal: AbortSignal | undefined, read: (runInSlot: RunInSlot<T>) => Promise<T>): Promise<T> {
    const sharedRead = this.readsByKey.get(key) ?? this.start(key, read)
    sharedRead.callers++
    const stopListening = onAbort(signal, () => sharedRead.callers--)
    return abortable(sharedRead.result, signal).finally(stopListening)
  }

  private start(key: string, read: (runInSlot: RunInSlot<T>) => Promise<T>): SharedRead<T> {
    const { size } = this.readsByKey
    if (size >= MAX_PENDING_READS || (size / MAX_CONCURRENT_READS) * this.averageReadMs > MAX_WAIT_MS) throw busyError()
    const hasCallers = () => sharedRead.callers > 0
    const result = read((job) => this.runInSlot(job, hasCallers)).finally(() => this.readsByKey.delete(key))
    const sharedRead: SharedRead<T> = { callers: 0, result }
    this.readsByKey.set(key, sharedRead)
    result.catch(() => {})
    return sharedRead
  }

  private runInSlot(job: () => Promise<T>, hasCallers: () => boolean): Promise<T> {
    const queuedAt = performance.now()
    return this.slots.run(async () => {
      const startedAt = performance.now()
      if (startedAt - queuedAt > MAX_WAIT_MS || !hasCallers()) throw busyError()
      const result = await job()
      this.averageReadMs += NEWEST_WEIGHT * (performance.now() - startedAt - this.averageReadMs)
      return result
    })
  }
}

const busyError = () => new MarketError('BUSY', 'too many requests for past blocks')
