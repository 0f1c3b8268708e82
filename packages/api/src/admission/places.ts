import { loopMeter } from '@sluice/rpc'

/** Milliseconds over which the process is watched before the number of places changes. */
const WINDOW_MS = 50
/** Part of its time for which the process works when more at once would only make all of it slower. */
const BUSY = 0.95
/**
 * Places at least: with fewer, the process, its threads and its node fall asleep between two of their turns, and waking one takes
 * about as long as a turn does.
 */
const LEAST = 8
const SHRINK = 0.75
const GROW = 2

/**
 * Limit of works that run at once. Where the process waits for nodes, as many as are allowed; where the process itself is short,
 * no more than keep it busy, since among few the next turn comes soon for whoever is next. Additive increase, multiplicative
 * decrease.
 */
export class Places {
  private count: number
  private readonly most: number
  private readonly utilization: () => number
  private readonly now: () => number
  private measuredAt: number

  constructor(most: number, utilization = loopMeter(), now: () => number = () => performance.now()) {
    this.most = most
    this.count = most
    this.utilization = utilization
    this.now = now
    this.measuredAt = now()
    utilization()
  }

  /** As of now: to be asked whenever a work might start. */
  get current(): number {
    const now = this.now()
    const windows = (now - this.measuredAt) / WINDOW_MS
    if (windows >= 1) {
      this.measuredAt = now
      const count = this.utilization() >= BUSY ? this.count * SHRINK : this.count + GROW * Math.floor(windows)
      this.count = Math.min(this.most, Math.max(LEAST, count))
    }
    return Math.floor(this.count)
  }
}
