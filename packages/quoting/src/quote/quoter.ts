/** Main use case: turns a quote request into a simulated transaction. */
import type { Address } from '@sluice/chains'
import type { RoutePlan } from '@sluice/routing'
import { RpcError } from '@sluice/rpc'
import type { ChainRuntime } from '../chain/runtime.ts'
import { checkDeadline } from '../deadline.ts'
import type { ChainView } from '../view/view.ts'
import { type QuoteBatch, quoteBatch, type RequestOrError } from './batch.ts'
import type { SwapQuote } from './finalize.ts'
import { type Work, withSignal } from './ports.ts'
import { endsOf, type QuotingParts, quoteAtView, termsContext } from './quote-at-view.ts'
import { decideRequest, keyOf, type QuoteRequest } from './request.ts'
import { routeTerms } from './route-terms.ts'
import { searchAmount } from './search-amount.ts'
import { SingleFlight } from './single-flight.ts'

/** Maximum retries when the quoted block is removed by a reorg. */
const MAX_ATTEMPTS = 20

export type QuoterOptions = QuotingParts & { readonly runtime: ChainRuntime }

/** A quote of one block that is in flight; identical requests share it. */
type PendingQuote = {
  readonly quoted: Promise<SwapQuote>
  /** True if an earlier request started it. */
  readonly shared: boolean
}
type QuoteOf = (view: ChainView) => PendingQuote

/** Quotes requests at the chain's head. */
export class Quoter {
  private readonly options: QuoterOptions
  private readonly flights = new SingleFlight<SwapQuote>()

  constructor(options: QuoterOptions) {
    this.options = options
  }

  /** Number of quotes in flight. */
  get inFlight(): number {
    return this.flights.size
  }

  /**
   * Quotes a request at the chain's head. Identical requests at the same block share one computation.
   *
   * @throws QuotingError if no route exists, works, or is within the caller's limits; RpcError and MarketError if the
   *   chain cannot be read
   */
  async quote(request: QuoteRequest, work: Work): Promise<SwapQuote> {
    const { runtime } = this.options
    const tokens = this.endsOf(request)
    const key = keyOf(request)
    const quoteOf: QuoteOf = (view) => this.start(view, request, key, work)
    const wasFollowed = runtime.isFollowed
      ? await this.quoteNewest(quoteOf, tokens, request.minimumBlock, work.signal)
      : undefined
    if (wasFollowed) return wasFollowed
    for (let attempt = 1; ; attempt++) {
      const { views } = runtime.now
      const view = await work.time('state', () => views.atHead([tokens], request.minimumBlock, work.signal))
      const quoting = this.quoteUnlessReorged(quoteOf(view), view, work.signal, attempt < MAX_ATTEMPTS)
      const quoteResult = await quoting.catch((error: unknown) => this.quoteEarlier(quoteOf, view, error))
      if (quoteResult) return quoteResult
    }
  }

  /** Quotes several requests at one block; each result succeeds or fails on its own. @see quoteBatch */
  quoteAll(requests: readonly RequestOrError[], work: Work): Promise<QuoteBatch> {
    return quoteBatch(requests, work, {
      runtime: this.options.runtime,
      endsOf: (request) => this.endsOf(request),
      quoteAt: async (view, request, work) => this.start(view, request, keyOf(request), work).quoted,
    })
  }

  /**
   * Returns the best route at the newest block in memory without simulating it or reading the head; undefined if there
   * is none.
   */
  async peek(request: QuoteRequest, gasPriceWei: bigint, signal: AbortSignal): Promise<RoutePlan | undefined> {
    const view = await this.options.runtime.now.views.inMemory([this.endsOf(request)], signal)
    const terms = await routeTerms(request, gasPriceWei, termsContext(view, this.options))
    const amount = searchAmount(decideRequest(request), this.options.tokens.taxes)
    const result = await this.options.search(view, { ...terms, ...amount }, signal)
    return result.ok ? result.route : undefined
  }

  private start(view: ChainView, request: QuoteRequest, key: string, work: Work): PendingQuote {
    checkDeadline(request.deadline, view.snapshot.block.timestamp)
    let how: 'made' | 'shared' = 'shared'
    const quoteResult = this.flights.run(`${view.snapshot.block.hash}${key}`, work.signal, (signal) => {
      how = 'made'
      return this.quoteAt(view, request, withSignal(work, signal))
    })
    this.emitEvent(how)
    return { quoted: quoteResult, shared: how === 'shared' }
  }

  /**
   * Quotes the newest block in memory. The simulation's response carries the node's head, so checking the block usually
   * costs no request.
   *
   * @returns undefined if the block is not the head any more
   */
  private async quoteNewest(
    quoteOf: QuoteOf,
    tokens: readonly Address[],
    minimumBlock = 0,
    signal: AbortSignal,
  ): Promise<SwapQuote | undefined> {
    const { views } = this.options.runtime.now
    const view = await views.inMemory([tokens], signal)
    const { hash, number } = view.snapshot.block
    if (number < minimumBlock) return undefined
    const { quoted, shared } = quoteOf(view)
    // The head in a shared result may be older than this request.
    const headRequest = shared ? views.head(signal) : undefined
    headRequest?.catch(() => {})
    const outcome = await quoted.then(
      (quote) => ({ head: quote.head, quote }),
      (error: unknown) => {
        // Other errors may not occur at the head. If the node lost the block's state, `ofBlock` is set.
        if (error instanceof RpcError && !error.mayDependOnBlock) throw error
        return { head: undefined, error }
      },
    )
    const head = (await headRequest) ?? outcome.head ?? (await views.head(signal))
    if (head.hash !== hash) {
      this.emitEvent('outdated')
      return undefined
    }
    if ('error' in outcome) return this.quoteEarlier(quoteOf, view, outcome.error)
    return outcome.quote
  }

  /**
   * Quotes an earlier block if the node does not have the block of the view. This happens only if another process
   * published the block.
   *
   * @throws the error if no earlier block is available
   */
  private async quoteEarlier(quoteOf: QuoteOf, view: ChainView, error: unknown): Promise<SwapQuote> {
    let failure = error
    let currentView = view
    while (failure instanceof RpcError && failure.mayDependOnBlock) {
      const earlier = this.options.runtime.now.views.earlier(currentView)
      if (!earlier) break
      this.emitEvent('outdated')
      try {
        return await quoteOf(earlier).quoted
      } catch (next) {
        failure = next
        currentView = earlier
      }
    }
    throw failure
  }

  /**
   * Returns a quote of a block that was the head when the quote was started, and may have successors now.
   *
   * @param mayRepeat - if false, the quote is returned even if its block was removed by a reorg
   * @returns undefined if a reorg removed the block
   */
  private async quoteUnlessReorged(
    { quoted, shared }: PendingQuote,
    { snapshot: { block } }: ChainView,
    signal: AbortSignal,
    mayRepeat: boolean,
  ): Promise<SwapQuote | undefined> {
    const { runtime } = this.options
    const isGone = async () => {
      await runtime.now.views.head(signal)
      const isBlockGone = !runtime.holds(block)
      if (isBlockGone) this.emitEvent('reorged')
      return isBlockGone
    }
    try {
      const quote = await quoted
      const isHead = !shared && quote.head?.hash === block.hash
      return !mayRepeat || isHead || !(await isGone()) ? quote : undefined
    } catch (error) {
      if (!(error instanceof RpcError) || !error.mayDependOnBlock || !mayRepeat || !(await isGone())) throw error
      return undefined
    }
  }

  private async quoteAt(view: ChainView, request: QuoteRequest, work: Work): Promise<SwapQuote> {
    const { runtime } = this.options
    return quoteAtView(view, request, work, this.options, { rpc: runtime.now.rpc, touched: runtime.touched })
  }

  /** @throws QuotingError `NATIVE_UNSUPPORTED` */
  private endsOf(request: QuoteRequest): readonly Address[] {
    return endsOf(request, this.options.chain)
  }

  private emitEvent(how: 'made' | 'shared' | 'outdated' | 'reorged'): void {
    this.options.emit({ kind: 'quote', how })
  }
}
