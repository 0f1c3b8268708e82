import type { Registry } from '@sluice/chains'
import { RouterThreads } from '@sluice/routing'
import type { Logger } from 'pino'
import { Places } from './admission/places.ts'
import { ChainService } from './chain/chain-service.ts'
import type { Config } from './config.ts'
import type { Metrics } from './metrics.ts'
import { unsupportedChain } from './requests.ts'

/** The chains of this process. Each wakes at its first request; one that fails or hangs holds up no other. */
export class Services {
  readonly registry: Registry
  readonly metrics: Metrics
  readonly log: Logger
  /** The service is stopping: not ready for new work. */
  closing = false
  private readonly config: Config
  private readonly threads: RouterThreads
  private readonly places: Places
  private readonly chains = new Map<number, ChainService>()

  constructor(registry: Registry, config: Config, metrics: Metrics, log: Logger) {
    this.registry = registry
    this.config = config
    this.threads = new RouterThreads({
      count: config.routeThreads,
      timeoutMs: config.routeTimeoutMs,
      memoryMb: config.routeThreadMemoryMb,
    })
    this.places = new Places(config.maxConcurrent)
    this.metrics = metrics
    this.log = log
  }

  /** @throws ApiError `UNSUPPORTED_CHAIN` for a chain outside the chain map */
  chain(chainId: number): ChainService {
    const known = this.chains.get(chainId)
    if (known) return known
    const entry = this.registry.chainMap()[String(chainId)]
    const chain = entry && this.registry.chain(chainId)
    const deployment = entry && this.registry.deployment(chainId)
    if (!entry || !chain || !deployment) throw unsupportedChain(chainId)
    const { config, metrics, log, threads, places } = this
    const routerAddress = entry.RouterAddress
    const service = new ChainService({ chain, deployment, routerAddress, config, metrics, log, threads, places })
    this.chains.set(chainId, service)
    return service
  }

  /** A chain that has been asked for since the start. */
  known(chainId: number): ChainService | undefined {
    return this.chains.get(chainId)
  }

  /** The chains that have been asked for since the start. */
  get started(): readonly ChainService[] {
    return [...this.chains.values()]
  }

  async close(): Promise<void> {
    await Promise.all(this.started.map((chain) => chain.sleep()))
    this.metrics.afterwards.settle()
    await this.threads.close()
  }
}
