/** Writes a line of log at most once in a while, and with it how often it would have been written. */
import type { Logger } from 'pino'

const EVERY_MS = 60_000
/** Different lines that are remembered. */
const MAX_LINES = 100

export class SeldomLog {
  private readonly log: Logger
  private readonly now: () => number
  private readonly lines = new Map<string, { writtenAt: number; repeated: number }>()

  constructor(log: Logger, now: () => number = Date.now) {
    this.log = log
    this.now = now
  }

  /** @param kind - of errors that count as the same line */
  write(level: 'info' | 'warn' | 'error', error: unknown, kind: string, text: string): void {
    const key = `${text} ${kind}`
    const line = this.lines.get(key)
    const now = this.now()
    if (line && now - line.writtenAt < EVERY_MS) {
      line.repeated++
      return
    }
    if (!line && this.lines.size >= MAX_LINES) this.lines.clear()
    this.lines.set(key, { writtenAt: now, repeated: 0 })
    this.log[level]({ err: error, ...(line && line.repeated > 0 && { repeated: line.repeated }) }, text)
  }
}
