import { type EventLoopUtilization, performance } from 'node:perf_hooks'

/** Milliseconds over which work is counted. */
const WINDOW_MS = 50
/** Milliseconds in which a request that is let in during a flood should be done. */
const PATIENCE_MS = 30
/** Let in at a time at least. */
const LEAST = 4
/** Part of its time for which the process works when it is itself what is short, and not the node. */
const BUSY = 0.9

/** Part of its time for which the process has worked since it was last asked. */
function loopMeter(): () => number {
  let last: EventLoopUtilization | undefined
  return () => {
    const since = performance.eventLoopUtilization(last)
    last = performance.eventLoopUtilization()
    return since.utilization
  }
}

/**
 * How many requests may be inside while others are turned away. Turning away takes time of the process too, so that those
 * inside take the longer the more come; letting in fewer keeps them fast, and none of the process's time is lost by it. Where
 * the process waits for its node, time is not what is short, and as many may be inside as ever.
 */
export class Pace {
  private allowed = Number.POSITIVE_INFINITY
  private done = 0
  private turnedAway = 0
  private timer: NodeJS.Timeout | undefined
  private readonly utilization: () => number

  constructor(utilization: () => number = loopMeter()) {
    this.utilization = utilization
  }

  get mostInside(): number {
    return this.allowed
  }

  finished(): void {
    this.done++
  }

  refused(): void {
    this.turnedAway++
    if (this.timer) return
    this.utilization()
    this.done = 0
    this.timer = setInterval(() => this.adjust(), WINDOW_MS).unref()
  }

  private adjust(): void {
    const { done, turnedAway } = this
    this.done = 0
    this.turnedAway = 0
    if (turnedAway === 0) {
      clearInterval(this.timer)
      this.timer = undefined
    }
    if (turnedAway === 0 || this.utilization() < BUSY) {
      this.allowed = Number.POSITIVE_INFINITY
      return
    }
    const inTime = Math.max(LEAST, (done * PATIENCE_MS) / WINDOW_MS)
    this.allowed = Number.isFinite(this.allowed) ? (this.allowed + inTime) / 2 : inTime
  }
}
