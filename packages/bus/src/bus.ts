/** A process's side of the bus: chains that it follows, and what it shares with others. */
import type { Chain } from '@sluice/chains'
import type { Market, TokenFacts } from '@sluice/liquidity'
import { type Rpc, Semaphore } from '@sluice/rpc'
import { Commands } from './commands.ts'
import { BusError } from './errors.ts'
import { type Fact, putFact } from './facts.ts'
import { FollowedMarket } from './followed-market.ts'
import { keysOf } from './keys.ts'
import { ask } from './roster.ts'

/** Chains that are joined at once. */
const JOINS = 4
/** Milliseconds between two times that the chains in use are asked for, which also tells whether Redis is there. */
const ASK_MS = 1_000

export type BusOptions = {
  readonly url: string
  readonly onAway?: (error: unknown) => void
  /** Called each time that Redis refuses a write for being full. */
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

export class StateBus {
  /** Since when Redis has not answered, in milliseconds; null while it does. */
  awaySince: number | null = Date.now()
  private readonly options: BusOptions
  private readonly commands: Commands
  private readonly joins = new Semaphore(JOINS)
  private readonly followed = new Set<Market>()
  private readonly timer: NodeJS.Timeout
  private asking: Promise<void> | null = null

  constructor(options: BusOptions) {
    this.options = options
    this.commands = new Commands(options.url)
    this.timer = setInterval(() => void this.ask(), ASK_MS).unref()
    void this.ask()
  }

  /** A market of a chain that some indexer publishes, which is asked for from now on until it is stopped. */
  follow({ chain, rpc, facts, onFact }: FollowOptions): Market {
    const { followed, commands, joins } = this
    const { url, freshMs } = this.options
    const market: Market = new FollowedMarket({
      ...{ chain, rpc, facts, url, commands, joins, freshMs, keys: keysOf(chain.chainId) },
      ...(onFact && { onFact }),
      onStop: () => followed.delete(market),
    })
    followed.add(market)
    // At once: somebody waits for the chain.
    void this.ask(true)
    return market
  }

  /** Tells all workers what this one has measured; a failure costs them a measurement. */
  share(chainId: number, fact: Fact): void {
    void putFact(this.commands, keysOf(chainId), fact).catch(() => {})
  }

  close(): void {
    clearInterval(this.timer)
    this.commands.close()
  }

  private async ask(anew = false): Promise<void> {
    if (anew) await this.asking
    this.asking ??= ask(
      this.commands,
      [...this.followed].map(({ chainId }) => chainId),
    )
      .then(
        () => {
          this.awaySince = null
        },
        (error: unknown) => {
          // It answers: states of before are read on.
          if (error instanceof BusError && error.code === 'FULL') {
            this.awaySince = null
            return this.options.onFull?.(error)
          }
          if (this.awaySince === null) this.options.onAway?.(error)
          this.awaySince ??= Date.now()
        },
      )
      .finally(() => {
        this.asking = null
      })
    await this.asking
  }
}
