/** Logs quotes in a file from which they can be replayed. `LiveChain` adds each quote. */
import { RecordFile, type Snapshot } from '@sluice/liquidity'
import type { StateCount } from '@sluice/simulation'
import type { Logger } from '../events.ts'
import type { QuoteRecord } from '../quote/quote-record.ts'
import { encodePart, encodeRecord } from './record.ts'

/** Maximum quotes in the write queue. Quotes beyond this limit are dropped. */
const MAX_WAITING = 1_000
/** Milliseconds between two writes, so that several blocks of a fast chain share one write. */
const WRITE_EVERY_MS = 1_000
/** Milliseconds after a failed write during which quotes are dropped. */
const RETRY_AFTER_MS = 60_000
/** Maximum quotes of a chain in its log. */
const MAX_RECORDS = 20_000

export type QuoteLogOptions = {
  /** Path of an SQLite file, which is created if absent. */
  readonly path: string
  /** Maximum size on disk; the oldest blocks are deleted first. */
  readonly maxBytes: number
}

/** A quote, and its Unix time in milliseconds. */
type QueuedQuote = { readonly record: QuoteRecord; readonly quotedMs: number }

/**
 * Writes quotes to a file, together with the pools of their blocks, so that each quote can be replayed. `add` only
 * queues a quote; a worker thread writes it.
 */
export class QuoteLog {
  private readonly options: QuoteLogOptions
  private readonly log: Pick<Logger, 'warn'>
  private queue = new Map<Snapshot, QueuedQuote[]>()
  private queuedCount = 0
  private droppedCount = 0
  private timer: NodeJS.Timeout | undefined
  private lastWrite: Promise<void> = Promise.resolve()
  private file: RecordFile | undefined
  /** Time of the last failed write (`performance.now()`). */
  private failedAtMs = Number.NEGATIVE_INFINITY

  constructor(options: QuoteLogOptions, log: Pick<Logger, 'warn'>) {
    this.options = options
    this.log = log
  }

  /** Number of queued and of dropped quotes. */
  get counts(): StateCount {
    return { entries: this.queuedCount, evicted: this.droppedCount }
  }

  add(snapshot: Snapshot, record: QuoteRecord, quotedMs = Date.now()): void {
    if (this.queuedCount >= MAX_WAITING || performance.now() - this.failedAtMs < RETRY_AFTER_MS) {
      this.droppedCount++
      return
    }
    this.queuedCount++
    const blockQuotes = this.queue.get(snapshot)
    if (blockQuotes) blockQuotes.push({ record, quotedMs })
    else this.queue.set(snapshot, [{ record, quotedMs }])
    this.timer ??= setTimeout(() => void this.write(), WRITE_EVERY_MS).unref()
  }

  /** Writes the queued quotes. Never rejects; failures are logged. */
  write(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    this.lastWrite = this.lastWrite.then(() => this.writeAll()).catch((error: unknown) => this.onWriteFailed(error))
    return this.lastWrite
  }

  /** Writes the queued quotes and closes the file. Every call resolves only after the file is closed. */
  close(): Promise<void> {
    void this.write()
    this.lastWrite = this.lastWrite.then(() => this.closeFile()).catch((error: unknown) => this.onWriteFailed(error))
    return this.lastWrite
  }

  private async closeFile(): Promise<void> {
    const { file } = this
    this.file = undefined
    this.failedAtMs = Number.NEGATIVE_INFINITY
    await file?.close()
  }

  private async writeAll(): Promise<void> {
    const { path, maxBytes } = this.options
    for (const [snapshot, quotes] of this.queue) {
      this.queue.delete(snapshot)
      this.queuedCount -= quotes.length
      this.file ??= await RecordFile.open(path, { records: MAX_RECORDS, bytes: maxBytes })
      const sharedParts = quotes.flatMap(({ record: { searchRequest } }) => [
        ...[searchRequest.trust, searchRequest.taxes, searchRequest.driftPenalties, searchRequest.learnedGas],
      ])
      const encodedParts = [...new Set(sharedParts)].flatMap((part) => (part ? [encodePart(part)] : []))
      const records = quotes.map(({ record, quotedMs }) => ({
        id: record.quote.id,
        text: encodeRecord(record, quotedMs),
      }))
      await this.file.append(snapshot, { records, sharedTexts: encodedParts })
    }
  }

  private async onWriteFailed(error: unknown): Promise<void> {
    const { file } = this
    // Open the file again at the next write, because the worker thread that holds the file may have ended.
    this.file = undefined
    this.failedAtMs = performance.now()
    this.queue.clear()
    this.queuedCount = 0
    this.log.warn({ err: error, path: this.options.path }, 'failed to write the quote log')
    await file?.close().catch(() => undefined)
  }
}
