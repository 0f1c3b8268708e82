/** Measures tokens on request: taxes, and whether they can be sold. Caches the measurements. */
import { type Address, NATIVE } from '@sluice/chains'
import type { Pool, Snapshot } from '@sluice/liquidity'
import { Semaphore } from '@sluice/rpc'
import { BoundedMap, SimulationError, type StateCount, type TokenReport } from '@sluice/simulation'
import { deepestPoolsOf } from '../view/holdings.ts'
import { measureToken, type TaxSource } from './taxes.ts'

/** Maximum pools in which a token is measured: the pools with the largest reserves of the token. */
const MAX_POOLS = 3
/** Milliseconds for which a measurement is valid. */
const REMEMBER_MS = 60_000
/** Maximum tokens with a remembered measurement. */
const MAX_REMEMBERED = 1_000
/** Maximum tokens that are remembered as unsellable. */
const MAX_UNSELLABLE = 10_000
/** Milliseconds for which a token counts as unsellable after a failed test sale: its owner may only have paused it. */
const UNSELLABLE_MS = 3_600_000
/** Maximum tokens measured at a time: each takes about twenty calls to the node, which delay quotes. */
const MAX_AT_ONCE = 4

/**
 * Measurements of a token, one per pool. Callers read values that do not depend on a pool from the first measurement.
 */
export type TokenMeasurements = readonly { readonly pool: Pool | undefined; readonly report: TokenReport }[]

/** Measures tokens on request, and caches each result for a minute. */
export class TokenReports {
  private readonly reports = new BoundedMap<Address, Promise<TokenMeasurements | null>>(MAX_REMEMBERED, {
    ttl: REMEMBER_MS,
  })
  /** Tokens that could be bought but not sold when last measured. Value: any pools, or the pools that decide the price. */
  private readonly unsellableTokens = new BoundedMap<Address, 'any' | 'deciding'>(MAX_UNSELLABLE, {
    ttl: UNSELLABLE_MS,
  })
  private readonly slots = new Semaphore(MAX_AT_ONCE)
  /** Called when a test sale shows that a token became sellable or unsellable, but not when a result expires. */
  onSellabilityChanged: (token: Address) => void = () => {}

  get count(): StateCount {
    return this.reports.count
  }

  /** True if the token could not be sold when it was last measured, at most `UNSELLABLE_MS` ago. */
  isUnsellable(token: Address): boolean {
    return this.unsellableTokens.has(token)
  }

  /** Measures a token; null if it is not a token or cannot be measured. @throws RpcError if the node fails */
  reportOf(token: Address, snapshot: Snapshot, source: TaxSource): Promise<TokenMeasurements | null> {
    const cached = this.reports.get(token)
    if (cached) return cached
    const measurement = this.slots.run(() => measureEverywhere(token, snapshot, source))
    this.reports.set(token, measurement)
    measurement
      .then((measurements) =>
        this.recordSales(
          token,
          (measurements ?? []).map(({ report }) => report.sellable),
        ),
      )
      .catch(() => {})
    measurement.catch(() => this.reports.peek(token) === measurement && this.reports.delete(token))
    return measurement
  }

  /**
   * Records results of test sales to any pools; null for a sale that could not be tested. One success means that the
   * token can be sold, unless a sale to the pools that decide its price failed. A creator can let a token be sold to
   * other pools only.
   */
  recordSales(token: Address, saleResults: readonly (boolean | null)[]): void {
    const failedIn = this.unsellableTokens.get(token)
    if (saleResults.includes(true)) {
      if (failedIn === 'any') this.update(token, undefined)
    } else if (saleResults.includes(false)) this.update(token, failedIn ?? 'any')
  }

  /** Records results of test sales to the pools that decide a token's price. The token must be sold to each of them. */
  recordDecidingSales(token: Address, saleResults: readonly (boolean | null)[]): void {
    if (saleResults.includes(false)) this.update(token, 'deciding')
    else if (saleResults.includes(true)) this.update(token, undefined)
  }

  private update(token: Address, failedIn: 'any' | 'deciding' | undefined): void {
    const wasUnsellable = this.unsellableTokens.has(token)
    if (failedIn) this.unsellableTokens.set(token, failedIn)
    else this.unsellableTokens.delete(token)
    if (wasUnsellable !== (failedIn !== undefined)) this.onSellabilityChanged(token)
  }
}

async function measureEverywhere(
  token: Address,
  snapshot: Snapshot,
  source: TaxSource,
): Promise<TokenMeasurements | null> {
  if (token === NATIVE) return null
  const pools = deepestPoolsOf(token, snapshot.pools.values(), MAX_POOLS)
  const poolsToMeasure: readonly (Pool | undefined)[] = pools.length > 0 ? pools : [undefined]
  try {
    return await Promise.all(
      poolsToMeasure.map(async (pool) => ({ pool, report: await measureToken(token, pool, source) })),
    )
  } catch (error) {
    if (error instanceof SimulationError) return null
    throw error
  }
}
