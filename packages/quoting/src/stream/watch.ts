/** One quote that is kept up to date for everybody who asks for the same. */
import type { Snapshot } from '@sluice/liquidity'
import type { BlockHeader } from '@sluice/rpc'
import { QuotingError } from '../errors.ts'
import type { Quote } from '../quote/finalize.ts'
import type { QuoteRequest } from '../quote/request.ts'
import { type StreamListener, type StreamUpdate, sameAnswer, sameRoute } from './update.ts'

/** Blocks at which the search alone may say that nothing changed; then the transaction is simulated again. */
const MAX_PEEKS = 4
/** A transaction that is told expires after 20 minutes: it is told anew well before. */
const RETELL_MS = 300_000
/** Failures in a row of what is not the quote's own fault, then the stream ends. */
const MAX_FAILURES = 3

export type WatchOptions = {
  readonly request: QuoteRequest
  readonly quote: (request: QuoteRequest, signal: AbortSignal) => Promise<Quote>
  /** The best route as the search alone sees it. */
  readonly peek: Peek
  /** Waits for a turn: streams leave room for requests. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>
}
type Peek = (request: QuoteRequest, gasPriceWei: bigint, signal: AbortSignal) => Promise<Quote['route'] | undefined>

export class Watch {
  private readonly options: WatchOptions
  private readonly listeners = new Set<StreamListener>()
  private readonly stopped = new AbortController()
  private readonly firstSaid = Promise.withResolvers<void>()
  private last: Quote | QuotingError | undefined
  private toldAt = 0
  private peeks = 0
  private failures = 0
  /** The newest block that has not been looked at, and whether pools changed since the last look. */
  private due: { readonly block: BlockHeader; readonly changed: boolean } | undefined
  private isRunning = false
  /** Block that was told of last: its hash, or its number where that is all that is known. */
  private told: string | number | undefined
  private block: string | undefined

  constructor(options: WatchOptions) {
    this.options = options
    void this.run()
  }

  get size(): number {
    return this.listeners.size
  }

  get hasEnded(): boolean {
    return this.stopped.signal.aborted
  }

  /** Resolves when there is an answer, a refusal or an end. */
  get first(): Promise<void> {
    return this.firstSaid.promise
  }

  /** A later listener is told at once what stands. */
  add(listener: StreamListener): void {
    this.listeners.add(listener)
    if (this.last) listener(this.standing(this.last))
  }

  remove(listener: StreamListener): void {
    this.listeners.delete(listener)
  }

  /** A snapshot of a new block, or one with more pools of the same, which the next block tells of. */
  observe({ block, changed }: Snapshot): void {
    if (block.hash === this.block) {
      if (this.due && changed?.length !== 0) this.due = { ...this.due, changed: true }
      return
    }
    this.block = block.hash
    this.due = { block, changed: this.due?.changed === true || changed === null || changed.length > 0 }
    void this.run()
  }

  stop(): void {
    this.stopped.abort()
    this.firstSaid.resolve()
  }

  private standing(last: Quote | QuotingError): StreamUpdate {
    return last instanceof QuotingError
      ? { kind: 'refused', error: last, block: undefined }
      : { kind: 'quote', quote: last }
  }

  /** At one block at a time; those that come meanwhile are passed over but for the last. */
  private async run(): Promise<void> {
    if (this.isRunning) return
    this.isRunning = true
    try {
      do {
        await this.options.inTurn(async () => {
          const { due } = this
          this.due = undefined
          if (!this.stopped.signal.aborted) await this.look(due)
        })
      } while (this.due && !this.stopped.signal.aborted)
    } finally {
      this.isRunning = false
    }
  }

  private async look(due: typeof this.due): Promise<void> {
    const { request, quote } = this.options
    const { signal } = this.stopped
    try {
      if (due && (this.told === due.block.hash || this.told === due.block.number)) return
      if (due && (await this.standsBySearch(due.changed))) return this.tell({ kind: 'block', block: due.block })
      const found = await quote(request, signal)
      this.peeks = 0
      this.failures = 0
      const { last } = this
      this.last = found
      const isNew = !last || last instanceof QuotingError || !sameAnswer(last, found) || this.isOld
      this.tell(isNew ? { kind: 'quote', quote: found } : { kind: 'block', block: found.block })
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof QuotingError) this.refuse(error, due?.block)
      else if (++this.failures >= MAX_FAILURES || !this.last) this.tell({ kind: 'end', error })
    }
  }

  /** True where the search finds the very route that was told last, or had no reason to look. */
  private async standsBySearch(changed: boolean): Promise<boolean> {
    const { last } = this
    if (!last || last instanceof QuotingError || this.isOld || this.peeks >= MAX_PEEKS) return false
    this.peeks++
    if (!changed) return true
    const route = await this.options.peek(this.options.request, last.gasPriceWei, this.stopped.signal)
    return route !== undefined && sameRoute(route, last.ranked)
  }

  private refuse(error: QuotingError, block: BlockHeader | undefined): void {
    const { last } = this
    this.last = error
    this.failures = 0
    const isKnown = last instanceof QuotingError && last.code === error.code && last.message === error.message
    this.tell(isKnown && block ? { kind: 'block', block } : { kind: 'refused', error, block })
  }

  private get isOld(): boolean {
    return performance.now() - this.toldAt > RETELL_MS
  }

  private tell(update: StreamUpdate): void {
    this.told = toldOf(update)
    if (update.kind === 'quote') this.toldAt = performance.now()
    if (update.kind === 'end') this.stop()
    for (const listener of [...this.listeners]) listener(update)
    this.firstSaid.resolve()
  }
}

function toldOf(update: StreamUpdate): string | number | undefined {
  switch (update.kind) {
    case 'quote':
      return update.quote.block.hash
    case 'block':
      return update.block.hash
    case 'refused':
      return update.block?.hash ?? (update.error.details.block as number | undefined)
    case 'end':
      return undefined
  }
}
