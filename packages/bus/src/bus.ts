/** Connects a worker to the bus (Redis): follows chains that other processes publish, and shares measured facts. */
import type { Chain } from '@sluice/chains'
import type { Market, TokenFacts } from '@sluice/liquidity'
import { type Rpc, Semaphore } from '@sluice/rpc'
import { requestChains } from './chain-requests.ts'
import { Commands } from './commands.ts'
import { BusError } from './errors.ts'
import { type Fact, storeFact } from './facts.ts'
import { FollowedMarket } from './followed-market.ts'
import { keysOf } from './keys.ts'

/** Maximum chains that are joined at a time: joining reads the whole state of a chain. */
const MAX_CONCURRENT_JOINS = 4
/** Milliseconds between two requests for the chains in use. These requests also show whether Redis answers. */
const REFRESH_MS = 1_000

/** Options of a bus. */
export type BusOptions = {
  readonly url: string
  /** Called when Redis stops answering, or does not answer at the start. */
  readonly onAway?: (error: unknown) => void
  /** Called each time that Redis rejects a write because its memory is full. */
  readonly onFull?: (error: BusError) => void
  /** @see FollowedOptions.freshMs */
  readonly freshMs?: number
}

type FollowOptions = {
  readonly chain: Chain
  readonly rpc: Rpc
  readonly facts: TokenFacts
  readonly onFact?: (fact: Fact) => void
}

/** Follows chains that indexers publish, and shares facts between workers. */
export class StateBus {
  /** Time since which Redis has not answered, Unix milliseconds; null while it answers. */
  awaySince: number | null = Date.now()
  private readonly options: BusOptions
  private readonly commands: Commands
  private readonly joinLimit = new Semaphore(MAX_CONCURRENT_JOINS)
  private readonly followedMarkets = new Set<Market>()
  private readonly timer: NodeJS.Timeout
  private pendingRefresh: Promise<void> | null = null
  private isAwayReported = false

  constructor(options: BusOptions) {
    this.options = options
    this.commands = new Commands(options.url)
    this.timer = setInterval(() => void this.refresh(), REFRESH_MS).unref()
    void this.refresh()
  }

  /** Creates the market of a chain that an indexer publishes, and requests the chain until the market stops. */
  follow({ chain, rpc, facts, onFact }: FollowOptions): Market {
    const { followedMarkets, commands, joinLimit } = this
    const { url, freshMs } = this.options
    const market: Market = new FollowedMarket({
      ...{ chain, rpc, facts, url, commands, joinLimit, freshMs, keys: keysOf(chain.chainId) },
      ...(onFact && { onFact }),
      onStop: () => followedMarkets.delete(market),
    })
    followedMarkets.add(market)
    // Request the chain now, because a caller waits for it.
    void this.refresh(true)
    return market
  }

  /** Publishes a fact that this worker measured. If that fails, other workers measure it themselves. */
  publishFact(chainId: number, fact: Fact): void {
    void storeFact(this.commands, keysOf(chainId), fact).catch(() => {})
  }

  close(): void {
    clearInterval(this.timer)
    this.commands.close()
  }

  /**
   * Records in Redis that the followed chains are in use.
   *
   * @param mustRepeat - true to send again if a request is in flight
   */
  private async refresh(mustRepeat = false): Promise<void> {
    if (mustRepeat) await this.pendingRefresh
    this.pendingRefresh ??= requestChains(
      this.commands,
      [...this.followedMarkets].map(({ chainId }) => chainId),
    )
      .then(
        () => this.recordReply(),
        (error: unknown) => {
          // A full Redis still answers reads, so published states can be followed.
          if (error instanceof BusError && error.code === 'FULL') {
            this.recordReply()
            return this.options.onFull?.(error)
          }
          this.awaySince ??= Date.now()
          if (!this.isAwayReported) this.options.onAway?.(error)
          this.isAwayReported = true
        },
      )
      .finally(() => {
        this.pendingRefresh = null
      })
    await this.pendingRefresh
  }

  private recordReply(): void {
    this.awaySince = null
    this.isAwayReported = false
  }
}
