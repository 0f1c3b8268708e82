/** Measures the taxes that tokens take on transfers, and records them by token and pool. */
import type { Address } from '@sluice/chains'
import { familyOf, type Pool } from '@sluice/liquidity'
import { type Taxes, type TokenTax, taxIn } from '@sluice/routing'
import type { BlockRef, Rpc } from '@sluice/rpc'
import {
  BoundedMap,
  reportToken,
  type SimulationContext,
  SimulationError,
  type StateCount,
  type TokenReport,
} from '@sluice/simulation'

/** Minimum milliseconds between two measurements of a token: owners may change taxes, but not with every quote. */
const REMEASURE_MS = 60_000
/**
 * Minimum milliseconds to the next measurement if the last measurement changed the record. Many tokens lower their
 * taxes in steps in the minutes after their launch. Until the next measurement, quotes promise too little, or are
 * refused.
 */
const REMEASURE_CHANGED_MS = 10_000
/** Time of a measurement (Unix milliseconds), and whether it changed the record. */
type Measurement = { readonly atMs: number; readonly hasChanged: boolean }
/**
 * Divisors of a pool's reserve. The quotients are the amounts whose tax is measured: small enough for transfer limits,
 * large enough to compute the tax in whole ppm.
 */
const SMALL_AMOUNT_DIVISOR = 100_000n
const LARGE_AMOUNT_DIVISOR = 1_000n
/**
 * Minimum of the larger amount in base units. A measurement transfers a quarter of the amount once more, and a quarter
 * of a few units rounds to nothing.
 */
const MIN_LARGE_AMOUNT = 1_000n
/** Divisor of a reserve for test sales, if the reserve is too small for `LARGE_AMOUNT_DIVISOR`. */
const FEW_UNITS_DIVISOR = 10n
/** Amounts in base units for a token whose pool cannot fund the measurement. */
const SIZES_WITHOUT_POOL = [1_000n, 1_000_000n]
/** Maximum tokens with records. Limited because every route search receives the taxed tokens. */
const MAX_TOKENS = 2_000
/** Maximum pairs of token and pool whose last measurement time is remembered. */
const MAX_MEASURED = 20_000
/** Maximum pools per token with records. */
const MAX_POOLS_OF_TOKEN = 100

/**
 * Maximum tax in ppm at which a test sale succeeds. A token with a higher tax is worth less than half of its price in
 * pools. Taxes of tokens that are traded are far lower.
 */
const MAX_SALE_TAX_PPM = 500_000

/** Taxes of a token in one pool, in parts per million. */
export type KnownTax = Required<TokenTax>

const UNTAXED: KnownTax = { buyPpm: 0, sellPpm: 0, transferPpm: 0, surchargePpm: 0 }

export type TaxSource = {
  readonly rpc: Rpc
  readonly simulation: SimulationContext
  readonly block: BlockRef
  readonly signal: AbortSignal
}

/** A token with a pool that trades it, since taxes differ between pools. */
export type TradedToken = { readonly token: Address; readonly pool: Pool }

/** Taxes of a token by pool id. `usual` is the tax in the last measured pool, as of `usualMs` (Unix milliseconds). */
type TokenTaxes = { usual: KnownTax; usualMs: number; readonly inPool: BoundedMap<string, KnownTax> }

/** Taxes of tokens by pool and direction, measured after a route paid less than expected. */
export class TaxRecords {
  /** Called with each measurement of this process. */
  onMeasured: (token: Address, pool: string, tax: KnownTax, measuredMs: number) => void = () => {}
  /** Called with the result of each test sale; null if the sale could not be tried. */
  onSaleTested: (token: Address, sellable: boolean | null) => void = () => {}
  /** By token. A pool without a measurement is assumed to be taxed like the pool measured last (`usual`). */
  private readonly taxesByToken = new BoundedMap<Address, TokenTaxes>(MAX_TOKENS)
  private readonly lastMeasurementByKey = new BoundedMap<string, Measurement>(MAX_MEASURED)
  /**
   * Tokens that cannot be transferred again in the transaction that bought them, such as tokens that allow one transfer
   * per block.
   */
  private readonly stuckTokens = new BoundedMap<Address, true>(MAX_TOKENS)
  private cachedTaxedTokens: Taxes | undefined

  /** Returns the tokens with a tax in at least one pool. */
  get taxedTokens(): Taxes {
    this.cachedTaxedTokens ??= new Map(
      [...this.taxesByToken]
        .filter(([, { usual, inPool }]) => [usual, ...inPool.values()].some(isTaxed))
        .map(([token, { usual, inPool }]) => [token, { usual, inPool: new Map(inPool) }]),
    )
    return this.cachedTaxedTokens
  }

  get counts(): Readonly<Record<'taxes' | 'measured' | 'stuck', StateCount>> {
    return { taxes: this.taxesByToken.count, measured: this.lastMeasurementByKey.count, stuck: this.stuckTokens.count }
  }

  /** Returns the tax on a transfer between accounts that are not pools, parts per million. */
  transferPpm(token: Address): bigint {
    return BigInt(this.taxesByToken.get(token)?.usual.transferPpm ?? 0)
  }

  /**
   * True if the pool must send the token directly to its receiver, because the token cannot be transferred twice in one
   * transaction.
   */
  isStuck(token: Address): boolean {
    return this.stuckTokens.has(token)
  }

  /**
   * Measures each token in its pool, unless it was measured there within the last minute. If that measurement changed
   * the record, only the last ten seconds count.
   *
   * @returns true if a result differs from the record: a tax, or whether the token can be transferred twice
   * @throws RpcError if the node fails
   */
  async learn(trades: Iterable<TradedToken>, source: TaxSource): Promise<boolean> {
    const dueTrades = new Map([...trades].map((trade) => [tokenInPoolKey(trade.token, trade.pool.id), trade]))
    const now = Date.now()
    // Use the absolute difference, because the clock may have been set back since the measurement.
    for (const key of dueTrades.keys()) {
      const last = this.lastMeasurementByKey.get(key)
      const minIntervalMs = last?.hasChanged ? REMEASURE_CHANGED_MS : REMEASURE_MS
      if (last && Math.abs(now - last.atMs) <= minIntervalMs) dueTrades.delete(key)
    }
    const changes = await Promise.all([...dueTrades].map(([key, trade]) => this.measure(key, trade, source)))
    return changes.includes(true)
  }

  /** Stores a measurement of another process, if it is newer than the record. */
  record(token: Address, pool: string, tax: KnownTax, measuredMs: number): void {
    const key = tokenInPoolKey(token, pool)
    // The clock of the other process may be ahead. Its record must not outlast later measurements.
    const measuredAt = Math.min(measuredMs, Date.now())
    const last = this.lastMeasurementByKey.get(key)
    if (measuredAt <= pastTimeOf(last?.atMs)) return
    this.lastMeasurementByKey.set(key, { atMs: measuredAt, hasChanged: last?.hasChanged ?? false })
    this.store(token, pool, tax, measuredAt)
  }

  /** Returns an independent copy without times of measurement, so that every token is due for measurement. */
  copy(): TaxRecords {
    const copy = new TaxRecords()
    for (const [token, { usual, inPool }] of this.taxesByToken) {
      const pools = new BoundedMap<string, KnownTax>(MAX_POOLS_OF_TOKEN)
      for (const [pool, tax] of inPool) pools.set(pool, tax)
      copy.taxesByToken.set(token, { usual, usualMs: 0, inPool: pools })
    }
    for (const [token] of this.stuckTokens) copy.stuckTokens.set(token, true)
    return copy
  }

  private store(token: Address, pool: string, tax: KnownTax, measuredMs: number): void {
    const taxes = this.taxesByToken.get(token) ?? { usual: tax, usualMs: 0, inPool: new BoundedMap(MAX_POOLS_OF_TOKEN) }
    if (measuredMs >= pastTimeOf(taxes.usualMs)) {
      taxes.usual = tax
      taxes.usualMs = measuredMs
    }
    taxes.inPool.set(pool, tax)
    this.taxesByToken.set(token, taxes)
    this.cachedTaxedTokens = undefined
  }

  /** Records whether a token can be transferred twice in one transaction. @returns true if the record has changed */
  private recordStuck(token: Address, { buyTaxPpm, transferTaxPpm, sizeLimited }: TokenReport): boolean {
    // If a transfer succeeds, its tax may still be unknown because of rounding, but `sizeLimited` is known then.
    const isStuck = buyTaxPpm !== null && transferTaxPpm === null && sizeLimited === null
    if (isStuck === this.stuckTokens.has(token)) return false
    if (isStuck) this.stuckTokens.set(token, true)
    else this.stuckTokens.delete(token)
    return true
  }

  private async measure(key: string, trade: TradedToken, source: TaxSource): Promise<boolean> {
    const recordedTax = taxIn(this.taxesByToken, trade.token, trade.pool.id) ?? UNTAXED
    const report = await measureToken(trade.token, trade.pool, source).catch((error: unknown) => {
      // The token cannot be measured, so its record stays. Quotes exclude pools of the route instead.
      if (error instanceof SimulationError) return null
      throw error
    })
    const now = Date.now()
    this.lastMeasurementByKey.set(key, { atMs: now, hasChanged: false })
    if (!report) return false
    this.onSaleTested(trade.token, report.sellable)
    const tax = taxOf(report, recordedTax)
    this.store(trade.token, trade.pool.id, tax, now)
    this.onMeasured(trade.token, trade.pool.id, tax, now)
    const hasStuckChanged = this.recordStuck(trade.token, report)
    const hasTaxChanged = (['buyPpm', 'sellPpm', 'transferPpm', 'surchargePpm'] as const).some(
      (name) => tax[name] !== recordedTax[name],
    )
    this.lastMeasurementByKey.set(key, { atMs: now, hasChanged: hasTaxChanged })
    return hasStuckChanged || hasTaxChanged
  }
}

/**
 * Returns a recorded time. Returns 0 if no time is recorded, or if it is in the future because the clock was set back.
 * Any measurement then replaces the record.
 */
const pastTimeOf = (recordedMs = 0): number => (recordedMs > Date.now() ? 0 : recordedMs)

/**
 * Measures a token in a pool, at two amounts. Measures only transfers of the token if there is no pool, if the pool
 * holds too little of the token, or if the pool's tokens are at another address.
 *
 * @throws SimulationError if the token cannot be measured; RpcError if the node fails
 */
export async function measureToken(token: Address, pool: Pool | undefined, source: TaxSource): Promise<TokenReport> {
  const { rpc, simulation, block, signal } = source
  const reserve = pool ? familyOf(pool.family)!.reserves(pool)[pool.tokens.indexOf(token)]! : 0n
  if (pool && reserve / LARGE_AMOUNT_DIVISOR >= MIN_LARGE_AMOUNT) {
    const order = { token, block, signal, pool: pool.address, sizes: sizesOf(reserve) }
    const report = await reportToken(rpc, order, simulation)
    if (report.buyTaxPpm !== null) return report
  }
  return reportToken(rpc, { token, block, signal, sizes: SIZES_WITHOUT_POOL }, simulation)
}

const sizesOf = (reserve: bigint) => [reserve / SMALL_AMOUNT_DIVISOR + 1n, reserve / LARGE_AMOUNT_DIVISOR + 1n]

/**
 * Tests whether a token can be sold to a pool without losing most of it; null if that cannot be measured.
 *
 * @throws RpcError if the node fails
 */
export async function testSale(token: Address, pool: Pool, source: TaxSource): Promise<boolean | null> {
  const { rpc, simulation, ...order } = source
  const reserve = familyOf(pool.family)!.reserves(pool)[pool.tokens.indexOf(token)]!
  // A few units say little about taxes, but enough about sales: a creator may give a token no decimals.
  const isLarge = reserve / LARGE_AMOUNT_DIVISOR >= MIN_LARGE_AMOUNT
  const sizes = isLarge ? sizesOf(reserve) : [reserve / LARGE_AMOUNT_DIVISOR + 1n, reserve / FEW_UNITS_DIVISOR + 1n]
  try {
    const { sellable, sellTaxPpm } = await reportToken(rpc, { ...order, token, pool: pool.address, sizes }, simulation)
    return sellable && (sellTaxPpm ?? 0) <= MAX_SALE_TAX_PPM
  } catch (error) {
    // A token that cannot be measured may be sellable or not.
    if (error instanceof SimulationError) return null
    throw error
  }
}

function tokenInPoolKey(token: Address, pool: string): string {
  return `${token} ${pool}`
}

function isTaxed({ buyPpm, sellPpm, surchargePpm }: KnownTax): boolean {
  return buyPpm > 0 || sellPpm > 0 || surchargePpm > 0
}

/** Returns the taxes of a report. Directions that could not be measured are assumed to cost the transfer tax. */
function taxOf(report: TokenReport, recordedTax: KnownTax): KnownTax {
  const transferPpm = report.transferTaxPpm ?? recordedTax.transferPpm
  const surchargePpm = report.surchargePpm ?? recordedTax.surchargePpm
  return {
    transferPpm,
    surchargePpm,
    buyPpm: report.buyTaxPpm ?? transferPpm,
    sellPpm: report.sellTaxPpm ?? transferPpm,
  }
}
