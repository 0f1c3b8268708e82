/** The use case of the whole: from a wish to a transaction that was seen to work. */
import type { Address } from '@sluice/chains'
import type { Route } from '@sluice/routing'
import { RpcError } from '@sluice/rpc'
import type { ChainRuntime } from '../chain/runtime.ts'
import { checkDeadline } from '../deadline.ts'
import type { ChainView } from '../view/view.ts'
import { type Batch, quoteBatch, type Wanted } from './batch.ts'
import type { Quote } from './finalize.ts'
import { type Work, withSignal } from './ports.ts'
import { endsOf, type QuotingParts, quoteAtView, termsContext } from './quote-at-view.ts'
import { decided, keyOf, type QuoteRequest } from './request.ts'
import { routeTerms } from './route-terms.ts'
import { searchAmount } from './search-amount.ts'
import { SingleFlight } from './single-flight.ts'

/** Heads in a row that may be gone before they are quoted: reorgs come one at a time. */
const MAX_ATTEMPTS = 20

export type QuoterOptions = QuotingParts & { readonly runtime: ChainRuntime }

/** A quote of one block that is being made, maybe for somebody else. */
type Underway = {
  readonly quoted: Promise<Quote>
  /** With a request that came before. */
  readonly shared: boolean
}
type QuoteOf = (view: ChainView) => Underway

export class Quoter {
  private readonly options: QuoterOptions
  private readonly flights = new SingleFlight<Quote>()

  constructor(options: QuoterOptions) {
    this.options = options
  }

  /** Quotes that are being made. */
  get underWay(): number {
    return this.flights.size
  }

  /**
   * A quote of the chain's head. Identical requests at the same block are worked on once.
   *
   * @throws QuotingError when there is no route, none that works, or none within the caller's limits
   * @throws what reading and simulating throw when the chain cannot be read
   */
  async quote(request: QuoteRequest, work: Work): Promise<Quote> {
    const { runtime } = this.options
    const tokens = this.endsOf(request)
    const key = keyOf(request)
    const quoteOf: QuoteOf = (view) => this.start(view, request, key, work)
    const early = runtime.isFollowed
      ? await this.quoteNewest(quoteOf, tokens, request.minimumBlock, work.signal)
      : undefined
    if (early) return early
    for (let attempt = 1; ; attempt++) {
      const { views } = runtime.now
      const view = await work.time('state', () => views.atHead([tokens], request.minimumBlock, work.signal))
      const quoting = this.quoteStanding(quoteOf(view), view, work.signal, attempt < MAX_ATTEMPTS)
      const quoted = await quoting.catch((error: unknown) => this.quoteEarlier(quoteOf, view, error))
      if (quoted) return quoted
    }
  }

  /** Quotes of one block, each with its own end. @see quoteBatch */
  quoteAll(wanted: readonly Wanted[], work: Work): Promise<Batch> {
    return quoteBatch(wanted, work, {
      runtime: this.options.runtime,
      endsOf: (request) => this.endsOf(request),
      quoteAt: async (view, request, work) => this.start(view, request, keyOf(request), work).quoted,
    })
  }

  /** The best route in the newest block in memory, neither simulated nor held against the head; undefined where there is none. */
  async peek(request: QuoteRequest, gasPriceWei: bigint, signal: AbortSignal): Promise<Route | undefined> {
    const view = await this.options.runtime.now.views.inMemory([this.endsOf(request)], signal)
    const terms = await routeTerms(request, gasPriceWei, termsContext(view, this.options))
    const amount = searchAmount(decided(request), this.options.tokens.taxes)
    const result = await this.options.search(view, { ...terms, ...amount }, signal)
    return result.ok ? result.route : undefined
  }

  private start(view: ChainView, request: QuoteRequest, key: string, work: Work): Underway {
    checkDeadline(request.deadline, view.snapshot.block.timestamp)
    let how: 'made' | 'shared' = 'shared'
    const quoted = this.flights.run(`${view.snapshot.block.hash}${key}`, work.signal, (signal) => {
      how = 'made'
      return this.quoteAt(view, request, withSignal(work, signal))
    })
    this.tell(how)
    return { quoted, shared: how === 'shared' }
  }

  /**
   * Quotes the newest block in memory; the node tells its head along with the simulation. Mostly they are the same, and the
   * question took no time; where they are not, undefined is returned.
   */
  private async quoteNewest(
    quoteOf: QuoteOf,
    tokens: readonly Address[],
    minimumBlock = 0,
    signal: AbortSignal,
  ): Promise<Quote | undefined> {
    const { views } = this.options.runtime.now
    const view = await views.inMemory([tokens], signal)
    const { hash, number } = view.snapshot.block
    if (number < minimumBlock) return undefined
    const { quoted, shared } = quoteOf(view)
    // What was asked for before this request came says nothing of the head now.
    const asked = shared ? views.head(signal) : undefined
    asked?.catch(() => {})
    const outcome = await quoted.then(
      (quote) => ({ head: quote.head, quote }),
      (error: unknown) => {
        // Everything but a node that fails may look different at another block; the state of a block may be gone with it.
        if (error instanceof RpcError && !error.ofBlock) throw error
        return { head: undefined, error }
      },
    )
    const head = (await asked) ?? outcome.head ?? (await views.head(signal))
    if (head.hash !== hash) {
      this.tell('outdated')
      return undefined
    }
    if ('error' in outcome) return this.quoteEarlier(quoteOf, view, outcome.error)
    return outcome.quote
  }

  /**
   * The quote of a block before, where the node lacks one that others have told of. Markets that read the chain by that very node
   * know of no such blocks.
   *
   * @throws the error, where there is none
   */
  private async quoteEarlier(quoteOf: QuoteOf, view: ChainView, error: unknown): Promise<Quote> {
    let failure = error
    let at = view
    while (failure instanceof RpcError && failure.ofBlock) {
      const earlier = this.options.runtime.now.views.earlier(at)
      if (!earlier) break
      this.tell('outdated')
      try {
        return await quoteOf(earlier).quoted
      } catch (next) {
        failure = next
        at = earlier
      }
    }
    throw failure
  }

  /**
   * The quote of a block that was the head when it was begun, which may have later ones on top by now. Undefined where the
   * block is gone: a reorg put others in its place.
   *
   * @param mayRepeat - otherwise an answer is given whatever has become of the block
   */
  private async quoteStanding(
    { quoted, shared }: Underway,
    { snapshot: { block } }: ChainView,
    signal: AbortSignal,
    mayRepeat: boolean,
  ): Promise<Quote | undefined> {
    const { runtime } = this.options
    const isGone = async () => {
      await runtime.now.views.head(signal)
      const gone = !runtime.holds(block)
      if (gone) this.tell('reorged')
      return gone
    }
    try {
      const quote = await quoted
      const stands = !shared && quote.head?.hash === block.hash
      return !mayRepeat || stands || !(await isGone()) ? quote : undefined
    } catch (error) {
      if (!(error instanceof RpcError) || !error.ofBlock || !mayRepeat || !(await isGone())) throw error
      return undefined
    }
  }

  private async quoteAt(view: ChainView, request: QuoteRequest, work: Work): Promise<Quote> {
    const { runtime } = this.options
    return quoteAtView(view, request, work, this.options, { rpc: runtime.now.rpc, touched: runtime.touched })
  }

  /** @throws QuotingError `NATIVE_UNSUPPORTED` */
  private endsOf(request: QuoteRequest): readonly Address[] {
    return endsOf(request, this.options.chain)
  }

  private tell(how: 'made' | 'shared' | 'outdated' | 'reorged'): void {
    this.options.emit({ kind: 'quote', how })
  }
}
