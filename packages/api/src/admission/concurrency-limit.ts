/** Limits the number of requests of each chain that run at once, according to the load of the event loop. */
import { createLoopMeter } from '@sluice/rpc'

/** Period over which the event loop's utilization is measured. The limit changes at most once per period. */
const WINDOW_MS = 50
/** Event loop utilization from which on more concurrent requests would only slow each other down. */
const BUSY_UTILIZATION = 0.95
/**
 * Minimum limit. With fewer requests, the process, its threads, and its node would become idle between two steps of a
 * request. Each wake-up takes as long as a step.
 */
const MIN_CONCURRENCY = 8
/** Factor by which the limit falls after a window with a busy event loop. */
const DECREASE_FACTOR = 0.75
/** Number by which the limit rises for each window without a busy event loop. */
const INCREASE_PER_WINDOW = 2

/**
 * Concurrency limit with additive increase and multiplicative decrease (AIMD). While the process mostly waits for
 * nodes, the limit is at its maximum. If the CPU is the bottleneck, it falls to the number of requests that just keep
 * the process busy. Fewer requests then share the CPU, so each takes less time once it has started.
 */
export class ConcurrencyLimit {
  private limit: number
  private readonly max: number
  private readonly measureUtilization: () => number
  private readonly now: () => number
  private measuredAt: number

  constructor(max: number, utilization = createLoopMeter(), now: () => number = () => performance.now()) {
    this.max = max
    this.limit = max
    this.measureUtilization = utilization
    this.now = now
    this.measuredAt = now()
    utilization()
  }

  /** Current limit. It is updated only when it is read, so read it whenever a task might start. */
  get current(): number {
    const now = this.now()
    const windows = (now - this.measuredAt) / WINDOW_MS
    if (windows >= 1) {
      this.measuredAt = now
      const newLimit =
        this.measureUtilization() >= BUSY_UTILIZATION
          ? this.limit * DECREASE_FACTOR
          : this.limit + INCREASE_PER_WINDOW * Math.floor(windows)
      this.limit = Math.min(this.max, Math.max(MIN_CONCURRENCY, newLimit))
    }
    return Math.floor(this.limit)
  }
}
