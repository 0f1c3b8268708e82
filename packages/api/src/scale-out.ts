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
import type { PoolLists } from './pool-files.ts'
import { RateLimitedLog } from './rate-limited-log.ts'

/** Interval at which the owner of a chain saves its pools for the next owner, in milliseconds. */
const REMEMBER_MS = 5_000
/** Milliseconds without Redis, or with a full Redis, after which the process is not ready. */
const AWAY_MS = 15_000

/** Milliseconds after a refused write during which Redis counts as full. */
const REFUSED_MS = 5_000

/** State of the connection to Redis. */
export type BusStatus = {
  readonly state: 'connected' | 'away' | 'full'
  /** ISO time since which Redis is away or full. */
  readonly since?: string
  /** Chains that this process indexes for all processes. */
  readonly owned: readonly number[]
  /** Unfinished searches of past logs by owned chain. */
  readonly scans?: Readonly<Record<number, ScanStatus>>
}

type Parts = {
  readonly config: Config
  readonly registry: Registry
  readonly metrics: Metrics
  readonly log: Logger
  /** Known pools by chain, for the process that indexes it. */
  readonly poolLists: PoolLists
}

/** Connection of a process to the shared state. */
export class ScaleOut {
  private readonly bus: StateBus
  private readonly indexers: ChainIndexers | null
  private readonly fullness: Fullness
  private wasConnected = false

  private constructor(bus: StateBus, indexers: ChainIndexers | null, fullness: Fullness) {
    this.bus = bus
    this.indexers = indexers
    this.fullness = fullness
    indexers?.start()
  }

  /** Connects to Redis and starts indexers unless the role is worker or solver. @returns undefined without `REDIS_URL` */
  static async open(parts: Parts): Promise<ScaleOut | undefined> {
    const { config, log } = parts
    const { redisUrl: url, role } = config
    if (url === undefined) return undefined
    const { BusError, StateBus, ChainIndexers } = await import('@sluice/bus')
    const fullness = new Fullness()
    const lines = new RateLimitedLog(log)
    const onFull = (error: unknown) => {
      fullness.note()
      lines.write('error', error, 'FULL', 'Redis is full: chains cannot be published')
    }
    const onError = (error: unknown) => {
      const code = error instanceof BusError ? error.code : 'UNKNOWN'
      if (code === 'FULL') return onFull(error)
      lines.write(code === 'UNKNOWN' ? 'error' : 'info', error, code, 'indexer error, retrying')
    }
    const bus = new StateBus({ url, onAway: () => log.warn({}, 'Redis does not answer'), onFull })
    const indexers =
      role === 'worker' || role === 'solver'
        ? null
        : new ChainIndexers({
            url,
            idleMs: config.idleSleepMs,
            serves: (chainId) => parts.registry.chain(chainId) !== undefined,
            optionsOf: (chainId) => indexedMarket(parts.registry.chain(chainId)!, parts),
            onError,
          })
    return new ScaleOut(bus, indexers, fullness)
  }

  /** Opens markets that follow the state published by indexers. */
  readonly openMarket: OpenMarket = (parts) => this.bus.follow(parts)

  /** Publishes a measurement to the other processes. */
  share(chainId: number, fact: Fact): void {
    this.bus.share(chainId, fact)
  }

  /** Returns the current state of the connection. */
  status(): BusStatus {
    const { awaySince } = this.bus
    const ownedChainIds = this.indexers?.chains.filter(({ owns }) => owns).map(({ chainId }) => chainId) ?? []
    const open = [...this.scans].filter(([, { state }]) => state !== 'done')
    const details = { owned: ownedChainIds, ...(open.length > 0 && { scans: Object.fromEntries(open) }) }
    const fullSince = this.fullness.since
    if (awaySince !== null) return { state: 'away', since: new Date(awaySince).toISOString(), ...details }
    if (fullSince !== null) return { state: 'full', since: new Date(fullSince).toISOString(), ...details }
    return { state: 'connected', ...details }
  }

  /** Searches of past logs by owned chain. */
  get scans(): ReadonlyMap<number, ScanStatus> {
    const ownedChains = (this.indexers?.chains ?? []).flatMap(({ owns, chainId, market }) => {
      const scan = owns ? market?.health().scan : undefined
      return scan ? [[chainId, scan] as const] : []
    })
    return new Map(ownedChains)
  }

  /** False before the first response of Redis, and if it has been away or full for `AWAY_MS`. */
  get isReady(): boolean {
    const { awaySince } = this.bus
    this.wasConnected ||= awaySince === null
    const fullSince = this.fullness.since
    if (fullSince !== null && Date.now() - fullSince >= AWAY_MS) return false
    return awaySince === null || (this.wasConnected && Date.now() - awaySince < AWAY_MS)
  }

  /** Stops the indexers, so other processes take over the owned chains. */
  async leave(): Promise<void> {
    await this.indexers?.stop()
  }

  /** Closes the connection. Call it after all chains have stopped. */
  close(): void {
    this.bus.close()
  }
}

/** Tracks whether Redis is full. While it is, it refuses several writes per second. */
class Fullness {
  private firstAt: number | null = null
  private lastAt = 0

  note(): void {
    const { since } = this
    this.lastAt = Date.now()
    this.firstAt = since ?? this.lastAt
  }

  /** Unix milliseconds since which Redis refuses writes; null if it accepts them. */
  get since(): number | null {
    return Date.now() - this.lastAt < REFUSED_MS ? this.firstAt : null
  }
}

/** Returns the options of an indexer: the scope of pairs, and a function that opens the market. */
function indexedMarket(chain: Chain, { config, metrics, log, poolLists }: Parts) {
  const { chainId } = chain
  const count = countEvents(metrics, chainId)
  const lines = log.child({ chain: chainId })
  return {
    scope: pairScopeOf(chain),
    open: (path: SaveOptions['path']) => {
      const rpc = createRpc({
        ...rpcOptions(chain, config),
        chainId,
        onFailure: (endpoint, { code }) => count({ kind: 'rpc-failure', endpoint, code }),
        onEvent: (event) => count({ kind: 'rpc', event }),
      })
      const onError = (error: Error) => lines.warn({ err: error }, 'what is known cannot be shared or taken over')
      const onScan = (status: ScanStatus) => logScan(lines, status)
      const loadPoolList = poolLists.get(chainId)
      const market = createMarket({
        ...{ chain, rpc, save: { path, everyMs: REMEMBER_MS, onError }, onScan },
        ...(loadPoolList && {
          loadPoolList,
          onPoolListImport: (count: PoolListImportCount) => logPoolListImport(lines, count),
        }),
      })
      market.start()
      lines.info({}, 'this process reads the chain for all')
      return { market, close: () => market.stop().finally(() => rpc.close()) }
    },
  }
}
