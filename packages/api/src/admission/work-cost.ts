/**
 * Estimates the cost of tasks in milliseconds of a chain's whole capacity. At full load each of n running tasks is
 * charged 1/n of the elapsed time. So costs add up to that time, whether the CPU, the threads, or the node is the
 * bottleneck. Reads no clock.
 */

/** Assumed cost of a kind of task without a measurement. */
const FIRST_GUESS_MS = 5
/** Weight of the newest measurement in the moving average. */
const NEWEST = 0.1

/** Divides elapsed time among running tasks. */
export class SharedClock {
  private sharedCost = 0
  private last = 0
  private running = 0

  /**
   * Returns the milliseconds charged so far to a task that ran from the beginning. A task's cost is the difference of two reads.
   *
   * @param places - concurrency limit; elapsed time is divided by it if fewer tasks run
   */
  read(now: number, places: number): number {
    this.sharedCost += Math.max(0, now - this.last) / Math.max(this.running, places)
    this.last = now
    return this.sharedCost
  }

  /** Changes the number of running tasks. Call `read` immediately before. */
  change(delta: 1 | -1): void {
    this.running += delta
  }
}

/** Measured cost of one task. */
export type Measurement = {
  /** Milliseconds charged to the task. */
  readonly chargedMs: number
  /** Milliseconds from the start of the task to its end. */
  readonly tookMs: number
  /** True if all slots were taken at the start and at the end. Only then does the charge measure capacity. */
  readonly wasFull: boolean
}

type LearnedCost = { costMs: number; measuredFull: boolean }

/** Moving averages of cost by kind of task. The caller must bound the number of kinds. */
export class LearnedCosts {
  private readonly kinds = new Map<string, LearnedCost>()

  of(kind: string): number {
    return this.kinds.get(kind)?.costMs ?? FIRST_GUESS_MS
  }

  learn(kind: string, { chargedMs, tookMs, wasFull }: Measurement): void {
    const estimate = this.kinds.get(kind)
    if (!estimate) {
      this.kinds.set(kind, { costMs: chargedMs, measuredFull: wasFull })
      return
    }
    // Below full load the charge is a guess, but a task never costs more than its own duration.
    const sample = wasFull || !estimate.measuredFull ? chargedMs : Math.min(estimate.costMs, tookMs)
    const weight = wasFull && !estimate.measuredFull ? 1 : NEWEST
    estimate.costMs += weight * (sample - estimate.costMs)
    estimate.measuredFull ||= wasFull
  }
}
