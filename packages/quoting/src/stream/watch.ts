/**
 * Keeps one quote up to date for all streams with the same request. A refusal is a `QuotingError`: the request has no
 * quote at a block, and may have one at a later block.
 */
import type { Snapshot } from '@sluice/liquidity'
import type { BlockHeader } from '@sluice/rpc'
import { hasPassed } from '../deadline.ts'
import { QuotingError } from '../errors.ts'
import type { SwapQuote } from '../quote/finalize.ts'
import type { QuoteRequest } from '../quote/request.ts'
import { isSameQuote, isSameRoute, type StreamListener, type StreamUpdate } from './update.ts'

/**
 * Maximum consecutive blocks for which the transaction is not simulated again, because no pool changed or the search
 * finds the same route.
 */
const MAX_UNSIMULATED_BLOCKS = 4
/** Milliseconds after which an unchanged quote is sent again, because its transaction expires after 20 minutes. */
const RESEND_AFTER_MS = 300_000
/**
 * Number of consecutive failures, other than refusals, after which the stream ends. Before the first quote or refusal,
 * one failure ends it.
 */
const MAX_FAILURES = 3

export type WatchOptions = {
  readonly request: QuoteRequest
  readonly quote: (request: QuoteRequest, signal: AbortSignal) => Promise<SwapQuote>
  /** Searches the best route without simulating it. */
  readonly peek: Peek
  /** Runs work when one of the few slots for streams is free. The limit leaves capacity for single requests. */
  readonly runInSlot: (work: () => Promise<void>) => Promise<void>
}
type Peek = (request: QuoteRequest, gasPriceWei: bigint, signal: AbortSignal) => Promise<SwapQuote['route'] | undefined>

export class Watch {
  private readonly options: WatchOptions
  private readonly listeners = new Set<StreamListener>()
  private readonly stopController = new AbortController()
  private readonly firstUpdateResolvers = Promise.withResolvers<void>()
  private lastResult: SwapQuote | QuotingError | undefined
  private lastQuoteSentMs = 0
  private unsimulatedBlockCount = 0
  private failureCount = 0
  /** Newest block that is not processed yet. */
  private dueBlock: BlockHeader | undefined
  /** True if pools changed since the last quote or search that succeeded was started. */
  private hasChanged = false
  private isRunning = false
  /** Hash of the last block in an update, or its number if the hash is unknown. */
  private lastSentBlock: string | number | undefined
  private observedBlockHash: string | undefined

  constructor(options: WatchOptions) {
    this.options = options
    void this.run()
  }

  /** Number of listeners. */
  get size(): number {
    return this.listeners.size
  }

  get hasEnded(): boolean {
    return this.stopController.signal.aborted
  }

  /** Resolves after the first update was sent, or when the watch stops. */
  get firstUpdate(): Promise<void> {
    return this.firstUpdateResolvers.promise
  }

  /** Adds a listener, and sends it the current quote or refusal, if there is one. */
  add(listener: StreamListener): void {
    this.listeners.add(listener)
    if (this.lastResult) listener(this.updateOf(this.lastResult))
  }

  remove(listener: StreamListener): void {
    this.listeners.delete(listener)
  }

  /**
   * Queues a new block. Pools that are reported after the processing of their block has started count for the next
   * block.
   */
  observe({ block, changedIds }: Snapshot): void {
    if (changedIds?.length !== 0) this.hasChanged = true
    if (block.hash === this.observedBlockHash) return
    this.observedBlockHash = block.hash
    this.dueBlock = block
    void this.run()
  }

  stop(): void {
    this.stopController.abort()
    this.firstUpdateResolvers.resolve()
  }

  private updateOf(lastResult: SwapQuote | QuotingError): StreamUpdate {
    return lastResult instanceof QuotingError
      ? { kind: 'refused', error: lastResult, block: undefined }
      : { kind: 'quote', quote: lastResult }
  }

  /** Processes one block at a time. If several blocks arrive in the meantime, processes only the newest. */
  private async run(): Promise<void> {
    if (this.isRunning) return
    this.isRunning = true
    try {
      do {
        await this.options.runInSlot(async () => {
          const { dueBlock } = this
          this.dueBlock = undefined
          if (!this.stopController.signal.aborted) await this.update(dueBlock)
        })
      } while (this.dueBlock && !this.stopController.signal.aborted)
    } finally {
      this.isRunning = false
    }
  }

  private async update(dueBlock: BlockHeader | undefined): Promise<void> {
    const { request, quote } = this.options
    const { signal } = this.stopController
    if (dueBlock && (this.lastSentBlock === dueBlock.hash || this.lastSentBlock === dueBlock.number)) return
    // Changes that are reported from here on may not be part of the result.
    const { hasChanged } = this
    this.hasChanged = false
    try {
      if (dueBlock && !hasExpired(request, dueBlock) && (await this.canSkipSimulation(hasChanged))) {
        this.failureCount = 0
        return this.send({ kind: 'block', block: dueBlock })
      }
      const newQuote = await quote(request, signal)
      this.unsimulatedBlockCount = 0
      this.failureCount = 0
      const { lastResult } = this
      this.lastResult = newQuote
      const isNew =
        !lastResult || lastResult instanceof QuotingError || !isSameQuote(lastResult, newQuote) || this.needsResend
      this.send(isNew ? { kind: 'quote', quote: newQuote } : { kind: 'block', block: newQuote.block })
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof QuotingError) return this.refuse(error, dueBlock)
      this.hasChanged ||= hasChanged
      if (++this.failureCount >= MAX_FAILURES || !this.lastResult) this.send({ kind: 'end', error })
    }
  }

  /**
   * Returns true if the last quote is still valid without a new simulation, because no pool changed or the search finds
   * the same route. Counts the blocks without a simulation. Returns false after `MAX_UNSIMULATED_BLOCKS`, or if the
   * quote must be sent again.
   */
  private async canSkipSimulation(hasChanged: boolean): Promise<boolean> {
    const { lastResult } = this
    if (
      !lastResult ||
      lastResult instanceof QuotingError ||
      this.needsResend ||
      this.unsimulatedBlockCount >= MAX_UNSIMULATED_BLOCKS
    )
      return false
    this.unsimulatedBlockCount++
    if (!hasChanged) return true
    const route = await this.options.peek(this.options.request, lastResult.gasPriceWei, this.stopController.signal)
    return route !== undefined && isSameRoute(route, lastResult.bestEstimated)
  }

  private refuse(error: QuotingError, block: BlockHeader | undefined): void {
    const { lastResult } = this
    this.lastResult = error
    this.failureCount = 0
    const isRepeated =
      lastResult instanceof QuotingError && lastResult.code === error.code && lastResult.message === error.message
    this.send(isRepeated && block ? { kind: 'block', block } : { kind: 'refused', error, block })
  }

  private get needsResend(): boolean {
    return performance.now() - this.lastQuoteSentMs > RESEND_AFTER_MS
  }

  private send(update: StreamUpdate): void {
    this.lastSentBlock = blockOf(update)
    if (update.kind === 'quote') this.lastQuoteSentMs = performance.now()
    if (update.kind === 'end') this.stop()
    for (const listener of [...this.listeners]) listener(update)
    this.firstUpdateResolvers.resolve()
  }
}

/** True if a transaction in the next block is too late for the requested deadline, or for the permit's deadline. */
function hasExpired({ deadline, permit }: QuoteRequest, { timestamp }: BlockHeader): boolean {
  return [deadline, permit?.deadline].some((end) => end !== undefined && hasPassed(end, timestamp))
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
