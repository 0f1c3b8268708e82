/** Shares the state of chains between processes over Redis. The bus package is loaded only if `REDIS_URL` is set. */
import type { ChainIndexers, Fact, StateBus } from '@sluice/bus'
import type { Chain, Registry } from '@sluice/chains'
import {
  createMarket,
  type PoolListImportCount,
  pairScopeOf,
  type SaveOptions,
  type ScanStatus,
} from '@sluice/liquidity'
import { logPoolListImport, logScan, type OpenMarket } from '@sluice/quoting'
import { createRpc } from '@sluice/rpc'
import type { Logger } from 'pino'
import { type Config, rpcOptions } from './config.ts'
import { countEvents } from './count-events.ts'
import type { Metrics } from './metrics.ts'
import type { PoolListLoaders } from './pool-files.ts'
import { RateLimitedLog } from './rate-limited-log.ts'

/**
 * Milliseconds between two saves of a chain's known pools. The process that indexes the chain (its owner) saves the
 * pools, so that the next owner can load them.
 */
const SAVE_INTERVAL_MS = 5_000
/** Milliseconds without Redis, or with a full Redis, after which the process is not ready. */
const MAX_AWAY_MS = 15_000

/** Milliseconds after a refused write during which Redis counts as full. */
const FULL_AFTER_REFUSAL_MS = 5_000

/** State of the connection to Redis. */
export type BusStatus = {
  readonly state: 'connected' | 'away' | 'full'
  /** ISO time since which Redis is away or full. */
  readonly since?: string
  /** Chains that this process indexes for all processes. */
  readonly owned: readonly number[]
  /** Unfinished searches of past logs, by owned chain. */
  readonly scans?: Readonly<Record<number, ScanStatus>>
}

type ScaleOutOptions = {
  readonly config: Config
  readonly registry: Registry
  readonly metrics: Metrics
  readonly log: Logger
  /**
   * Functions that decode the pool lists of `POOLS`, by chain id. The process that indexes a chain calls the function
   * of the chain.
   */
  readonly poolListLoaders: PoolListLoaders
}

/** Parts of the bus package that a process needs. */
type Bus = Pick<typeof import('@sluice/bus'), 'BusError' | 'ChainIndexers' | 'StateBus'>

const importBus = (): Promise<Bus> => import('@sluice/bus')

/** Connection of a process to the chain states in Redis. */
export class ScaleOut {
  private readonly bus: StateBus
  private readonly indexers: ChainIndexers | null
  private readonly fullness: RedisFullness
  /** True once Redis has answered. */
  private wasConnected = false

  private constructor(bus: StateBus, indexers: ChainIndexers | null, fullness: RedisFullness) {
    this.bus = bus
    this.indexers = indexers
    this.fullness = fullness
    indexers?.start()
  }

  /**
   * Connects to Redis. Also starts indexers, except in the roles worker and solver.
   *
   * @param loadBus - loads the bus package; a test passes a function that loads a fake
   * @returns undefined without `REDIS_URL`
   */
  static async open(options: ScaleOutOptions, loadBus = importBus): Promise<ScaleOut | undefined> {
    const { config, log } = options
    const { redisUrl: url, role } = config
    if (url === undefined) return undefined
    const { BusError, StateBus, ChainIndexers } = await loadBus()
    const fullness = new RedisFullness()
    const rateLimitedLog = new RateLimitedLog(log)
    const onFull = (error: unknown) => {
      fullness.noteRefusal()
      rateLimitedLog.write('error', error, 'FULL', 'Redis is full: chains cannot be published')
    }
    const onError = (error: unknown) => {
      const code = error instanceof BusError ? error.code : 'UNKNOWN'
      if (code === 'FULL') return onFull(error)
      rateLimitedLog.write(code === 'UNKNOWN' ? 'error' : 'info', error, code, 'indexer error, retrying')
    }
    const onAway = (error: unknown) => {
      if (error instanceof BusError && error.code === 'CLUSTER')
        log.error({ err: error }, 'Redis Cluster is not supported: REDIS_URL must name a server without cluster mode')
      else log.warn({ err: error }, 'Redis does not answer')
    }
    const bus = new StateBus({ url, onAway, onFull })
    const indexers =
      role === 'worker' || role === 'solver'
        ? null
        : new ChainIndexers({
            url,
            idleMs: config.idleSleepMs,
            canServe: (chainId) => options.registry.chain(chainId) !== undefined,
            optionsOf: (chainId) => indexerOptionsOf(options.registry.chain(chainId)!, options),
            onError,
          })
    return new ScaleOut(bus, indexers, fullness)
  }

  /** Opens markets that follow the state published by indexers. */
  readonly openMarket: OpenMarket = (marketOptions) => this.bus.follow(marketOptions)

  /** Publishes a measured fact about a token (decimals, storage layout, or tax) to the other processes. */
  publishFact(chainId: number, fact: Fact): void {
    this.bus.publishFact(chainId, fact)
  }

  /** Returns the current state of the connection. */
  status(): BusStatus {
    const { awaySince } = this.bus
    const ownedChainIds =
      this.indexers?.indexers.filter(({ ownsChain }) => ownsChain).map(({ chainId }) => chainId) ?? []
    const unfinishedScans = [...this.scans].filter(([, { state }]) => state !== 'done')
    const details = {
      owned: ownedChainIds,
      ...(unfinishedScans.length > 0 && { scans: Object.fromEntries(unfinishedScans) }),
    }
    const fullSince = this.fullness.since
    if (awaySince !== null) return { state: 'away', since: new Date(awaySince).toISOString(), ...details }
    if (fullSince !== null) return { state: 'full', since: new Date(fullSince).toISOString(), ...details }
    return { state: 'connected', ...details }
  }

  /** Searches of past logs, by owned chain. */
  get scans(): ReadonlyMap<number, ScanStatus> {
    const scanEntries = (this.indexers?.indexers ?? []).flatMap(({ ownsChain, chainId, market }) => {
      const scan = ownsChain ? market?.health().scan : undefined
      return scan ? [[chainId, scan] as const] : []
    })
    return new Map(scanEntries)
  }

  /** False before the first response of Redis, and if Redis has been away or full for `MAX_AWAY_MS`. */
  get isReady(): boolean {
    const { awaySince } = this.bus
    this.wasConnected ||= awaySince === null
    const fullSince = this.fullness.since
    if (fullSince !== null && Date.now() - fullSince >= MAX_AWAY_MS) return false
    return awaySince === null || (this.wasConnected && Date.now() - awaySince < MAX_AWAY_MS)
  }

  /** Stops the indexers, so that other processes take over the chains that this process owns. */
  async releaseChains(): Promise<void> {
    await this.indexers?.stop()
  }

  /** Closes the connection. Call it after `releaseChains`, and after all opened markets have stopped. */
  close(): void {
    this.bus.close()
  }
}

/** Tracks whether Redis is full. A full Redis refuses several writes per second. */
class RedisFullness {
  private firstRefusalAtMs: number | null = null
  private lastRefusalAtMs = 0

  noteRefusal(): void {
    const { since } = this
    this.lastRefusalAtMs = Date.now()
    this.firstRefusalAtMs = since ?? this.lastRefusalAtMs
  }

  /** Unix milliseconds since which Redis refuses writes; null if it accepts them. */
  get since(): number | null {
    // The absolute value, because the clock may have been set back since the refusal.
    return Math.abs(Date.now() - this.lastRefusalAtMs) < FULL_AFTER_REFUSAL_MS ? this.firstRefusalAtMs : null
  }
}

/**
 * Returns the options of the indexer of a chain: which pairs requests may name, and a function that opens the market.
 */
function indexerOptionsOf(chain: Chain, { config, metrics, log, poolListLoaders }: ScaleOutOptions) {
  const { chainId } = chain
  const countEvent = countEvents(metrics, chainId)
  const chainLog = log.child({ chain: chainId })
  return {
    scope: pairScopeOf(chain),
    open: (savePath: SaveOptions['path']) => {
      const rpc = createRpc({
        ...rpcOptions(chain, config),
        chainId,
        onFailure: (endpoint, { code }) => countEvent({ kind: 'rpc-failure', endpoint, code }),
        onEvent: (event) => countEvent({ kind: 'rpc', event }),
      })
      const onError = (error: Error) => chainLog.warn({ err: error }, 'failed to save or load known pools, continuing')
      const onScan = (status: ScanStatus) => logScan(chainLog, status)
      const loadPoolList = poolListLoaders.get(chainId)
      const market = createMarket({
        chain,
        rpc,
        save: { path: savePath, everyMs: SAVE_INTERVAL_MS, onError },
        onScan,
        ...(loadPoolList && {
          loadPoolList,
          onPoolListImport: (count: PoolListImportCount) => logPoolListImport(chainLog, count),
        }),
      })
      market.start()
      chainLog.info({}, 'this process reads the chain for all')
      return { market, close: () => market.stop().finally(() => rpc.close()) }
    },
  }
}
