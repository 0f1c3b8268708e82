/** One quote that is kept up to date for all streams with the same request. */
import type { Snapshot } from '@sluice/liquidity'
import type { BlockHeader } from '@sluice/rpc'
import { QuotingError } from '../errors.ts'
import type { SwapQuote } from '../quote/finalize.ts'
import type { QuoteRequest } from '../quote/request.ts'
import { type StreamListener, type StreamUpdate, sameAnswer, sameRoute } from './update.ts'

/** Maximum blocks in a row at which an unchanged search result suffices; then the transaction is simulated again. */
const MAX_PEEKS = 4
/** Milliseconds after which an unchanged quote is sent again, because its transaction expires after 20 minutes. */
const RESEND_AFTER_MS = 300_000
/** Failures in a row, other than refusals, after which the stream ends. */
const MAX_FAILURES = 3

export type WatchOptions = {
  readonly request: QuoteRequest
  readonly quote: (request: QuoteRequest, signal: AbortSignal) => Promise<SwapQuote>
  /** Searches the best route without simulating it. */
  readonly peek: Peek
  /** Runs work when a slot is free, since streams leave room for requests. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>
}
type Peek = (request: QuoteRequest, gasPriceWei: bigint, signal: AbortSignal) => Promise<SwapQuote['route'] | undefined>

/** Keeps one quote up to date and sends updates to its listeners. */
export class Watch {
  private readonly options: WatchOptions
  private readonly listeners = new Set<StreamListener>()
  private readonly stopController = new AbortController()
  private readonly firstUpdate = Promise.withResolvers<void>()
  private last: SwapQuote | QuotingError | undefined
  private sentAt = 0
  private peeks = 0
  private failures = 0
  /** Newest block that is not processed yet, and whether pools changed since the last processed one. */
  private due: { readonly block: BlockHeader; readonly changed: boolean } | undefined
  private isRunning = false
  /** Hash of the last block in an update, or its number if the hash is unknown. */
  private lastBlock: string | number | undefined
  private block: string | undefined

  constructor(options: WatchOptions) {
    this.options = options
    void this.run()
  }

  get size(): number {
    return this.listeners.size
  }

  get hasEnded(): boolean {
    return this.stopController.signal.aborted
  }

  /** Resolves with the first update. */
  get first(): Promise<void> {
    return this.firstUpdate.promise
  }

  /** Adds a listener, and sends it the current quote or refusal, if there is one. */
  add(listener: StreamListener): void {
    this.listeners.add(listener)
    if (this.last) listener(this.updateOf(this.last))
  }

  remove(listener: StreamListener): void {
    this.listeners.delete(listener)
  }

  /** Queues a new block. Further pools of the same block are reported with the next one. */
  observe({ block, changedIds }: Snapshot): void {
    if (block.hash === this.block) {
      if (this.due && changedIds?.length !== 0) this.due = { ...this.due, changed: true }
      return
    }
    this.block = block.hash
    this.due = { block, changed: this.due?.changed === true || changedIds === null || changedIds.length > 0 }
    void this.run()
  }

  stop(): void {
    this.stopController.abort()
    this.firstUpdate.resolve()
  }

  private updateOf(last: SwapQuote | QuotingError): StreamUpdate {
    return last instanceof QuotingError
      ? { kind: 'refused', error: last, block: undefined }
      : { kind: 'quote', quote: last }
  }

  /** Processes one block at a time; of those in the meantime only the newest. */
  private async run(): Promise<void> {
    if (this.isRunning) return
    this.isRunning = true
    try {
      do {
        await this.options.inTurn(async () => {
          const { due } = this
          this.due = undefined
          if (!this.stopController.signal.aborted) await this.update(due)
        })
      } while (this.due && !this.stopController.signal.aborted)
    } finally {
      this.isRunning = false
    }
  }

  private async update(due: typeof this.due): Promise<void> {
    const { request, quote } = this.options
    const { signal } = this.stopController
    try {
      if (due && (this.lastBlock === due.block.hash || this.lastBlock === due.block.number)) return
      if (due && (await this.isUnchanged(due.changed))) return this.send({ kind: 'block', block: due.block })
      const current = await quote(request, signal)
      this.peeks = 0
      this.failures = 0
      const { last } = this
      this.last = current
      const isNew = !last || last instanceof QuotingError || !sameAnswer(last, current) || this.isOld
      this.send(isNew ? { kind: 'quote', quote: current } : { kind: 'block', block: current.block })
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof QuotingError) this.refuse(error, due?.block)
      else if (++this.failures >= MAX_FAILURES || !this.last) this.send({ kind: 'end', error })
    }
  }

  /** Returns true if pools are unchanged, or if the search finds the same route as before. */
  private async isUnchanged(hasChanged: boolean): Promise<boolean> {
    const { last } = this
    if (!last || last instanceof QuotingError || this.isOld || this.peeks >= MAX_PEEKS) return false
    this.peeks++
    if (!hasChanged) return true
    const route = await this.options.peek(this.options.request, last.gasPriceWei, this.stopController.signal)
    return route !== undefined && sameRoute(route, last.bestEstimated)
  }

  private refuse(error: QuotingError, block: BlockHeader | undefined): void {
    const { last } = this
    this.last = error
    this.failures = 0
    const isRepeated = last instanceof QuotingError && last.code === error.code && last.message === error.message
    this.send(isRepeated && block ? { kind: 'block', block } : { kind: 'refused', error, block })
  }

  private get isOld(): boolean {
    return performance.now() - this.sentAt > RESEND_AFTER_MS
  }

  private send(update: StreamUpdate): void {
    this.lastBlock = blockOf(update)
    if (update.kind === 'quote') this.sentAt = performance.now()
    if (update.kind === 'end') this.stop()
    for (const listener of [...this.listeners]) listener(update)
    this.firstUpdate.resolve()
  }
}

function blockOf(update: StreamUpdate): string | number | undefined {
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
