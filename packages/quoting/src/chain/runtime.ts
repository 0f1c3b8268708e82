/**
 * The lifecycle of a chain: it wakes on first use, follows blocks while it is used, and sleeps when idle. A chain that
 * sleeps follows no blocks and has no pools in memory. The market of a chain keeps its pools up to date, and publishes
 * a snapshot of them at each block.
 */
import type { Chain } from '@sluice/chains'
import {
  type AuditCount,
  createMarket,
  type Market,
  type MarketOptions,
  type PoolList,
  type PoolListImportCount,
  RedemptionCache,
  type ScanStatus,
  type Snapshot,
  type TokenFacts,
} from '@sluice/liquidity'
import { Prices } from '@sluice/pricing'
import { type BlockHeader, createRpc, type Rpc, type RpcOptions } from '@sluice/rpc'
import type { FeeReader, StateCount } from '@sluice/simulation'
import { withoutTrace } from '@sluice/tracing'
import type { Logger, QuotingListener } from '../events.ts'
import type { ChainTokens } from '../tokens/chain-tokens.ts'
import type { SharedFact } from '../tokens/shared-facts.ts'
import { TouchedPools } from '../view/touched-pools.ts'
import { ChainViews } from '../view/views.ts'
import type { ChainContracts } from './contracts.ts'
import { awakeStatus, type ChainStatus } from './status.ts'

/** Settings for reading and storing a chain. */
export type RuntimeSettings = {
  readonly rpc: Pick<RpcOptions, 'urls' | 'background' | 'scan'> & { readonly timeoutMs: number }
  /** SQLite file that stores known pools between runs, and the interval of saving; not stored if absent. */
  readonly save?: { readonly path: string; readonly everyMs: number }
  /** Provides a list of pools to verify on start, instead of searching all past logs for them. */
  readonly loadPoolList?: () => PoolList
  /** Milliseconds without use after which the chain falls asleep. */
  readonly idleSleepMs: number
}

/** Creates a chain's market, which the caller starts. */
export type OpenMarket = (options: {
  readonly chain: Chain
  readonly rpc: Rpc
  readonly facts: TokenFacts
  /** Called with each fact that another process has measured. */
  readonly onFact: (fact: SharedFact) => void
}) => Market

type Options = RuntimeSettings & {
  readonly chain: Chain
  /** Opens the market; if absent, this process reads the chain itself. */
  readonly openMarket?: OpenMarket | undefined
  readonly onFact: (fact: SharedFact) => void
  readonly contracts: ChainContracts
  readonly tokens: ChainTokens
  readonly fees: FeeReader
  readonly log: Logger
  readonly emit: QuotingListener
  /** True while work is in flight, which keeps the chain awake. */
  readonly isBusy: () => boolean
  /** True while new blocks are needed without a request, for example by quote streams. */
  readonly isWatched: () => boolean
  /** Called when the chain falls asleep, so that the caller drops its data about the chain. */
  readonly onSleep: () => void
}

/**
 * If no new block arrives for this many block times, price jumps in the last block count as confirmed. Until then, a
 * jump may be a manipulation that the next block reverts.
 */
const CONFIRM_JUMP_BLOCKS = 2

/** Parts that exist only while the chain is awake. */
type AwakeParts = {
  readonly rpc: Rpc
  readonly market: Market
  readonly prices: Prices
  readonly redemptions: RedemptionCache
  readonly views: ChainViews
  /** Number of pools at the newest block in memory. */
  poolCount: number | undefined
  /** Stops listening to the market, which may still read a block while it stops. */
  stopListening: () => void
}

/** Logs when a search of past logs starts, ends, or fails. */
export function logScan(log: Logger, { state, ...scanDetails }: ScanStatus): void {
  if (state === 'failing') log.warn(scanDetails, 'search of past logs fails: pools of these families are missing')
  else log.info(scanDetails, `search of past logs: ${state}`)
}

/** Logs the result of verifying a pool list. */
export function logPoolListImport(log: Logger, importCount: PoolListImportCount): void {
  const { proven, refused } = importCount
  if (refused > 0)
    log.warn(
      { proven, refused },
      'the chain does not have some pools of the list: its logs are searched from the start',
    )
  else log.info({ proven }, 'the chain has all pools of the list')
}

export class ChainRuntime {
  /** Pools that changed in the newest block. */
  readonly touchedPools = new TouchedPools()
  private readonly snapshotListeners = new Set<(snapshot: Snapshot) => void>()
  private readonly priceListeners = new Set<(block: BlockHeader, prices: Prices) => void>()
  private readonly options: Options
  private awakeParts: AwakeParts | undefined
  private idleTimer: NodeJS.Timeout | undefined
  private confirmJumpTimer: NodeJS.Timeout | undefined

  constructor(options: Options) {
    this.options = options
  }

  /** Returns the parts of the chain. Wakes the chain, or keeps it awake. */
  get parts(): AwakeParts {
    if (this.awakeParts) this.idleTimer?.refresh()
    else {
      this.idleTimer = setTimeout(() => this.sleepIfIdle(), this.options.idleSleepMs).unref()
      this.awakeParts = withoutTrace(() => this.wake())
    }
    return this.awakeParts
  }

  /** Returns the parts of the chain without keeping it awake; undefined while it sleeps. */
  get partsIfAwake(): AwakeParts | undefined {
    return this.awakeParts
  }

  /** True while the chain is awake and a block is in memory. */
  get isFollowed(): boolean {
    return this.awakeParts?.market.health().head != null
  }

  /** True if the block is on the canonical chain, as far as the market knows; false while the chain sleeps. */
  isCanonical(block: BlockHeader): boolean {
    return this.awakeParts?.market.hasBlock(block) ?? false
  }

  /**
   * Returns the cached response to an identical request, if it was computed at the newest block, and this block was the
   * head a moment ago. Does not wake the chain.
   *
   * @param target - path and query of the request
   */
  recentResponse(target: string): string | undefined {
    return this.awakeParts && this.parts.views.recentResponse(target)
  }

  /**
   * Calls the listener with each snapshot while the chain is awake. A listener alone does not keep the chain awake;
   * only `isBusy` does.
   *
   * @returns function that removes the listener
   */
  onSnapshot(listener: (snapshot: Snapshot) => void): () => void {
    this.snapshotListeners.add(listener)
    return () => this.snapshotListeners.delete(listener)
  }

  /** Calls the listener with the prices of each block once they are computed, while the chain is awake. */
  onPriced(listener: (block: BlockHeader, prices: Prices) => void): void {
    this.priceListeners.add(listener)
  }

  status(): ChainStatus {
    const { chainId } = this.options.chain
    if (!this.awakeParts) return { chainId, state: 'asleep' }
    const { market, rpc, poolCount: pools } = this.awakeParts
    const { head, error, reason, scan } = market.health()
    return awakeStatus(chainId, { head, error, reason, scan, clock: rpc.health().clock, pools })
  }

  /** Sizes of the stores that untrusted input can fill, with their limits. */
  get counts(): Readonly<Record<string, StateCount>> {
    return this.awakeParts
      ? {
          ...this.awakeParts.market.cacheCounts(),
          ...this.awakeParts.views.counts,
          redemptions: this.awakeParts.redemptions.stateCount,
        }
      : {}
  }

  /** Health of the endpoints; undefined while the chain sleeps. */
  get rpcHealth(): ReturnType<Rpc['health']> | undefined {
    return this.awakeParts?.rpc.health()
  }

  /** Counts of the audit that compares pools in memory with the chain. */
  get audit(): AuditCount | undefined {
    return this.awakeParts?.market.health().audit
  }

  async sleep(): Promise<void> {
    clearTimeout(this.idleTimer)
    clearTimeout(this.confirmJumpTimer)
    const { awakeParts, options } = this
    this.awakeParts = undefined
    awakeParts?.stopListening()
    options.tokens.trustTracker.forget()
    options.onSleep()
    await awakeParts?.market.stop()
    awakeParts?.rpc.close()
  }

  private wake(): AwakeParts {
    const { chain, contracts, tokens, fees, log, emit } = this.options
    const openMarket: OpenMarket =
      this.options.openMarket ??
      (({ onFact: _, ...parts }) =>
        createMarket({
          ...parts,
          ...this.saveOptions(),
          ...this.poolListOptions(),
          isWatched: this.options.isWatched,
          onScan: (status) => logScan(log, status),
        }))
    const rpc = createRpc({
      ...this.options.rpc,
      chainId: chain.chainId,
      onFailure: (endpoint, { code }) => emit({ kind: 'rpc-failure', endpoint, code }),
      onEvent: (event) => emit({ kind: 'rpc', event }),
    })
    const market = openMarket({ chain, rpc, facts: tokens.facts, onFact: this.options.onFact })
    const redemptions = new RedemptionCache(chain)
    const prices = new Prices(chain, {
      decimals: (token) => tokens.facts.decimals(token),
      isUnsellable: (token) => tokens.isUnsellable(token),
      redemptions: (token) => redemptions.readingsOf(token),
      onFault: ({ id }, error) => log.error({ err: error, pool: id }, 'a pool cannot be priced'),
    })
    tokens.trustTracker.setPrices(prices)
    const assertDeployed = (block: { readonly blockHash: BlockHeader['hash'] }) => contracts.assertDeployed(rpc, block)
    tokens.onNewEvidence = () => this.awakeParts?.views.forgetResponses()
    const views = new ChainViews({ chain, rpc, market, prices, redemptions, fees, assertDeployed })
    const newParts: AwakeParts = {
      ...{ rpc, market, prices, redemptions, views },
      poolCount: undefined,
      stopListening: () => {},
    }
    const onPricesFailed = (error: unknown) => log.error({ err: error }, 'failed to update prices')
    tokens.onSellabilityChanged = (token) => {
      // Responses that are computed during the update may contain earlier prices of other tokens.
      prices.updateSellability(token).then(() => views.forgetResponses(), onPricesFailed)
    }
    newParts.stopListening = market.onSnapshot((snapshot) => {
      newParts.poolCount = snapshot.pools.size
      this.touchedPools.observe(snapshot)
      tokens.trustTracker
        .observe(snapshot)
        .catch((error: unknown) => log.error({ err: error }, 'failed to update the trust ledger'))
      for (const listener of this.snapshotListeners) listener(snapshot)
      const notifyPriced = () => {
        // Skip if a newer snapshot has arrived, to whose block `prices` then belong, or if the chain fell asleep.
        if (this.awakeParts !== newParts || market.snapshot().block.hash !== snapshot.block.hash) return
        for (const listener of this.priceListeners) listener(snapshot.block, prices)
      }
      prices.follow(snapshot).then(notifyPriced).catch(onPricesFailed)
      clearTimeout(this.confirmJumpTimer)
      this.confirmJumpTimer = setTimeout(
        () => prices.acceptJumps().catch(onPricesFailed),
        CONFIRM_JUMP_BLOCKS * chain.blockTimeMs,
      ).unref()
    })
    market.start()
    log.info({}, 'chain wakes')
    return newParts
  }

  private saveOptions(): Pick<MarketOptions, 'save'> {
    const { save, log } = this.options
    if (!save) return {}
    const onError = (error: Error) => log.warn({ err: error, path: save.path }, 'failed to save or restore known pools')
    return { save: { ...save, onError } }
  }

  private poolListOptions(): Pick<MarketOptions, 'loadPoolList' | 'onPoolListImport'> {
    const { loadPoolList, log } = this.options
    return loadPoolList ? { loadPoolList, onPoolListImport: (count) => logPoolListImport(log, count) } : {}
  }

  private async sleepIfIdle(): Promise<void> {
    if (this.options.isBusy()) return void this.parts
    this.options.log.info({}, 'chain sleeps')
    await this.sleep()
  }
}
