import { setTimeout } from 'node:timers/promises'
import type { Address, Chain, Deployment, Hex } from '@sluice/chains'
import { type AuditCount, MarketError } from '@sluice/liquidity'
import type { RouterThreads } from '@sluice/routing'
import { type Rpc, Semaphore } from '@sluice/rpc'
import { createSimulationContext, type SimulationContext, type StateCount } from '@sluice/simulation'
import { SwapContracts } from './chain/contracts.ts'
import { ChainRuntime, type OpenMarket, type RuntimeSettings } from './chain/runtime.ts'
import type { ChainStatus } from './chain/status.ts'
import type { Clock } from './deadline.ts'
import { autoSlippage } from './drift/auto-slippage.ts'
import { DriftSampler } from './drift/sampler.ts'
import type { DriftFigures } from './drift/statistics.ts'
import { QuotingError } from './errors.ts'
import type { Log, QuotingListener } from './events.ts'
import { GasProber } from './gas/gas-prober.ts'
import { LaterGas } from './gas/later-gas.ts'
import { GasLessons } from './gas/learned-gas.ts'
import { MeasuredGas } from './gas/measured-gas.ts'
import { QuoteLog, type QuoteLogOptions } from './log/quote-log.ts'
import { findPermits, type Offers, type WantedPermit } from './permit/find-permits.ts'
import type { Batch, Wanted } from './quote/batch.ts'
import type { Quote } from './quote/finalize.ts'
import { PastQuoter } from './quote/past-quoter.ts'
import { type Simulate, type Work, withSignal } from './quote/ports.ts'
import { Quoter } from './quote/quoter.ts'
import type { QuoteRequest } from './quote/request.ts'
import { SingleFlight } from './quote/single-flight.ts'
import { referee, type Verdict } from './referee/referee.ts'
import { RouterSearch } from './search/router-search.ts'
import { Simulator } from './simulation/simulator.ts'
import { WalletChecks } from './simulation/wallet-checks.ts'
import { QuoteStreams } from './stream/quote-streams.ts'
import { ChainTokens } from './tokens/chain-tokens.ts'
import { HubNeighbors } from './tokens/hub-neighbors.ts'
import { type SharedFact, takeFact, tellFacts } from './tokens/shared-facts.ts'
import type { Catalog } from './tokens/token-catalog.ts'
import { isScanned, type ListPools, PastBlocks } from './view/past-blocks.ts'
import type { ChainView } from './view/view.ts'
import type { ChainViews } from './view/views.ts'

/** Milliseconds that a list of tokens waits for prices to take in a block. */
const PRICES_PATIENCE_MS = 300

/** Time within which a measured quote's next blocks come: block times, and milliseconds for those of the fastest chains. */
const SAMPLE_BLOCKS = 3
const SAMPLE_MS = 2_000
/** Milliseconds that prices wait for what is looked up of tokens that nobody vouches for. */
const EVIDENCE_TIMEOUT_MS = 300

export type ChainSettings = RuntimeSettings & {
  /** Most pools of a chain whose routes are searched in this thread, where that is little work. */
  readonly inlinePools: number
  /** Blocks in a row that it takes a token to earn trust; a day of them when absent. */
  readonly earnBlocks?: number | undefined
  /** Log in which quotes are kept, to be made again; none when absent. */
  readonly quoteLog?: QuoteLogOptions | undefined
  /** The share of the node's calls that goes into simulating quotes again in later blocks, from 0 to 1; 0 when absent. */
  readonly driftShare?: number | undefined
  /** Most gas of a simulation. */
  readonly maxGas: bigint
}

export type LiveChainOptions = {
  readonly chain: Chain
  readonly deployment: Deployment
  readonly settings: ChainSettings
  /** Shared by all chains of a process, and closed by whoever made them. */
  readonly threads: RouterThreads
  readonly log: Log
  readonly onEvent?: QuotingListener
  readonly isBusy?: () => boolean
  readonly clock?: Clock
  /** Keeps the market elsewhere than in this process. */
  readonly openMarket?: OpenMarket | undefined
  /** Tells other processes what was measured here. */
  readonly tell?: ((fact: SharedFact) => void) | undefined
}

/** Swaps that are judged at a time, each with pools of its own in memory, and that may wait for that. */
const HEARINGS_AT_ONCE = 2
const MAX_HEARINGS = 10
/** Milliseconds between two looks at whether a chain has settled. */
const SETTLE_STEP_MS = 50

/** One chain to be quoted: everything that a quote needs, put together. */
export class LiveChain {
  readonly chain: Chain
  readonly contracts: SwapContracts
  readonly tokens: ChainTokens
  /** Storage layouts of tokens stay known while the chain sleeps. */
  readonly simulation: SimulationContext
  readonly simulate: Simulate
  private readonly runtime: ChainRuntime
  private readonly quoter: Quoter
  private readonly quoteLog: QuoteLog | undefined
  private readonly sampler: DriftSampler
  private readonly clock: Clock
  private readonly gasLessons: GasLessons
  private readonly measuredGas: MeasuredGas
  private readonly gasProber: GasProber
  private readonly laterGas: LaterGas
  readonly walletChecks: WalletChecks
  private readonly neighbors: HubNeighbors
  private readonly past: PastBlocks
  private readonly pastQuoter: PastQuoter
  private readonly hearings = new SingleFlight<Verdict>()
  private readonly hearingTurns = new Semaphore(HEARINGS_AT_ONCE)
  /** Searches of past blocks, which hold the pools of few pairs: one that takes long goes to a thread in any case. */
  private readonly pastSearch: RouterSearch
  private readonly emit: QuotingListener
  /** Percent of the node's calls that go into simulating quotes again. */
  readonly driftPercent: number
  /** Quotes that are kept up to date. */
  readonly streams: QuoteStreams

  /** Long: it puts all parts of a chain together. @throws QuotingError `NO_EXECUTOR` */
  constructor({ chain, deployment, settings, threads, log, ...rest }: LiveChainOptions) {
    const { onEvent: emit = () => {}, isBusy = () => false, clock = Date.now, openMarket, tell } = rest
    const { inlinePools, earnBlocks, maxGas, quoteLog, driftShare = 0, ...runtimeSettings } = settings
    const contracts = new SwapContracts(deployment)
    const simulation = createSimulationContext({
      ...{ maxGas, timeoutMs: settings.rpc.timeoutMs, blockIntervalMs: chain.blockTimeMs },
    })
    const tokens = new ChainTokens({
      chain,
      earnBlocks,
      source: ({ block }) => ({ rpc: this.rpc, simulation, block: { blockHash: block.hash } }),
    })
    this.quoteLog = quoteLog && new QuoteLog(quoteLog, log)
    const known = { facts: tokens.facts, taxes: tokens.taxes, slots: simulation.slots }
    if (tell) tellFacts(known, tell)
    const onSleep = () => {
      threads.forget(chain.chainId)
      void this.quoteLog?.close()
      this.sampler.forget()
      this.gasProber.forget()
      void this.past.close()
    }
    const runtime = new ChainRuntime({
      ...{ ...runtimeSettings, chain, contracts, tokens, log, onSleep, openMarket, fees: simulation.fees },
      onFact: (fact) => takeFact(known, fact),
      emit: (event) => {
        if (event.kind === 'rpc' && event.event.kind === 'sent') this.sampler.spent(event.event.methods.length)
        emit(event)
      },
      isBusy: () => isBusy() || this.streams.counts.streams > 0,
      isWatched: () =>
        this.streams.counts.streams > 0 || this.sampler.awaitsBlocks(SAMPLE_BLOCKS * chain.blockTimeMs + SAMPLE_MS),
    })
    this.runtime = runtime
    const simulator = new Simulator({ now: () => this.runtime.now, context: simulation })
    const search = new RouterSearch({ threads, inlinePools, log, isAlone: () => this.quoter.underWay <= 1 })
    this.emit = emit
    this.pastSearch = new RouterSearch({ threads, inlinePools: Number.POSITIVE_INFINITY, log, isAlone: () => true })
    this.chain = chain
    this.contracts = contracts
    this.clock = clock
    this.tokens = tokens
    this.gasLessons = new GasLessons(chain.wrappedNative?.address ?? null)
    this.measuredGas = new MeasuredGas()
    this.gasProber = new GasProber({ chain, contracts, simulation, measured: this.measuredGas, log })
    this.laterGas = new LaterGas()
    this.walletChecks = new WalletChecks(tokens.catalog.registry)
    this.neighbors = new HubNeighbors(chain, tokens.catalog.registry, (token) => tokens.facts.decimals(token))
    this.past = new PastBlocks(chain, { facts: tokens.facts })
    this.simulation = simulation
    this.simulate = (request, avoid) => simulator.run(request, avoid)
    this.driftPercent = driftShare * 100
    this.sampler = new DriftSampler({
      ...{ contracts, log, share: driftShare, simulate: this.simulate },
      holds: (block) => runtime.holds(block),
      onSample: () => {},
    })
    runtime.onSnapshot((snapshot) => void this.sampler.observe(snapshot))
    runtime.onSnapshot((snapshot) => this.measuredGas.follow(snapshot))
    // Where another process reads the chain, that one's findings come with its snapshots.
    if (!openMarket) runtime.onSnapshot(() => void this.findNeighbors())
    this.quoter = new Quoter({
      ...{ chain, contracts, tokens, simulation, clock, emit },
      runtime,
      search: (view, request, signal) => search.find(view, request, signal),
      simulate: this.simulate,
      slippageOf: (route) => autoSlippage(route, (pool) => this.sampler.statistics.measured(pool)),
      haircutsAt: (timestamp) => this.sampler.statistics.withdrawals.haircuts(timestamp),
      gasLessons: this.gasLessons,
      measuredGas: this.measuredGas,
      gasProber: this.gasProber,
      laterGas: this.laterGas,
      walletChecks: this.walletChecks,
      onMade: (view, made) => {
        this.quoteLog?.add(view.snapshot, made)
        // Of a block that has others on top already it is answered to nobody.
        const { head } = made.quote
        if (!head || head.hash === view.snapshot.block.hash) this.sampler.offer(view, made)
      },
    })
    this.pastQuoter = this.pastQuoterOver(this.past, () => this.rpc)
    this.streams = new QuoteStreams({ runtime, quoter: this.quoter, log })
  }

  /** @see Quoter.quote */
  quote(request: QuoteRequest, work: Work): Promise<Quote> {
    return this.quoter.quote(request, work)
  }

  /** @see Quoter.quoteAll */
  quoteAll(wanted: readonly Wanted[], work: Work): Promise<Batch> {
    return this.quoter.quoteAll(wanted, work)
  }

  /** Forms of permission that an owner may sign in the place of an approval, by token and amount. @see findPermits */
  async permits(wanted: WantedPermit, work: Work): Promise<Offers> {
    const { views, rpc } = this.runtime.now
    const block = await work.time('state', () => views.head(work.signal))
    const about = {
      chainId: this.chain.chainId,
      spender: this.contracts.guard,
      block,
      clock: this.clock,
      signal: work.signal,
    }
    return findPermits(rpc, wanted, about)
  }

  /**
   * Looks up what tokens need before they are priced; waits a moment for it.
   *
   * @returns tokens that are still looked at, which have no price before
   */
  gatherEvidence(tokens: readonly Address[], view: ChainView): Promise<ReadonlySet<Address>> {
    const source = { snapshot: view.snapshot, prices: view.prices(), rpc: this.rpc }
    return this.tokens.evidence.gather(tokens, source, EVIDENCE_TIMEOUT_MS)
  }

  /** Prices at the end of a block. @see PastBlocks.pricesAt */
  pricesAt(block: number, tokens: readonly Address[], signal: AbortSignal): ReturnType<PastBlocks['pricesAt']> {
    return this.past.pricesAt(block, tokens, this.rpc, signal)
  }

  /**
   * The quote that was best at the end of a past block.
   *
   * @throws QuotingError `BLOCK_AHEAD` for a block that the chain has not reached
   * @see PastQuoter.quote
   */
  async quoteAtBlock(block: number, request: QuoteRequest, work: Work): Promise<Quote> {
    const head = await work.time('state', () => this.views.head(work.signal))
    if (block > head.number)
      throw new QuotingError('BLOCK_AHEAD', `block ${block} does not exist: the chain is at ${head.number}`)
    return this.pastQuoter.quote(block, request, work)
  }

  /**
   * Judges a mined swap of any router. Callers who ask for the same one at the same time share the work.
   *
   * @throws RpcError if the node fails; MarketError `BUSY` if too many wait
   */
  async judge(hash: Hex, work: Work): Promise<Verdict> {
    if (this.hearings.size >= MAX_HEARINGS) throw new MarketError('BUSY', 'too many swaps are being judged')
    return this.hearings.run(hash, work.signal, (signal) =>
      this.hearingTurns.run(() => {
        signal.throwIfAborted()
        return this.refereeOf(hash, withSignal(work, signal))
      }),
    )
  }

  private refereeOf(hash: Hex, work: Work): Promise<Verdict> {
    const { chain } = this
    const now = this.rpc
    const quoteOver = async (rpc: Rpc, block: number, request: QuoteRequest, own: Work) => {
      if (rpc === now) return this.pastQuoter.quote(block, request, own)
      // Its state is that of no block: nothing of it is kept.
      const blocks = new PastBlocks(chain, { facts: this.tokens.facts })
      try {
        return await this.pastQuoterOver(blocks, () => rpc).quote(block, request, own)
      } finally {
        await blocks.close()
      }
    }
    return referee(hash, { chain, rpc: now, quoteOver }, work)
  }

  /** @param rpc - node that past blocks are read and simulated by */
  private pastQuoterOver(blocks: PastBlocks, rpc: () => Rpc): PastQuoter {
    const { chain, contracts, tokens, simulation, emit, listPools, gasLessons, measuredGas, gasProber, walletChecks } =
      this
    return new PastQuoter({
      ...{ chain, contracts, tokens, simulation, emit, blocks, rpc, listPools },
      ...{ gasLessons, measuredGas, gasProber, walletChecks },
      codesRpc: () => this.rpc,
      search: (view, request, signal) => this.pastSearch.find(view, request, signal),
      slippageOf: (route) => autoSlippage(route, (pool) => this.sampler.statistics.measured(pool)),
      haircutsAt: (timestamp) => this.sampler.statistics.withdrawals.haircuts(timestamp),
    })
  }

  /** The market's list for a past block, made with the pools of the tokens at the newest one. */
  private readonly listPools: ListPools = async (tokens) => {
    const { market } = this.runtime.now
    if (!market.listed) return undefined
    await market.ensureGroups([tokens])
    return { pools: await market.listed(tokens), isWhole: isScanned(market) }
  }

  /** While the chain is awake: some more of the tokens that have liquidity beside its hubs. */
  private async findNeighbors(): Promise<void> {
    const awake = this.runtime.awakeParts
    if (awake) await this.neighbors.run(awake)
  }

  /** Tokens to choose from, deepest first: all, or those that match a text. @throws RpcError */
  listTokens(text: string | undefined): Promise<Catalog> {
    const { catalog } = this.tokens
    // Shared with others who ask, so it does not end with the one who asked first.
    const { signal } = new AbortController()
    const source = async (also: readonly Address[] = []) => {
      const { rpc, views } = this.runtime.now
      const { view, isWhole } = await views.recent([...catalog.registry, ...also], signal)
      await Promise.race([view.prices().caughtUp(), setTimeout(PRICES_PATIENCE_MS)])
      return { view, rpc, isWhole: isWhole && view.prices().isCurrent }
    }
    return text === undefined ? catalog.whole(source) : catalog.search(text, source)
  }

  /** The chain as requests see it, which is followed from then on. */
  get views(): ChainViews {
    return this.runtime.now.views
  }

  get rpc(): Rpc {
    return this.runtime.now.rpc
  }

  /** @see ChainRuntime.recentAnswer */
  recentAnswer(target: string): string | undefined {
    return this.runtime.recentAnswer(target)
  }

  /** Drift of quotes one and two blocks later. @see DriftStatistics.figures */
  drift(most: number): DriftFigures {
    return this.sampler.statistics.figures(most)
  }

  status(): ChainStatus {
    const status = this.runtime.status()
    return this.isSettling(status) ? { ...status, settling: true } : status
  }

  /** Waits until answers of one block stop getting better by what is found in the background, or until a time limit. */
  async settled(timeoutMs: number): Promise<void> {
    const deadline = Date.now() + timeoutMs
    while (this.isSettling(this.runtime.status()) && Date.now() < deadline) await setTimeout(SETTLE_STEP_MS)
  }

  private isSettling({ state, scan }: ChainStatus): boolean {
    if (state === 'asleep') return false
    const isSearching = scan?.state === 'scanning' || (this.runtime.counts.queued?.entries ?? 0) > 0
    return isSearching || this.gasProber.isRunning
  }

  /** Fill of each thing that strangers can fill. */
  get counts(): Readonly<Record<string, StateCount>> {
    const { slots, limiter } = this.simulation
    const walletChecks = this.walletChecks.counts
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
      laterGas: this.laterGas.count,
      neighbors: this.neighbors.count,
      walletCodes: walletChecks.codes,
      walletsCompared: walletChecks.compared,
      walletsDiffering: walletChecks.differing,
      pastBlocks: this.past.count,
      withdrawingPools: this.sampler.statistics.withdrawals.count,
    }
  }

  get rpcHealth(): ReturnType<Rpc['health']> | undefined {
    return this.runtime.rpcHealth
  }

  get audit(): AuditCount | undefined {
    return this.runtime.audit
  }

  async sleep(): Promise<void> {
    await this.runtime.sleep()
    await this.quoteLog?.close()
  }
}
