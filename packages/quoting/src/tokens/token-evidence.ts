/**
 * Evidence about unlisted tokens, gathered before they are priced: the balances that their pools really hold, and whether the tokens
 * can be sold. Callers wait a moment for it; evidence that arrives later counts from then on.
 */
import { setTimeout } from 'node:timers/promises'
import type { Address } from '@sluice/chains'
import type { Pool, Snapshot } from '@sluice/liquidity'
import { Semaphore } from '@sluice/rpc'
import { Bounded, type StateCount } from '@sluice/simulation'
import { deepestPools, type HoldingsSource, readHoldings, unlistedOf } from '../view/holdings.ts'

/** Milliseconds for which what was found holds. */
const HELD_MS = 60_000
const SOLD_MS = 600_000
const MAX_REMEMBERED = 20_000
/** Requests whose tokens are looked at side by side. */
const MAX_AT_ONCE = 2
type Options = {
  /** Tokens that the chain's file names. */
  readonly vouched: ReadonlySet<Address>
  /** Measures whether a token can be sold to a pool, and keeps that. */
  readonly measure: (token: Address, pool: Pool, snapshot: Snapshot) => Promise<unknown>
  /** Called when pools turned out to hold another amount than was taken for. */
  readonly onNews: () => void
}

export class TokenEvidence {
  private readonly options: Options
  private readonly held = new Bounded<Address, Promise<void>>(MAX_REMEMBERED, { ttl: HELD_MS })
  private readonly sold = new Bounded<Address, Promise<void>>(MAX_REMEMBERED, { ttl: SOLD_MS })
  private readonly turns = new Semaphore(MAX_AT_ONCE)

  constructor(options: Options) {
    this.options = options
  }

  get counts(): Readonly<Record<'held' | 'sold', StateCount>> {
    return { held: this.held.count, sold: this.sold.count }
  }

  /**
   * Looks at tokens, and waits for it no longer than that. What a node cannot tell now is asked again.
   *
   * @returns those of them of which it is not known yet what they need
   */
  async gather(tokens: readonly Address[], source: HoldingsSource, timeoutMs: number): Promise<ReadonlySet<Address>> {
    const isDue = (token: Address) => !(this.held.has(token) && this.sold.has(token))
    const due = unlistedOf(tokens, this.options.vouched, source.prices, isDue)
    const pending = new Set(due)
    const looks = due.map(async (token) => {
      await Promise.all([this.holdings(token, source), this.sales(token, source)])
      pending.delete(token)
    })
    if (looks.length > 0) await Promise.race([Promise.all(looks), setTimeout(timeoutMs)])
    return pending
  }

  private holdings(token: Address, source: HoldingsSource): Promise<void> {
    return once(this.held, token, async () => {
      if (await this.turns.run(() => readHoldings(token, source))) this.options.onNews()
    })
  }

  private sales(token: Address, { snapshot, prices }: HoldingsSource): Promise<void> {
    return once(this.sold, token, async () => {
      const [pool] = deepestPools(token, prices)
      if (pool) await this.turns.run(() => this.options.measure(token, pool, snapshot))
    })
  }
}

function once(known: Bounded<Address, Promise<void>>, token: Address, work: () => Promise<unknown>): Promise<void> {
  const before = known.get(token)
  if (before) return before
  const running = work().then(
    () => {},
    () => void known.delete(token),
  )
  known.set(token, running)
  return running
}
