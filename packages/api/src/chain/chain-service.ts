import { join } from 'node:path'
import { type Address, type Chain, type Deployment, NATIVE } from '@sluice/chains'
import { type AuditCount, createMarket, families, type Market, type MarketOptions, TokenFacts } from '@sluice/liquidity'
import { Prices } from '@sluice/pricing'
import {
  type NativeErc20,
  type RouteRequest,
  type RouteResult,
  type RouterThreads,
  RoutingError,
} from '@sluice/routing'
import { type BlockHeader, createRpc, type Rpc } from '@sluice/rpc'
import {
  createSimulationContext,
  type SimulationContext,
  SimulationError,
  type SimulationRequest,
  type SimulationResult,
  type StateCount,
  simulateSwap,
} from '@sluice/simulation'
import type { Logger } from 'pino'
import { Admission } from '../admission/admission.ts'
import type { Places } from '../admission/places.ts'
import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'
import { SingleFlight } from '../http/single-flight.ts'
import type { Metrics } from '../metrics.ts'
import { countRpcEvent } from '../rpc-metrics.ts'
import type { Quote } from '../swap/judge.ts'
import { assertDeployed, executorInUse } from './contracts.ts'
import { searchHere } from './inline-search.ts'
import { replayOf } from './replay.ts'
import { Standings } from './standings.ts'
import { awakeStatus, type ChainStatus } from './status.ts'
import { TaxBook } from './taxes.ts'
import { TokenReports } from './token-reports.ts'
import { TouchedPools } from './touched.ts'
import type { ChainView } from './view.ts'
import { ChainViews } from './views.ts'

type Options = {
  readonly chain: Chain
  readonly deployment: Deployment
  readonly routerAddress: string
  readonly config: Config
  readonly metrics: Metrics
  readonly log: Logger
  readonly threads: RouterThreads
  readonly places: Places
}

/** What exists only while the chain is awake. */
type Awake = { readonly rpc: Rpc; readonly market: Market; readonly prices: Prices; readonly views: ChainViews }

const MAX_DONORS = 3
/** One chain: wakes at its first request, follows blocks while it is asked for, and sleeps when idle. */
export class ChainService {
  readonly chain: Chain
  readonly deployment: Deployment
  readonly executor: Deployment['executors'][number]
  readonly routerAddress: string
  readonly admission: Admission
  readonly quotes = new SingleFlight<Quote>()
  readonly tokens: TokenFacts
  readonly taxes = new TaxBook()
  readonly tokenReports = new TokenReports()
  readonly touched = new TouchedPools()
  readonly standings: Standings
  readonly families = new Map(families.map((family) => [family.id, family]))
  readonly metrics: Metrics
  /** Storage layouts of tokens stay known while the chain sleeps. */
  readonly simulation: SimulationContext
  private readonly config: Config
  private readonly log: Logger
  private readonly threads: RouterThreads
  private awake: Awake | undefined
  private idleTimer: NodeJS.Timeout | undefined

  constructor({ chain, deployment, routerAddress, config, metrics, log, threads, places }: Options) {
    const executor = executorInUse(deployment)
    if (!executor) throw new ApiError('UNSUPPORTED_CHAIN', `chain ${chain.chainId} has no Executor`)
    this.chain = chain
    this.deployment = deployment
    this.executor = executor
    this.routerAddress = routerAddress
    this.config = config
    this.metrics = metrics
    this.threads = threads
    this.log = log.child({ chain: chain.chainId })
    this.admission = new Admission({ places, maxWaiting: config.maxQueued, maxWaitMs: config.maxWaitMs })
    this.tokens = new TokenFacts(chain)
    this.standings = new Standings({
      chain,
      earnBlocks: config.earnBlocks,
      decimals: (token) => this.tokens.decimals(token),
      measure: (token, snapshot) => {
        const { signal } = new AbortController()
        const source = { rpc: this.rpc, simulation: this.simulation, block: { blockHash: snapshot.block.hash }, signal }
        return this.tokenReports.of(token, snapshot, source)
      },
    })
    this.simulation = createSimulationContext({ maxGas: config.simulateGasCap, timeoutMs: config.rpcTimeoutMs })
  }

  get wrappedNative(): Address | null {
    return this.chain.wrappedNative?.address ?? null
  }

  /** What gas is priced by where nothing wraps the native token. */
  get nativeErc20(): NativeErc20 | undefined {
    const token = this.chain.nativeErc20?.address
    const decimals = token && this.tokens.decimals(token)
    if (token === undefined || decimals === undefined) return undefined
    return { token, unitsPerWei: 10 ** (decimals - this.chain.nativeCurrency.decimals) }
  }

  get rpc(): Rpc {
    return this.wake().rpc
  }

  /** Families that the Executor in use can swap in. */
  get executable(): ReadonlySet<string> {
    return new Set(this.executor.families)
  }

  /** @throws ApiError for NATIVE on a chain that has no wrapper for it */
  asErc20(token: Address): Address {
    if (token !== NATIVE) return token
    if (this.wrappedNative) return this.wrappedNative
    const { displayName, nativeErc20 } = this.chain
    const instead = nativeErc20 ? `; trade ${nativeErc20.symbol} at ${nativeErc20.address} instead` : ''
    throw new ApiError('NATIVE_UNSUPPORTED', `nothing wraps the native token of ${displayName}${instead}`)
  }

  /** What requests see of the chain, which is followed from then on. */
  get views(): ChainViews {
    return this.wake().views
  }

  /** Whether a block is in memory. */
  get isFollowed(): boolean {
    return this.awake?.market.health().head != null
  }

  /** Whether a block is of the chain as it is known now. */
  holds(block: BlockHeader): boolean {
    return this.wake().market.has(block)
  }

  /**
   * The best route in the pools of a view. Large chains are searched in a thread, so that no request waits for the search of
   * another. Small ones are searched here, where most searches take less time than it would to ask a thread; one that takes
   * more than a little work is begun anew in a thread, which can be ended. The result is the same.
   *
   * @throws RoutingError
   */
  async findRoute({ snapshot, graph }: ChainView, request: RouteRequest, signal?: AbortSignal): Promise<RouteResult> {
    try {
      const here = snapshot.pools.size > this.config.routeInlinePools ? null : searchHere(graph(), request)
      return here ?? (await this.threads.findRoute(snapshot, request, signal))
    } catch (error) {
      if (error instanceof RoutingError)
        this.log.error({ err: error, replay: replayOf(snapshot, request) }, 'a search went wrong')
      throw error
    }
  }

  /**
   * Runs a swap against the chain's state. Tokens whose storage cannot be found are lent by pools that hold them.
   *
   * @param avoid - pools that the swap uses, which may not lend
   * @throws SimulationError, RpcError
   */
  async simulate(request: SimulationRequest, avoid: ReadonlySet<Address> = new Set()): Promise<SimulationResult> {
    try {
      return await simulateSwap(this.rpc, request, this.simulation)
    } catch (error) {
      if (!(error instanceof SimulationError) || error.code !== 'UNKNOWN_SLOTS') throw error
      const { market } = this.wake()
      const { pools } = await market.ensure([request.tokenIn], request.signal ? { signal: request.signal } : {})
      const donors: Address[] = []
      for (const { tokens, address } of pools.values())
        if (donors.length < MAX_DONORS && tokens.includes(request.tokenIn) && !avoid.has(address)) donors.push(address)
      if (donors.length === 0) throw error
      return simulateSwap(this.rpc, { ...request, donors }, this.simulation)
    }
  }

  status(): ChainStatus {
    const { chainId } = this.chain
    if (!this.awake) return { chainId, state: 'asleep' }
    const { market, views, rpc } = this.awake
    const { head, error } = market.health()
    return awakeStatus(chainId, { head, error, clock: rpc.health().clock, pools: views.pools })
  }

  /** How full each thing is that strangers can fill. */
  get state(): Readonly<Record<string, StateCount>> {
    const { slots, limiter } = this.simulation
    return {
      facts: this.tokens.count,
      ...this.awake?.market.state(),
      ...this.awake?.views.counts,
      ...slots.counts,
      targets: limiter.count,
      ...this.taxes.counts,
      reports: this.tokenReports.count,
    }
  }

  /** How the endpoints do; undefined while the chain sleeps. */
  get rpcHealth(): ReturnType<Rpc['health']> | undefined {
    return this.awake?.rpc.health()
  }

  /** What the comparison of memory with the chain has found. */
  get audit(): AuditCount | undefined {
    return this.awake?.market.health().audit
  }

  async sleep(): Promise<void> {
    clearTimeout(this.idleTimer)
    const { awake } = this
    this.awake = undefined
    this.standings.forget()
    this.threads.forget(this.chain.chainId)
    await awake?.market.stop()
    awake?.rpc.close()
  }

  private wake(): Awake {
    if (this.awake) {
      this.idleTimer?.refresh()
      return this.awake
    }
    this.idleTimer = setTimeout(() => this.sleepIfIdle(), this.config.idleSleepMs).unref()
    const { chainId, rpcUrls } = this.chain
    const rpc = createRpc({
      chainId,
      urls: this.config.rpcUrls.get(chainId) ?? rpcUrls,
      timeoutMs: this.config.rpcTimeoutMs,
      background: { calls: this.config.rpcBackgroundCalls, bytes: this.config.rpcBackgroundBytes },
      onFailure: (endpoint, { code }) => this.metrics.rpcErrors.inc({ chain: chainId, endpoint, code }),
      onEvent: (event) => this.metrics.afterwards.add(() => countRpcEvent(this.metrics.rpc, chainId, event)),
    })
    const { chain, tokens } = this
    const market = createMarket({ chain, rpc, facts: tokens, ...this.saveOptions() })
    const prices = new Prices(chain, {
      decimals: (token) => tokens.decimals(token),
      onFault: ({ id }, error) => this.log.error({ err: error, pool: id }, 'a pool cannot be priced'),
    })
    this.standings.price(prices)
    market.onSnapshot((snapshot) => {
      this.touched.observe(snapshot)
      this.standings.observe(snapshot)
      prices.follow(snapshot).catch((error: unknown) => this.log.error({ err: error }, 'prices stand still'))
    })
    market.start()
    this.log.info('chain wakes')
    const contracts = { Guard: this.deployment.guard, Executor: this.executor }
    const views = new ChainViews({
      ...{ chain, rpc, market, prices },
      assertDeployed: (block) => assertDeployed(contracts, rpc, block),
    })
    this.awake = { rpc, market, prices, views }
    return this.awake
  }

  private saveOptions(): Pick<MarketOptions, 'save'> {
    const { dataDir, dataSaveMs } = this.config
    if (dataDir === undefined) return {}
    const path = join(dataDir, `${this.chain.chainId}.sqlite`)
    const onError = (error: Error) => this.log.warn({ err: error, path }, 'known pools cannot be saved or restored')
    return { save: { path, everyMs: dataSaveMs, onError } }
  }

  private async sleepIfIdle(): Promise<void> {
    if (this.admission.load.running > 0) return void this.wake()
    this.log.info('chain sleeps')
    await this.sleep()
  }
}
