/**
 * One chain at run time: builds the parts that quotes need, and exposes them to the API, the solver, and scripts. A
 * chain that is not used sleeps (it follows no blocks and has no pools in memory); the next use wakes it. The market of
 * a chain keeps its pools up to date. Hubs are tokens with many pools.
 */
import { setTimeout } from 'node:timers/promises'
import { type Address, type Chain, type Deployment, deploymentForOlderEvm, type Hex } from '@sluice/chains'
import { type AuditCount, MarketError } from '@sluice/liquidity'
import type { RouterThreads } from '@sluice/routing'
import { type Rpc, Semaphore } from '@sluice/rpc'
import { createSimulationContext, osakaLimitOf, type SimulationContext, type StateCount } from '@sluice/simulation'
import { ChainContracts } from './chain/contracts.ts'
import { ChainRuntime, type OpenMarket, type RuntimeSettings } from './chain/runtime.ts'
import type { ChainStatus } from './chain/status.ts'
import type { Clock } from './deadline.ts'
import { autoSlippage } from './drift/auto-slippage.ts'
import { DriftSampler } from './drift/sampler.ts'
import type { DriftFigures } from './drift/statistics.ts'
import { QuotingError } from './errors.ts'
import type { Logger, QuotingListener } from './events.ts'
import { ContractBalanceReader } from './gas/contract-balances.ts'
import { GasProber } from './gas/gas-prober.ts'
import { LaterGas } from './gas/later-gas.ts'
import { GasLessons } from './gas/learned-gas.ts'
import { MeasuredGas } from './gas/measured-gas.ts'
import { QuoteLog, type QuoteLogOptions } from './log/quote-log.ts'
import { findPermits, type PermitOffers, type PermitRequest } from './permit/find-permits.ts'
import type { QuoteBatch, RequestOrError } from './quote/batch.ts'
import { FaultyPools } from './quote/faulty-pools.ts'
import { FaultyTokens } from './quote/faulty-tokens.ts'
import type { SwapQuote } from './quote/finalize.ts'
import { PastQuoter } from './quote/past-quoter.ts'
import { type QuotingContext, type Simulate, withSignal } from './quote/ports.ts'
import { Quoter } from './quote/quoter.ts'
import type { QuoteRequest } from './quote/request.ts'
import { SingleFlight } from './quote/single-flight.ts'
import { judgeTransaction } from './referee/referee.ts'
import type { SwapVerdict } from './referee/verdict.ts'
import { RouterSearch } from './search/router-search.ts'
import { SenderCodeChecks } from './simulation/sender-code-checks.ts'
import { Simulator } from './simulation/simulator.ts'
import { QuoteStreams } from './stream/quote-streams.ts'
import { ChainTokens } from './tokens/chain-tokens.ts'
import { HubNeighbors } from './tokens/hub-neighbors.ts'
import { applyFact, publishFacts, type SharedFact } from './tokens/shared-facts.ts'
import { testSale } from './tokens/taxes.ts'
import type { Catalog } from './tokens/token-catalog.ts'
import type { HoldingsSource } from './view/holdings.ts'
import { once } from './view/memoize.ts'
import { isScanned } from './view/past-block.ts'
import { type ListPools, PastBlocks } from './view/past-blocks.ts'
import { PriceHistory } from './view/price-history.ts'
import type { ChainView } from './view/view.ts'
import type { ChainViews } from './view/views.ts'

/** Maximum milliseconds that a token list waits until prices include the newest block. */
const PRICES_TIMEOUT_MS = 300

/**
 * A sampled quote is simulated again in later blocks. After such a quote, the process follows the chain's blocks for at
 * most this many block times plus `SAMPLE_MS` milliseconds. The fixed part covers the fastest chains.
 */
const SAMPLE_BLOCKS = 3
const SAMPLE_MS = 2_000
/** Timeout in milliseconds of the look-ups that an untrusted token needs before it can be priced. */
const EVIDENCE_TIMEOUT_MS = 300

/** Settings of a chain. */
export type ChainSettings = RuntimeSettings & {
  /**
   * Chains with at most this many pools are searched on this thread if the search is short; larger chains in a worker.
   */
  readonly inlinePools: number
  /** Number of consecutive blocks in which a token must qualify to earn trust; a day of blocks if absent. */
  readonly earnBlocks?: number | undefined
  /** Log of quotes that can be replayed; no log if absent. */
  readonly quoteLog?: QuoteLogOptions | undefined
  /** Share of the node's calls that is spent on simulating quotes again in later blocks, from 0 to 1; 0 if absent. */
  readonly driftShare?: number | undefined
  /** Maximum gas of a simulation. */
  readonly maxGas: bigint
}

/** Options of a live chain. */
export type LiveChainOptions = {
  readonly chain: Chain
  readonly deployment: Deployment
  readonly settings: ChainSettings
  /** Worker threads that all chains of a process share; the caller closes them. */
  readonly threads: RouterThreads
  readonly log: Logger
  readonly onEvent?: QuotingListener
  /** True while requests of the chain are in flight, which keeps the chain awake. */
  readonly isBusy?: () => boolean
  readonly clock?: Clock
  /** Opens a market that another process keeps up to date; if absent, this process reads the chain. */
  readonly openMarket?: OpenMarket | undefined
  /** Sends other processes the facts that this process measured. */
  readonly publishFact?: ((fact: SharedFact) => void) | undefined
}

/** Maximum mined swaps that are judged at a time. Judging a swap loads the pools of its block into memory. */
const MAX_CONCURRENT_VERDICTS = 2
/** Maximum mined swaps that are judged or queued; more are refused with `BUSY`. */
const MAX_PENDING_VERDICTS = 10
/** Milliseconds between two checks of whether background work still improves quotes. */
const SETTLE_POLL_MS = 50

/** A chain at run time, with everything that a quote needs. */
export class LiveChain {
  readonly chain: Chain
  readonly contracts: ChainContracts
  readonly tokens: ChainTokens
  /** Not dropped while the chain sleeps, so that storage layouts of tokens stay known. */
  readonly simulation: SimulationContext
  readonly simulate: Simulate
  private readonly runtime: ChainRuntime
  private readonly quoter: Quoter
  private readonly quoteLog: QuoteLog | undefined
  private readonly sampler: DriftSampler
  private readonly clock: Clock
  private readonly gasLessons: GasLessons
  private readonly measuredGas: MeasuredGas
  private readonly faultyPools = new FaultyPools()
  private readonly faultyTokens = new FaultyTokens()
  private readonly gasProber: GasProber
  private readonly laterGas: LaterGas
  private readonly contractBalances = new ContractBalanceReader()
  readonly senderCodeChecks: SenderCodeChecks
  private readonly neighbors: HubNeighbors
  /** False if another process reads the chain. That process then also finds the neighbors: tokens pooled with hubs. */
  private readonly findsNeighbors: boolean
  private readonly pastBlocks: PastBlocks
  private readonly pastQuoter: PastQuoter
  /** Contracts for past blocks whose EVM lacks instructions of `contracts`. Read from files at the first past quote. */
  private readonly loadOlderContracts: () => Promise<ChainContracts | undefined>
  /** Verdicts (comparisons of a mined swap with our quote) in flight, by transaction hash. */
  private readonly verdicts = new SingleFlight<SwapVerdict>()
  private readonly verdictSlots = new Semaphore(MAX_CONCURRENT_VERDICTS)
  /**
   * Search for quotes at past blocks. The graph of such a quote holds the pools of few pairs, so a short search never
   * uses a worker thread.
   */
  private readonly pastSearch: RouterSearch
  private readonly emit: QuotingListener
  /** Prices of past blocks, in memory only. */
  readonly priceHistory: PriceHistory
  /** Percentage of the node's calls that is spent on simulating quotes again in later blocks. */
  readonly driftPercent: number
  /** Quotes that are updated at every block. */
  readonly streams: QuoteStreams

  /** Long: it connects all parts of a chain. @throws QuotingError `NO_EXECUTOR` */
  constructor({ chain, deployment, settings, threads, log, ...otherOptions }: LiveChainOptions) {
    const { onEvent: emit = () => {}, isBusy = () => false, clock = Date.now, openMarket, publishFact } = otherOptions
    const { inlinePools, earnBlocks, maxGas, quoteLog, driftShare = 0, ...runtimeSettings } = settings
    const contracts = new ChainContracts(deployment)
    this.loadOlderContracts = once(async () => {
      const olderDeployment = deploymentForOlderEvm(deployment)
      return olderDeployment && new ChainContracts(olderDeployment)
    })
    const simulation = createSimulationContext({
      maxGas,
      timeoutMs: settings.rpc.timeoutMs,
      blockIntervalMs: chain.blockTimeMs,
      osakaLimit: osakaLimitOf(chain),
    })
    const tokens = new ChainTokens({
      chain,
      earnBlocks,
      sourceAt: ({ block }) => {
        // Tokens are also measured in the background, which must not keep an unused chain awake.
        const { rpc } = this.runtime.partsIfAwake ?? this.runtime.parts
        return { rpc, simulation, block: { blockHash: block.hash } }
      },
    })
    this.quoteLog = quoteLog && new QuoteLog(quoteLog, log)
    const stores = { facts: tokens.facts, taxes: tokens.taxes, slots: simulation.slots }
    if (publishFact) publishFacts(stores, publishFact)
    const onSleep = () => {
      threads.forget(chain.chainId)
      void this.quoteLog?.close()
      this.sampler.clear()
      this.gasProber.forget()
      this.faultyPools.forget()
      this.faultyTokens.forget()
      void this.pastBlocks.close()
    }
    const runtime = new ChainRuntime({
      ...{ ...runtimeSettings, chain, contracts, tokens, log, onSleep, openMarket, fees: simulation.fees },
      onFact: (fact) => applyFact(stores, fact),
      emit: (event) => {
        if (event.kind === 'rpc' && event.event.kind === 'sent')
          this.sampler.recordNodeCalls(event.event.methods.length)
        emit(event)
      },
      isBusy: () => isBusy() || this.streams.counts.streams > 0,
      isWatched: () =>
        this.streams.counts.streams > 0 || this.sampler.awaitsBlocks(SAMPLE_BLOCKS * chain.blockTimeMs + SAMPLE_MS),
    })
    this.runtime = runtime
    const simulator = new Simulator({ getParts: () => this.runtime.parts, context: simulation })
    const search = new RouterSearch({ threads, inlinePools, log, isOnlyQuote: () => this.quoter.inFlight <= 1 })
    this.emit = emit
    this.pastSearch = new RouterSearch({ threads, inlinePools: Number.POSITIVE_INFINITY, log, isOnlyQuote: () => true })
    this.chain = chain
    this.contracts = contracts
    this.clock = clock
    this.tokens = tokens
    this.gasLessons = new GasLessons(chain.wrappedNative?.address ?? null)
    this.measuredGas = new MeasuredGas()
    this.gasProber = new GasProber({ chain, contracts, simulation, measuredGas: this.measuredGas, log })
    const getTrust = () => tokens.trustTracker.trust('earned')
    this.laterGas = new LaterGas(getTrust)
    this.senderCodeChecks = new SenderCodeChecks(tokens.catalog.registry, getTrust)
    this.neighbors = new HubNeighbors(chain, tokens.catalog.registry, (token) => tokens.facts.decimals(token))
    this.pastBlocks = new PastBlocks(chain, {
      facts: tokens.facts,
      testSale: (token, pool, source) =>
        testSale(token, pool, { ...source, simulation, signal: new AbortController().signal }),
    })
    this.simulation = simulation
    this.simulate = (request, poolAddresses) => simulator.run(request, poolAddresses)
    this.driftPercent = driftShare * 100
    this.sampler = new DriftSampler({
      ...{ contracts, log, share: driftShare, simulate: this.simulate },
      isCanonical: (block) => runtime.isCanonical(block),
    })
    runtime.onSnapshot((snapshot) => void this.sampler.observe(snapshot))
    runtime.onSnapshot((snapshot) => this.measuredGas.markChanged(snapshot))
    runtime.onSnapshot((snapshot) => this.faultyPools.forgetChanged(snapshot))
    this.priceHistory = new PriceHistory(
      chain.tokens.map(({ address }) => address),
      (block) => runtime.isCanonical(block),
    )
    runtime.onPriced((block, prices) => this.priceHistory.record(block, (token) => prices.usd(token)))
    // If another process reads the chain, the tokens with liquidity against hubs arrive with its snapshots.
    this.findsNeighbors = !openMarket
    if (this.findsNeighbors) runtime.onSnapshot(() => void this.findNeighbors())
    this.quoter = new Quoter({
      ...{ chain, contracts, tokens, simulation, clock, emit },
      runtime,
      search: (view, request, signal) => search.find(view, request, signal),
      simulate: this.simulate,
      slippageOf: (route) => autoSlippage(route, (pool) => this.sampler.statistics.measuredDrift(pool)),
      driftPenaltiesAt: (timestamp) => this.sampler.statistics.fadingPools.driftPenalties(timestamp),
      gasLessons: this.gasLessons,
      measuredGas: this.measuredGas,
      gasProber: this.gasProber,
      laterGas: this.laterGas,
      contractBalances: this.contractBalances,
      faultyPools: this.faultyPools,
      faultyTokens: this.faultyTokens,
      senderCodeChecks: this.senderCodeChecks,
      arePricesTested: (pricedTokens, view) =>
        tokens.evidence.gatherIntermediates(pricedTokens, this.evidenceSource(view), EVIDENCE_TIMEOUT_MS),
      onQuote: (view, record) => {
        this.quoteLog?.add(view.snapshot, record)
        // If the block is no longer the head, this quote is discarded and computed again, so it is not sampled.
        const { head } = record.quote
        if (!head || head.hash === view.snapshot.block.hash) this.sampler.offer(view, record)
      },
    })
    this.pastQuoter = this.createPastQuoter(this.pastBlocks, () => this.rpc)
    this.streams = new QuoteStreams({ runtime, quoter: this.quoter, log })
  }

  /** @see Quoter.quote */
  quote(request: QuoteRequest, requestContext: QuotingContext): Promise<SwapQuote> {
    return this.quoter.quote(request, requestContext)
  }

  /** @see Quoter.quoteAll */
  quoteAll(requestsOrErrors: readonly RequestOrError[], requestContext: QuotingContext): Promise<QuoteBatch> {
    return this.quoter.quoteAll(requestsOrErrors, requestContext)
  }

  /** Returns the permits that an owner can sign instead of sending an approval. @see findPermits */
  async permits(permitRequest: PermitRequest, requestContext: QuotingContext): Promise<PermitOffers> {
    const { views, rpc } = this.runtime.parts
    const block = await requestContext.time('state', () => views.head(requestContext.signal))
    const context = {
      chainId: this.chain.chainId,
      spender: this.contracts.guard,
      block,
      clock: this.clock,
      signal: requestContext.signal,
    }
    return findPermits(rpc, permitRequest, context)
  }

  /**
   * Looks up the facts without which untrusted tokens are not priced, and waits at most `EVIDENCE_TIMEOUT_MS` for them.
   *
   * @returns tokens whose look-up has not finished, so that they have no price yet
   */
  gatherEvidence(tokens: readonly Address[], view: ChainView): Promise<ReadonlySet<Address>> {
    return this.tokens.evidence.gather(tokens, this.evidenceSource(view), EVIDENCE_TIMEOUT_MS)
  }

  private evidenceSource(view: ChainView): HoldingsSource {
    return { snapshot: view.snapshot, prices: view.prices(), rpc: this.rpc }
  }

  /** Returns prices at the end of a block. @see PastBlocks.pricesAt */
  pricesAt(block: number, tokens: readonly Address[], signal: AbortSignal): ReturnType<PastBlocks['pricesAt']> {
    return this.pastBlocks.pricesAt(block, tokens, this.rpc, signal)
  }

  /**
   * Quotes a swap at the end of a past block.
   *
   * @throws QuotingError `BLOCK_AHEAD` if the chain has not reached the block
   * @see PastQuoter.quote
   */
  async quoteAtBlock(block: number, request: QuoteRequest, requestContext: QuotingContext): Promise<SwapQuote> {
    const head = await requestContext.time('state', () => this.views.head(requestContext.signal))
    if (block > head.number)
      throw new QuotingError('BLOCK_AHEAD', `block ${block} does not exist: the chain is at ${head.number}`)
    return this.pastQuoter.quote(block, request, requestContext)
  }

  /**
   * Compares a mined swap of any router with our quote at its block. Concurrent calls for the same transaction share
   * the work.
   *
   * @throws RpcError if the node fails; MarketError `BUSY` if too many swaps are queued
   */
  async judge(hash: Hex, requestContext: QuotingContext): Promise<SwapVerdict> {
    if (this.verdicts.size >= MAX_PENDING_VERDICTS) throw new MarketError('BUSY', 'too many swaps are being judged')
    return this.verdicts.run(hash, requestContext.signal, (signal) =>
      this.verdictSlots.run(() => {
        signal.throwIfAborted()
        return this.judgeSwap(hash, withSignal(requestContext, signal))
      }),
    )
  }

  private judgeSwap(hash: Hex, requestContext: QuotingContext): Promise<SwapVerdict> {
    const { chain } = this
    const newestRpc = this.rpc
    const quoteWithRpc = async (rpc: Rpc, block: number, request: QuoteRequest, quoteContext: QuotingContext) => {
      if (rpc === newestRpc) return this.pastQuoter.quote(block, request, quoteContext)
      // This RPC reads the state in the middle of a block, so no other quote can reuse pools that were read from it.
      const blocks = new PastBlocks(chain, { facts: this.tokens.facts })
      try {
        return await this.createPastQuoter(blocks, () => rpc).quote(block, request, quoteContext)
      } finally {
        await blocks.close()
      }
    }
    return judgeTransaction(hash, { chain, rpc: newestRpc, quoteWithRpc }, requestContext)
  }

  /** @param getRpc - returns the node that reads pools and simulates at past blocks */
  private createPastQuoter(blocks: PastBlocks, getRpc: () => Rpc): PastQuoter {
    const {
      chain,
      contracts,
      tokens,
      simulation,
      emit,
      listPools,
      gasLessons,
      measuredGas,
      gasProber,
      senderCodeChecks,
    } = this
    return new PastQuoter({
      ...{ chain, contracts, tokens, simulation, emit, blocks, getRpc, listPools },
      ...{ gasLessons, measuredGas, gasProber, senderCodeChecks },
      loadOlderContracts: this.loadOlderContracts,
      getCodesRpc: () => this.rpc,
      search: (view, request, signal) => this.pastSearch.find(view, request, signal),
      slippageOf: (route) => autoSlippage(route, (pool) => this.sampler.statistics.measuredDrift(pool)),
      driftPenaltiesAt: (timestamp) => this.sampler.statistics.fadingPools.driftPenalties(timestamp),
    })
  }

  /**
   * Lists the pools of tokens from the market of the newest block, for quotes at past blocks. A search of past logs for
   * each past block would take minutes.
   */
  private readonly listPools: ListPools = async (tokens) => {
    const { market } = this.runtime.parts
    if (!market.scannedPools) return undefined
    await market.ensureGroups([tokens])
    return { pools: await market.scannedPools(tokens), isComplete: isScanned(market) }
  }

  /** Looks for more tokens with liquidity against the chain's hubs, unless the chain sleeps. */
  private async findNeighbors(): Promise<void> {
    const { partsIfAwake } = this.runtime
    if (partsIfAwake) await this.neighbors.run(partsIfAwake)
  }

  /**
   * Lists the tokens that users can choose, deepest liquidity first: all tokens, or the tokens that match a text.
   *
   * @throws RpcError
   */
  listTokens(text: string | undefined): Promise<Catalog> {
    const { catalog } = this.tokens
    // Concurrent callers share the result, so it has no caller's signal.
    const { signal } = new AbortController()
    const source = async (extraTokens: readonly Address[] = []) => {
      const { rpc, views } = this.runtime.parts
      const { view, isComplete } = await views.recent([...catalog.registry, ...extraTokens], signal)
      await Promise.race([view.prices().whenCurrent(), setTimeout(PRICES_TIMEOUT_MS)])
      // The list also names neighbors, which nobody has requested, so it is incomplete until their first search has run.
      const hasNeighbors = !this.findsNeighbors || this.neighbors.isStarted
      return { view, rpc, isComplete: isComplete && hasNeighbors && view.prices().isCurrent }
    }
    return text === undefined ? catalog.load(source) : catalog.search(text, source)
  }

  /** Views of the chain for requests. Reading this wakes the chain. */
  get views(): ChainViews {
    return this.runtime.parts.views
  }

  get rpc(): Rpc {
    return this.runtime.parts.rpc
  }

  /** @see ChainRuntime.recentResponse */
  recentResponse(target: string): string | undefined {
    return this.runtime.recentResponse(target)
  }

  /** Drift of quotes one and two blocks later, for at most `maxPools` pools. @see DriftStatistics.figures */
  drift(maxPools: number): DriftFigures {
    return this.sampler.statistics.figures(maxPools)
  }

  status(): ChainStatus {
    const status = this.runtime.status()
    return this.isSettling(status) ? { ...status, settling: true } : status
  }

  /** Waits until no background work can improve quotes of one block any more, or until the timeout. */
  async waitUntilSettled(timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs
    while (this.isSettling(this.runtime.status()) && performance.now() < deadline) await setTimeout(SETTLE_POLL_MS)
  }

  /** True while pools are being searched or gas is being measured in the background, which may improve quotes. */
  private isSettling({ state, scan }: ChainStatus): boolean {
    if (state === 'asleep') return false
    const isSearching = scan?.state === 'scanning' || (this.runtime.counts.queued?.entries ?? 0) > 0
    return isSearching || this.gasProber.isRunning
  }

  /** Sizes of the stores that untrusted input can fill, with their limits. */
  get counts(): Readonly<Record<string, StateCount>> {
    const { slots, limiter } = this.simulation
    const senderCodeChecks = this.senderCodeChecks.counts
    const quoteLog = this.quoteLog && { quoteLog: this.quoteLog.counts }
    return {
      ...this.runtime.counts,
      ...this.tokens.counts,
      ...slots.counts,
      targets: limiter.count,
      ...quoteLog,
      sampledPools: this.sampler.statistics.count,
      gasLessons: this.gasLessons.count,
      measuredGas: this.measuredGas.count,
      faultyPools: this.faultyPools.count,
      faultyTokens: this.faultyTokens.count,
      laterGas: this.laterGas.count,
      contractBalances: this.contractBalances.count,
      neighbors: this.neighbors.count,
      walletCodes: senderCodeChecks.codes,
      walletsCompared: senderCodeChecks.compared,
      walletsDiffering: senderCodeChecks.differing,
      pastBlocks: this.pastBlocks.count,
      withdrawingPools: this.sampler.statistics.fadingPools.count,
    }
  }

  get rpcHealth(): ReturnType<Rpc['health']> | undefined {
    return this.runtime.rpcHealth
  }

  /** @see ChainRuntime.audit */
  get audit(): AuditCount | undefined {
    return this.runtime.audit
  }

  async sleep(): Promise<void> {
    await this.runtime.sleep()
    await this.quoteLog?.close()
  }
}
