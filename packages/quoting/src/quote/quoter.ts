/**
 * Main use case: turns a quote request into a simulated transaction. `LiveChain` calls it for each quote at the chain's
 * head; `past-quoter.ts` quotes past blocks. A view is the chain's state at one block.
 */
import type { Address } from '@sluice/chains'
import type { RoutePlan } from '@sluice/routing'
import { RpcError } from '@sluice/rpc'
import type { ChainRuntime } from '../chain/runtime.ts'
import { checkDeadline } from '../deadline.ts'
import type { ChainView } from '../view/view.ts'
import { type QuoteBatch, quoteBatch, type RequestOrError } from './batch.ts'
import type { SwapQuote } from './finalize.ts'
import { type QuotingContext, withSignal } from './ports.ts'
import { endTokensOf, type QuotingParts, quoteAtView, termsContext } from './quote-at-view.ts'
import { cacheKeyOf, type QuoteRequest, resolveSlippage } from './request.ts'
import { routeTerms } from './route-terms.ts'
import { searchAmount } from './search-amount.ts'
import { SingleFlight } from './single-flight.ts'

/** Maximum attempts to quote a request if a reorg removes the quoted block each time. */
const MAX_ATTEMPTS = 20

export type QuoterOptions = QuotingParts & { readonly runtime: ChainRuntime }

/** A quote of one block that is in flight; identical requests share it. */
type PendingQuote = {
  readonly result: Promise<SwapQuote>
  /** True if an earlier, identical request started the quote. */
  readonly isShared: boolean
}
type StartQuote = (view: ChainView) => PendingQuote

export class Quoter {
  private readonly options: QuoterOptions
  private readonly quotesInFlight = new SingleFlight<SwapQuote>()

  constructor(options: QuoterOptions) {
    this.options = options
  }

  /** Number of quotes in flight. */
  get inFlight(): number {
    return this.quotesInFlight.size
  }

  /**
   * Quotes a request at the chain's head. Identical requests at the same block share one computation.
   *
   * @throws QuotingError if no route exists, works, or is within the caller's limits; RpcError and MarketError if the
   *   chain cannot be read
   */
  async quote(request: QuoteRequest, requestContext: QuotingContext): Promise<SwapQuote> {
    const { runtime } = this.options
    const tokens = this.endTokensOf(request)
    const key = cacheKeyOf(request)
    const { minimumBlock = 0 } = request
    const startQuote: StartQuote = (view) => this.start(view, request, key, requestContext)
    const newestQuote = runtime.isFollowed
      ? await this.quoteNewest(startQuote, tokens, minimumBlock, requestContext.signal)
      : undefined
    if (newestQuote) return newestQuote
    for (let attempt = 1; ; attempt++) {
      const { views } = runtime.parts
      const view = await requestContext.time('state', () => views.atHead([tokens], minimumBlock, requestContext.signal))
      const pendingResult = this.quoteUnlessReorged(
        startQuote(view),
        view,
        requestContext.signal,
        attempt < MAX_ATTEMPTS,
      )
      const quoteResult = await pendingResult.catch((error: unknown) =>
        this.quoteEarlier(startQuote, view, minimumBlock, error),
      )
      if (quoteResult) return quoteResult
    }
  }

  /** Quotes several requests at one block; each result succeeds or fails on its own. @see quoteBatch */
  quoteAll(requests: readonly RequestOrError[], requestContext: QuotingContext): Promise<QuoteBatch> {
    return quoteBatch(requests, requestContext, {
      runtime: this.options.runtime,
      endTokensOf: (request) => this.endTokensOf(request),
      quoteAt: async (view, request, requestContext) =>
        this.start(view, request, cacheKeyOf(request), requestContext).result,
    })
  }

  /**
   * Returns the best route at the newest block in memory without simulating it or reading the head; undefined if no
   * route is found.
   */
  async peek(request: QuoteRequest, gasPriceWei: bigint, signal: AbortSignal): Promise<RoutePlan | undefined> {
    const view = await this.options.runtime.parts.views.inMemory([this.endTokensOf(request)], signal)
    const terms = await routeTerms(request, gasPriceWei, termsContext(view, this.options))
    const amount = searchAmount(resolveSlippage(request), this.options.tokens.taxes)
    const result = await this.options.search(view, { ...terms, ...amount }, signal)
    return result.ok ? result.route : undefined
  }

  /**
   * Starts a quote at a view's block, or joins an identical quote in flight. @throws QuotingError for a past deadline
   */
  private start(view: ChainView, request: QuoteRequest, key: string, requestContext: QuotingContext): PendingQuote {
    checkDeadline(request.deadline, view.snapshot.block.timestamp)
    let how: 'made' | 'shared' = 'shared'
    const quotePromise = this.quotesInFlight.run(
      `${view.snapshot.block.hash}${key}`,
      requestContext.signal,
      (signal) => {
        how = 'made'
        return this.quoteAt(view, request, withSignal(requestContext, signal))
      },
    )
    this.emitEvent(how)
    return { result: quotePromise, isShared: how === 'shared' }
  }

  /**
   * Quotes at the newest block whose state is in memory. The simulation's response carries the node's head, so checking
   * the block usually costs no request.
   *
   * @returns undefined if the block is older than `minimumBlock`, or is not the head any more
   */
  private async quoteNewest(
    startQuote: StartQuote,
    tokens: readonly Address[],
    minimumBlock: number,
    signal: AbortSignal,
  ): Promise<SwapQuote | undefined> {
    const { views } = this.options.runtime.parts
    const view = await views.inMemory([tokens], signal)
    const { hash, number } = view.snapshot.block
    if (number < minimumBlock) return undefined
    const { result, isShared } = startQuote(view)
    // A shared result may carry a head from before this request, so the head is fetched separately.
    const headRequest = isShared ? views.head(signal) : undefined
    headRequest?.catch(() => {})
    const outcome = await result.then(
      (quote) => ({ head: quote.head, quote }),
      (error: unknown) => {
        // `mayDependOnBlock` is true if the node may lack this block, for example because it lags. An earlier block may
        // then work. Other RPC errors are final. Other errors are thrown only if this block is still the head.
        if (error instanceof RpcError && !error.mayDependOnBlock) throw error
        return { head: undefined, error }
      },
    )
    const head = (await headRequest) ?? outcome.head ?? (await views.head(signal))
    if (head.hash !== hash) {
      this.emitEvent('outdated')
      return undefined
    }
    if ('error' in outcome) return this.quoteEarlier(startQuote, view, minimumBlock, outcome.error)
    return outcome.quote
  }

  /**
   * Quotes at an earlier block if the node does not have the block of the view. This happens only if the view comes
   * from another process whose node was ahead of ours.
   *
   * @throws the error of the last attempt if it does not depend on the block, or if there is no earlier block from
   *   `minimumBlock` on
   */
  private async quoteEarlier(
    startQuote: StartQuote,
    view: ChainView,
    minimumBlock: number,
    error: unknown,
  ): Promise<SwapQuote> {
    let failure = error
    let currentView = view
    while (failure instanceof RpcError && failure.mayDependOnBlock) {
      const earlierView = this.options.runtime.parts.views.viewBefore(currentView)
      if (!earlierView || earlierView.snapshot.block.number < minimumBlock) break
      this.emitEvent('outdated')
      try {
        return await startQuote(earlierView).result
      } catch (nextError) {
        failure = nextError
        currentView = earlierView
      }
    }
    throw failure
  }

  /**
   * Waits for a quote of the block that was the head when the quote was started. New blocks on top of that block do not
   * matter.
   *
   * @param mayRetry - if false, the quote is returned even if a reorg removed its block
   * @returns undefined if a reorg removed the block
   */
  private async quoteUnlessReorged(
    { result, isShared }: PendingQuote,
    { snapshot: { block } }: ChainView,
    signal: AbortSignal,
    mayRetry: boolean,
  ): Promise<SwapQuote | undefined> {
    const { runtime } = this.options
    const isGone = async () => {
      await runtime.parts.views.head(signal)
      const isBlockGone = !runtime.isCanonical(block)
      if (isBlockGone) this.emitEvent('reorged')
      return isBlockGone
    }
    try {
      const quote = await result
      const isHead = !isShared && quote.head?.hash === block.hash
      return !mayRetry || isHead || !(await isGone()) ? quote : undefined
    } catch (error) {
      if (!(error instanceof RpcError) || !error.mayDependOnBlock || !mayRetry || !(await isGone())) throw error
      return undefined
    }
  }

  private async quoteAt(view: ChainView, request: QuoteRequest, requestContext: QuotingContext): Promise<SwapQuote> {
    const { runtime } = this.options
    return quoteAtView(view, request, requestContext, this.options, {
      rpc: runtime.parts.rpc,
      touchedPools: runtime.touchedPools,
    })
  }

  /** @throws QuotingError `NATIVE_UNSUPPORTED` for the native token of a chain without a wrapper */
  private endTokensOf(request: QuoteRequest): readonly Address[] {
    return endTokensOf(request, this.options.chain)
  }

  private emitEvent(how: 'made' | 'shared' | 'outdated' | 'reorged'): void {
    this.options.emit({ kind: 'quote', how })
  }
}
