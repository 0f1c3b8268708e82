/** The use case of the whole: from a wish to a transaction that was seen to work. */
import { type Address, type Chain, NATIVE } from '@sluice/chains'
import type { NativeErc20, Route } from '@sluice/routing'
import { RpcError } from '@sluice/rpc'
import type { SimulationContext } from '@sluice/simulation'
import type { SwapContracts } from '../chain/contracts.ts'
import type { ChainRuntime } from '../chain/runtime.ts'
import { type Clock, checkDeadline } from '../deadline.ts'
import { QuotingError } from '../errors.ts'
import type { QuotingListener } from '../events.ts'
import type { GasProber } from '../gas/gas-prober.ts'
import type { LaterGas } from '../gas/later-gas.ts'
import type { GasLessons } from '../gas/learned-gas.ts'
import type { MeasuredGas } from '../gas/measured-gas.ts'
import { transactionGas } from '../gas/transaction-gas.ts'
import type { WalletChecks } from '../simulation/wallet-checks.ts'
import type { ChainTokens } from '../tokens/chain-tokens.ts'
import type { ChainView } from '../view/view.ts'
import { type Batch, quoteBatch, type Wanted } from './batch.ts'
import { finalize, type Quote } from './finalize.ts'
import { findWorkingRoute } from './find-working-route.ts'
import type { Made } from './made.ts'
import type { AutoSlippage, Search, Simulate, Work } from './ports.ts'
import { decided, keyOf, type QuoteRequest } from './request.ts'
import { routeTerms, type TermsContext } from './route-terms.ts'
import { searchAmount } from './search-amount.ts'
import { SingleFlight } from './single-flight.ts'

/** Heads in a row that may be gone before they are quoted: reorgs come one at a time. */
const MAX_ATTEMPTS = 20

export type QuoterOptions = {
  readonly chain: Chain
  readonly contracts: SwapContracts
  readonly runtime: ChainRuntime
  readonly tokens: ChainTokens
  readonly search: Search
  readonly simulate: Simulate
  readonly simulation: SimulationContext
  readonly clock: Clock
  readonly emit: QuotingListener
  /** For requests that leave it to the route. */
  readonly slippageOf: (route: Route) => AutoSlippage
  /** @see TermsContext.haircutsAt */
  readonly haircutsAt: TermsContext['haircutsAt']
  /** Told the gas of every route that works, and tells searches. */
  readonly gasLessons: GasLessons
  readonly measuredGas: MeasuredGas
  readonly gasProber: GasProber
  readonly laterGas: LaterGas
  readonly walletChecks: WalletChecks
  /** Told of every quote that is made. */
  readonly onMade: (view: ChainView, made: Made) => void
}

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
    const terms = await routeTerms(request, gasPriceWei, this.termsContext(view))
    const amount = searchAmount(decided(request), this.options.tokens.taxes)
    const result = await this.options.search(view, { ...terms, ...amount }, signal)
    return result.ok ? result.route : undefined
  }

  private start(view: ChainView, request: QuoteRequest, key: string, work: Work): Underway {
    checkDeadline(request.deadline, view.snapshot.block.timestamp)
    let how: 'made' | 'shared' = 'shared'
    const quoted = this.flights.run(`${view.snapshot.block.hash}${key}`, work.signal, (signal) => {
      how = 'made'
      const own: Work = {
        signal,
        time: (stage, run) => work.time(stage, run),
        // Made when it is needed.
        get log() {
          return work.log
        },
      }
      return this.quoteAt(view, request, own)
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
    const { chain, tokens, runtime, simulation } = this.options
    const { rpc } = runtime.now
    // Requested now, in one HTTP request, and needed after routing; a failure is met there.
    const early = [
      ...[view.codeOf(request.from), view.assertDeployed()],
      simulation.fees.gasPrice(rpc, view.snapshot.block),
    ]
    for (const one of early) one.catch(() => {})
    const source = { rpc, snapshot: view.snapshot }
    void this.options.gasProber.want(this.endsOf(request), source)
    const gasPriceWei = request.gasPriceWei ?? (await view.gasPriceWei())
    const context = { ...this.options, ...this.termsContext(view), rpc }
    const { route, ranked, trial, sought, slippage, rival } = await findWorkingRoute(
      request,
      gasPriceWei,
      context,
      work,
    )
    const { gasUsed } = trial.simulation
    const gross = Number(transactionGas(trial.swap.data, BigInt(gasUsed)))
    this.options.gasLessons.observeAt(view.snapshot.block, route, gross)
    void this.options.gasProber.want(
      [...new Set(route.legs.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]))],
      source,
    )
    const { touched } = runtime
    const { signal } = work
    const quote = await work.time('finalize', () =>
      finalize({
        request,
        gasPriceWei,
        chain,
        rpc,
        simulate: this.options.simulate,
        tokens,
        touched,
        view,
        route,
        ranked,
        trial,
        slippage,
        signal,
      }),
    )
    // What a caller has signed is kept nowhere.
    const asSent = trial.simulation.ways.sender === 'bare'
    if (!request.permit)
      this.options.onMade(view, { quote, from: request.from, sought, rival, terms: trial.terms, asSent })
    return quote
  }

  private termsContext(view: ChainView): TermsContext {
    const { tokens, contracts, haircutsAt, gasLessons, measuredGas } = this.options
    const learnedGasAt = (timestamp: number) => measuredGas.over(gasLessons.at(timestamp))
    const { wrappedNative, nativeErc20 } = this
    return { view, tokens, contracts, haircutsAt, learnedGasAt, wrappedNative, nativeErc20 }
  }

  private get wrappedNative(): Address | null {
    return this.options.chain.wrappedNative?.address ?? null
  }

  /** Token that gas is priced by where nothing wraps the native token. */
  private get nativeErc20(): NativeErc20 | undefined {
    const { chain, tokens } = this.options
    const token = chain.nativeErc20?.address
    const decimals = token && tokens.facts.decimals(token)
    if (token === undefined || decimals === undefined) return undefined
    return { token, unitsPerWei: 10 ** (decimals - chain.nativeCurrency.decimals) }
  }

  /** The tokens whose pools a quote needs. @throws QuotingError `NATIVE_UNSUPPORTED` */
  private endsOf({ tokenIn, tokenOut }: QuoteRequest): readonly Address[] {
    return [tokenIn, tokenOut].map((token) => this.asErc20(token))
  }

  /** @throws QuotingError `NATIVE_UNSUPPORTED` */
  private asErc20(token: Address): Address {
    if (token !== NATIVE) return token
    if (this.wrappedNative) return this.wrappedNative
    const { displayName, nativeErc20 } = this.options.chain
    const instead = nativeErc20 ? `; trade ${nativeErc20.symbol} at ${nativeErc20.address} instead` : ''
    throw new QuotingError('NATIVE_UNSUPPORTED', `nothing wraps the native token of ${displayName}${instead}`)
  }

  private tell(how: 'made' | 'shared' | 'outdated' | 'reorged'): void {
    this.options.emit({ kind: 'quote', how })
  }
}
