/**
 * Estimates the cost of a chain's tasks. A cost of 1 ms means: the task alone would occupy all slots of the chain for 1
 * ms. While n tasks run at full load, each is charged 1/n of the elapsed time. So the costs add up to the elapsed time,
 * whether the CPU, the threads, or the node is the bottleneck. Reads no clock: callers pass the time.
 */

/** Cost in milliseconds assumed for a kind of task that was never measured. */
const DEFAULT_COST_MS = 5
/** Weight of the newest measurement in the moving average. */
const NEWEST_WEIGHT = 0.1

/** Clock that divides the elapsed time among the running tasks. */
export class SharedClock {
  private chargedMs = 0
  private lastReadMs = 0
  private runningTasks = 0

  /**
   * Returns the milliseconds charged so far to a task that has run since the clock was created. A task's cost is the
   * value at the end of the task minus the value at its start.
   *
   * @param slots - concurrency limit, by which the elapsed time is divided if fewer tasks run
   */
  read(nowMs: number, slots: number): number {
    this.chargedMs += Math.max(0, nowMs - this.lastReadMs) / Math.max(this.runningTasks, slots)
    this.lastReadMs = nowMs
    return this.chargedMs
  }

  /**
   * Changes the number of running tasks. Call `read` first, so that the time until now is charged to the previous
   * number.
   */
  changeRunning(delta: 1 | -1): void {
    this.runningTasks += delta
  }
}

/** Measured cost of one task. */
export type Measurement = {
  /** Milliseconds charged to the task. */
  readonly chargedMs: number
  /** Milliseconds from the start of the task to its end. */
  readonly durationMs: number
  /** True if all slots were taken at the task's start and end. Only then is the charge a share of the full capacity. */
  readonly wasFull: boolean
}

type LearnedCost = {
  costMs: number
  /** True if `costMs` comes from measurements at full load. */
  isMeasuredFull: boolean
}

/** Moving averages of the cost by kind of task. The caller must bound the number of kinds. */
export class LearnedCosts {
  private readonly costByKind = new Map<string, LearnedCost>()

  costOf(kind: string): number {
    return this.costByKind.get(kind)?.costMs ?? DEFAULT_COST_MS
  }

  learn(kind: string, { chargedMs, durationMs, wasFull }: Measurement): void {
    const estimate = this.costByKind.get(kind)
    if (!estimate) {
      this.costByKind.set(kind, { costMs: chargedMs, isMeasuredFull: wasFull })
      return
    }
    // Below full load, the charge is only a rough estimate. It does not change an average that was measured at full
    // load, except that no task costs more than its own duration.
    const sample = wasFull || !estimate.isMeasuredFull ? chargedMs : Math.min(estimate.costMs, durationMs)
    const weight = wasFull && !estimate.isMeasuredFull ? 1 : NEWEST_WEIGHT
    estimate.costMs += weight * (sample - estimate.costMs)
    estimate.isMeasuredFull ||= wasFull
  }
}
