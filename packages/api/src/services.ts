/** Creates the chains that this process serves, and owns the resources that they share. */
import { join } from 'node:path'
import type { Chain, Registry } from '@sluice/chains'
import type { ChainSettings } from '@sluice/quoting'
import { RouterThreads } from '@sluice/routing'
import { type Logger, pino } from 'pino'
import { ConcurrencyLimit } from './admission/concurrency-limit.ts'
import { type Config, rpcOptions } from './config.ts'
import { countEvents } from './count-events.ts'
import { ApiError } from './errors.ts'
import { EventStreams } from './http/event-streams.ts'
import type { Metrics } from './metrics.ts'
import type { PoolListLoaders } from './pool-files.ts'
import { unsupportedChainError } from './requests.ts'
import type { ScaleOut } from './scale-out.ts'
import { ServedChain } from './served-chain.ts'

type ServiceOverrides = {
  /** Threads for route searches. All chains share them, and `close` closes them. */
  readonly threads?: RouterThreads
  readonly scaleOut?: ScaleOut | undefined
  /** Functions that decode the pool lists of `POOLS`, by chain id. Past logs that a list covers are not searched. */
  readonly poolListLoaders?: PoolListLoaders
}

/**
 * The served chains of this process. A chain starts at the first request for it, and its failures affect no other
 * chain.
 */
export class Services {
  readonly registry: Registry
  readonly metrics: Metrics
  readonly log: Logger
  /** True once the service is stopping. It then accepts no new work. */
  isClosing = false
  readonly streams: EventStreams
  private readonly config: Config
  private readonly threads: RouterThreads
  private readonly concurrency: ConcurrencyLimit
  private readonly chains = new Map<number, ServedChain>()
  private readonly poolListLoaders: PoolListLoaders

  /** Connection to the state shared over Redis; undefined without `REDIS_URL`. */
  readonly scaleOut: ScaleOut | undefined

  constructor(registry: Registry, config: Config, metrics: Metrics, log: Logger, overrides: ServiceOverrides = {}) {
    const { threads = createThreads(config), scaleOut, poolListLoaders = new Map() } = overrides
    this.poolListLoaders = poolListLoaders
    this.scaleOut = scaleOut
    this.registry = registry
    this.config = config
    this.threads = threads
    this.concurrency = new ConcurrencyLimit(config.maxConcurrent)
    this.streams = new EventStreams({ maxTotal: config.maxStreams, maxPerCaller: config.maxStreamsPerCaller })
    this.metrics = metrics
    this.log = log
  }

  /**
   * Returns a chain, and creates it at the first call.
   *
   * @throws ApiError `UNSUPPORTED_CHAIN` for a chain that is not in `/chains`
   */
  chain(chainId: number): ServedChain {
    const existingChain = this.chains.get(chainId)
    if (existingChain) return existingChain
    const chainMapEntry = this.registry.chainMap()[String(chainId)]
    const chain = this.registry.chain(chainId)
    const deployment = chainMapEntry && this.registry.deployment(chainId)
    if (!chainMapEntry || !chain || !deployment) throw unsupportedChainError(chainId, chain?.unsupported)
    const { config, threads, concurrency } = this
    const servedChain = new ServedChain({
      ...{ chain, deployment, threads },
      routerAddress: chainMapEntry.RouterAddress,
      admission: { concurrency, maxWaiting: config.maxQueued, maxWaitMs: config.maxWaitMs },
      settings: settingsOf(chain, config, this.poolListLoaders),
      log: this.log.child({ chain: chainId }),
      onEvent: countEvents(this.metrics, chainId),
      openMarket: this.scaleOut?.openMarket,
      publishFact: this.scaleOut && ((fact) => this.scaleOut?.publishFact(chainId, fact)),
    })
    this.chains.set(chainId, servedChain)
    return servedChain
  }

  /** Returns a chain that had a request since the start; undefined for any other chain. */
  startedChain(chainId: number): ServedChain | undefined {
    return this.chains.get(chainId)
  }

  /** Chains that had a request since the start. */
  get startedChains(): readonly ServedChain[] {
    return [...this.chains.values()]
  }

  /** Marks the service as not ready, and ends all event streams, because streams do not end by themselves. */
  stop(): void {
    this.isClosing = true
    this.streams.endAll(new ApiError('NOT_READY', 'the service is stopping'))
  }

  async close(): Promise<void> {
    await Promise.all([this.scaleOut?.releaseChains(), ...this.startedChains.map(({ liveChain }) => liveChain.sleep())])
    this.scaleOut?.close()
    this.metrics.backgroundQueue.flush()
    await this.threads.close()
  }
}

function createThreads({ routeThreads, routeTimeoutMs, routeThreadMemoryMb }: Config): RouterThreads {
  return new RouterThreads({ count: routeThreads, timeoutMs: routeTimeoutMs, memoryMb: routeThreadMemoryMb })
}

/** Returns the settings of a chain from the configuration. */
export function settingsOf(chain: Chain, config: Config, poolListLoaders: PoolListLoaders): ChainSettings {
  const { chainId } = chain
  const { dataDir, dataSaveMs, quoteLogMb } = config
  const loadPoolList = poolListLoaders.get(chainId)
  return {
    rpc: rpcOptions(chain, config),
    ...(dataDir !== undefined && { save: { path: join(dataDir, `${chainId}.sqlite`), everyMs: dataSaveMs } }),
    ...(dataDir !== undefined &&
      quoteLogMb > 0 && { quoteLog: { path: quoteLogPath(dataDir, chainId), maxBytes: quoteLogMb * 1_000_000 } }),
    ...(loadPoolList && { loadPoolList }),
    idleSleepMs: config.idleSleepMs,
    inlinePools: config.routeInlinePools,
    earnBlocks: config.earnBlocks,
    driftShare: config.driftSamplePercent / 100,
    maxGas: config.simulateGasCap,
  }
}

/** Returns the file of a chain's quote log. */
export function quoteLogPath(dataDir: string, chainId: number): string {
  return join(dataDir, `${chainId}.quotes.sqlite`)
}

/** Returns a logger that writes nothing. */
export function silentLog(): Logger {
  return pino({ level: 'silent' })
}
