/**
 * Checks of unlisted tokens before they are priced: the real balances of their pools, and whether the tokens can be
 * sold. Callers wait for a short time; later results apply from then on.
 */
import { setTimeout } from 'node:timers/promises'
import type { Address } from '@sluice/chains'
import type { Pool, Snapshot } from '@sluice/liquidity'
import { Semaphore } from '@sluice/rpc'
import { BoundedMap, type StateCount } from '@sluice/simulation'
import { deepestPools, type HoldingsSource, readHoldings, unlistedTokens } from '../view/holdings.ts'

/** Milliseconds for which a check of balances is valid; `SALE_TTL_MS` is the same for test sales. */
const BALANCES_TTL_MS = 60_000
const SALE_TTL_MS = 600_000
const MAX_REMEMBERED = 20_000
/** Maximum checks at a time. */
const MAX_AT_ONCE = 2
type Options = {
  /** Tokens of the chain's file. */
  readonly allowListed: ReadonlySet<Address>
  /** Tests whether a token can be sold to a pool, and records the result. */
  readonly measure: (token: Address, pool: Pool, snapshot: Snapshot) => Promise<unknown>
  /** Called if a pool holds less than its state says. */
  readonly onNewEvidence: () => void
}

/** Gathers evidence about unlisted tokens. */
export class TokenEvidence {
  private readonly options: Options
  private readonly balanceChecks = new BoundedMap<Address, Promise<void>>(MAX_REMEMBERED, { ttl: BALANCES_TTL_MS })
  private readonly saleChecks = new BoundedMap<Address, Promise<void>>(MAX_REMEMBERED, { ttl: SALE_TTL_MS })
  private readonly slots = new Semaphore(MAX_AT_ONCE)

  constructor(options: Options) {
    this.options = options
  }

  get counts(): Readonly<Record<'held' | 'sold', StateCount>> {
    return { held: this.balanceChecks.count, sold: this.saleChecks.count }
  }

  /**
   * Checks the tokens that are due, and waits at most `timeoutMs` for it. A failed check is repeated by the next call.
   *
   * @returns tokens whose checks have not finished
   */
  async gather(tokens: readonly Address[], source: HoldingsSource, timeoutMs: number): Promise<ReadonlySet<Address>> {
    const isDue = (token: Address) => !(this.balanceChecks.has(token) && this.saleChecks.has(token))
    const due = unlistedTokens(tokens, this.options.allowListed, source.prices, isDue)
    const pending = new Set(due)
    const looks = due.map(async (token) => {
      await Promise.all([this.holdings(token, source), this.sales(token, source)])
      pending.delete(token)
    })
    if (looks.length > 0) await Promise.race([Promise.all(looks), setTimeout(timeoutMs)])
    return pending
  }

  private holdings(token: Address, source: HoldingsSource): Promise<void> {
    return runOnce(this.balanceChecks, token, async () => {
      if (await this.slots.run(() => readHoldings(token, source))) this.options.onNewEvidence()
    })
  }

  private sales(token: Address, { snapshot, prices }: HoldingsSource): Promise<void> {
    return runOnce(this.saleChecks, token, async () => {
      const [pool] = deepestPools(token, prices)
      if (pool) await this.slots.run(() => this.options.measure(token, pool, snapshot))
    })
  }
}

function runOnce(
  checks: BoundedMap<Address, Promise<void>>,
  token: Address,
  work: () => Promise<unknown>,
): Promise<void> {
  const before = checks.get(token)
  if (before) return before
  const running = work().then(
    () => {},
    () => void checks.delete(token),
  )
  checks.set(token, running)
  return running
}
