import { RecordFile, type Snapshot } from '@sluice/liquidity'
import type { StateCount } from '@sluice/simulation'
import type { Log } from '../events.ts'
import type { Made } from '../quote/made.ts'
import { partOf, recordOf } from './record.ts'

/** Quotes that wait to be written; more are left out. */
const MAX_WAITING = 1_000
/** Milliseconds between two writes: blocks of fast chains go together with their quotes. */
const WRITE_EVERY_MS = 1_000
/** Quotes of a chain in its log. */
const MAX_RECORDS = 20_000

export type QuoteLogOptions = {
  /** An SQLite file, made where there is none. */
  readonly path: string
  /** Most that it may take on the disk; the oldest blocks go first. */
  readonly maxBytes: number
}

type Waiting = { readonly made: Made; readonly at: number }

/**
 * The quotes of a chain with the pools that they were made of, in a file: each can be made again. Of a request it keeps nothing
 * up: it takes note, and a thread writes.
 */
export class QuoteLog {
  private readonly options: QuoteLogOptions
  private readonly log: Pick<Log, 'warn'>
  private waiting = new Map<Snapshot, Waiting[]>()
  private count = 0
  private dropped = 0
  private timer: NodeJS.Timeout | undefined
  private writing: Promise<void> = Promise.resolve()
  private file: RecordFile | undefined
  /** It cannot be written, until the chain wakes again. */
  private failed = false

  constructor(options: QuoteLogOptions, log: Pick<Log, 'warn'>) {
    this.options = options
    this.log = log
  }

  /** Entries are those that wait. */
  get counts(): StateCount {
    return { entries: this.count, evicted: this.dropped }
  }

  add(snapshot: Snapshot, made: Made, at = Date.now()): void {
    if (this.count >= MAX_WAITING || this.failed) {
      this.dropped++
      return
    }
    this.count++
    const ofBlock = this.waiting.get(snapshot)
    if (ofBlock) ofBlock.push({ made, at })
    else this.waiting.set(snapshot, [{ made, at }])
    this.timer ??= setTimeout(() => void this.write(), WRITE_EVERY_MS).unref()
  }

  /** Writes what waits. Never fails: lines for operators tell. */
  write(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    this.writing = this.writing.then(() => this.writeAll()).catch((error: unknown) => this.fail(error))
    return this.writing
  }

  /** Writes what waits and closes the file: so does every call before it resolves, also where another one began to. */
  close(): Promise<void> {
    void this.write()
    this.writing = this.writing.then(() => this.closeFile()).catch((error: unknown) => this.fail(error))
    return this.writing
  }

  private async closeFile(): Promise<void> {
    const { file } = this
    this.file = undefined
    this.failed = false
    await file?.close()
  }

  private async writeAll(): Promise<void> {
    const { path, maxBytes } = this.options
    for (const [snapshot, quotes] of this.waiting) {
      this.waiting.delete(snapshot)
      this.count -= quotes.length
      this.file ??= await RecordFile.open(path, { records: MAX_RECORDS, bytes: maxBytes })
      const shared = quotes.flatMap(({ made: { sought } }) => [
        ...[sought.trust, sought.taxes, sought.haircuts, sought.learnedGas],
      ])
      const parts = [...new Set(shared)].flatMap((part) => (part ? [partOf(part)] : []))
      const records = quotes.map(({ made, at }) => ({ id: made.quote.id, text: recordOf(made, at) }))
      await this.file.append(snapshot, { records, parts })
    }
  }

  private fail(error: unknown): void {
    this.failed = true
    this.waiting.clear()
    this.count = 0
    this.log.warn({ err: error, path: this.options.path }, 'quotes cannot be logged')
  }
}
