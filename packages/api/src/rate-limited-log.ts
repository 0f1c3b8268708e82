/** Limits how often equal log lines are written. */
import type { Logger } from 'pino'

/** Minimum time between two equal lines. */
const MIN_INTERVAL_MS = 60_000
/** Maximum number of distinct lines in memory. At this number, the next new line clears the memory. */
const MAX_LINES = 100

/**
 * Logger that writes equal lines at most once a minute. The next written line has the number of suppressed ones
 * (`repeated`).
 */
export class RateLimitedLog {
  private readonly log: Logger
  private readonly now: () => number
  private readonly lineByKey = new Map<string, { writtenAt: number; repeated: number }>()

  constructor(log: Logger, now: () => number = () => performance.now()) {
    this.log = log
    this.now = now
  }

  /**
   * Writes a line unless an equal one was written recently.
   *
   * @param kind - lines with the same text and kind count as equal
   */
  write(level: 'info' | 'warn' | 'error', error: unknown, kind: string, text: string): void {
    const key = `${text} ${kind}`
    const line = this.lineByKey.get(key)
    const now = this.now()
    if (line && now - line.writtenAt < MIN_INTERVAL_MS) {
      line.repeated++
      return
    }
    if (!line && this.lineByKey.size >= MAX_LINES) this.lineByKey.clear()
    this.lineByKey.set(key, { writtenAt: now, repeated: 0 })
    this.log[level]({ err: error, ...(line && line.repeated > 0 && { repeated: line.repeated }) }, text)
  }
}
