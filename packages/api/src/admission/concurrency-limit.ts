/** Limits the requests that run at once in the process, by the load of the event loop. */
import { createLoopMeter } from '@sluice/rpc'

/** Measurement window of the event loop in milliseconds; the limit changes at most once per window. */
const WINDOW_MS = 50
/** Event loop utilization above which more concurrent requests would only slow each other down. */
const BUSY_UTILIZATION = 0.95
/**
 * Minimum limit. With fewer requests the process, its threads, and its node go idle between turns. Each wake-up takes
 * as long as a turn.
 */
const MIN_CONCURRENCY = 8
const DECREASE_FACTOR = 0.75
const INCREASE_PER_WINDOW = 2

/**
 * Concurrency limit with additive increase and multiplicative decrease (AIMD). It is at its maximum while the process waits for
 * nodes. If the CPU is the bottleneck, it falls to the number of requests that keep the process busy, so queued requests start
 * sooner.
 */
export class ConcurrencyLimit {
  private limit: number
  private readonly max: number
  private readonly utilization: () => number
  private readonly now: () => number
  private measuredAt: number

  constructor(max: number, utilization = createLoopMeter(), now: () => number = () => performance.now()) {
    this.max = max
    this.limit = max
    this.utilization = utilization
    this.now = now
    this.measuredAt = now()
    utilization()
  }

  /** Current limit. Each read may update it, so read it whenever a task might start. */
  get current(): number {
    const now = this.now()
    const windows = (now - this.measuredAt) / WINDOW_MS
    if (windows >= 1) {
      this.measuredAt = now
      const newLimit =
        this.utilization() >= BUSY_UTILIZATION
          ? this.limit * DECREASE_FACTOR
          : this.limit + INCREASE_PER_WINDOW * Math.floor(windows)
      this.limit = Math.min(this.max, Math.max(MIN_CONCURRENCY, newLimit))
    }
    return Math.floor(this.limit)
  }
}
