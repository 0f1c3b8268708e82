import type { Address } from '@sluice/chains'
import { familyOf, type Pool } from '@sluice/liquidity'
import { type Taxes, type TokenTax, taxIn } from '@sluice/routing'
import type { BlockRef, Rpc } from '@sluice/rpc'
import {
  Bounded,
  reportToken,
  type SimulationContext,
  SimulationError,
  type StateCount,
  type TokenReport,
} from '@sluice/simulation'

/** A token is measured again no sooner than this: owners change taxes, but not with every quote. */
const REMEASURE_MS = 60_000
/** Parts of a pool's reserve that are traded to measure: small enough to clear limits, large enough for whole ppm. */
const SMALL_PART = 100_000n
const LARGE_PART = 1_000n
/** Base units of a token without a pool that hands it over. */
const BLIND_SIZES = [1_000n, 1_000_000n]
/** Every search of a route is handed those that tax. */
const MAX_TOKENS = 2_000
const MAX_PLACES = 20_000
const MAX_POOLS_OF_TOKEN = 100

export type KnownTax = Required<TokenTax>

const UNTAXED: KnownTax = { buyPpm: 0, sellPpm: 0, transferPpm: 0, surchargePpm: 0 }

export type TaxSource = {
  readonly rpc: Rpc
  readonly simulation: SimulationContext
  readonly block: BlockRef
  readonly signal: AbortSignal
}

/** A token with a pool that trades it: taxes differ between a token's pools. */
export type TradedToken = { readonly token: Address; readonly pool: Pool }

type TokenTaxes = { usual: KnownTax; usualMs: number; readonly inPool: Bounded<string, KnownTax> }

/** Taxes of tokens by pool and direction, measured when a route paid less than settled. */
export class TaxRecords {
  /** Told of each measurement. */
  onMeasured: (token: Address, pool: string, tax: KnownTax, measuredMs: number) => void = () => {}
  /** Told what a token did to those who tried to sell it; null where nobody could. */
  onSold: (token: Address, sellable: boolean | null) => void = () => {}
  /** Pools that were not measured are taken to be taxed as the one that was measured last. */
  private readonly taxes = new Bounded<Address, TokenTaxes>(MAX_TOKENS)
  private readonly measuredAt = new Bounded<string, number>(MAX_PLACES)
  /** Tokens that were bought and could not be passed on in the same transaction, such as those that allow one transfer a block. */
  private readonly stuck = new Bounded<Address, true>(MAX_TOKENS)
  private taxing: Taxes | undefined

  /** The tokens that tax in some pool at least. */
  get current(): Taxes {
    this.taxing ??= new Map(
      [...this.taxes]
        .filter(([, { usual, inPool }]) => [usual, ...inPool.values()].some(takes))
        .map(([token, { usual, inPool }]) => [token, { usual, inPool: new Map(inPool) }]),
    )
    return this.taxing
  }

  get counts(): Readonly<Record<'taxes' | 'measured' | 'stuck', StateCount>> {
    return { taxes: this.taxes.count, measured: this.measuredAt.count, stuck: this.stuck.count }
  }

  /** Parts per million that the token keeps of a transfer between people. */
  transferPpm(token: Address): bigint {
    return BigInt(this.taxes.get(token)?.usual.transferPpm ?? 0)
  }

  /** True if the token must come from the pool to its receiver, since the same transaction cannot pass it on. */
  isStuck(token: Address): boolean {
    return this.stuck.has(token)
  }

  /**
   * Measures tokens in pools where they have not been measured lately.
   *
   * @returns whether a tax, or whether the token can be passed on, turned out to be another than taken for
   * @throws RpcError when the node failed
   */
  async learn(places: Iterable<TradedToken>, source: TaxSource): Promise<boolean> {
    const due = new Map([...places].map((place) => [placeKey(place.token, place.pool.id), place]))
    const now = Date.now()
    for (const key of due.keys()) if (now - (this.measuredAt.get(key) ?? 0) <= REMEASURE_MS) due.delete(key)
    const changed = await Promise.all([...due].map(([key, place]) => this.measure(key, place, source)))
    return changed.includes(true)
  }

  /** Takes in what somebody else has measured, where it is newer than what is known. */
  take(token: Address, pool: string, tax: KnownTax, measuredMs: number): void {
    const key = placeKey(token, pool)
    if (measuredMs <= (this.measuredAt.get(key) ?? 0)) return
    this.measuredAt.set(key, Math.min(measuredMs, Date.now()))
    this.keep(token, pool, tax, measuredMs)
  }

  /** The same records, to be added to apart from these: every token is due to be measured. */
  copy(): TaxRecords {
    const copy = new TaxRecords()
    for (const [token, { usual, inPool }] of this.taxes) {
      const pools = new Bounded<string, KnownTax>(MAX_POOLS_OF_TOKEN)
      for (const [pool, tax] of inPool) pools.set(pool, tax)
      copy.taxes.set(token, { usual, usualMs: 0, inPool: pools })
    }
    for (const [token] of this.stuck) copy.stuck.set(token, true)
    return copy
  }

  private keep(token: Address, pool: string, tax: KnownTax, measuredMs: number): void {
    const taxes = this.taxes.get(token) ?? { usual: tax, usualMs: 0, inPool: new Bounded(MAX_POOLS_OF_TOKEN) }
    if (measuredMs >= taxes.usualMs) {
      taxes.usual = tax
      taxes.usualMs = measuredMs
    }
    taxes.inPool.set(pool, tax)
    this.taxes.set(token, taxes)
    this.taxing = undefined
  }

  /** @returns whether it is another than before */
  private observePass(token: Address, { buyTaxPpm, transferTaxPpm }: TokenReport): boolean {
    const isStuck = buyTaxPpm !== null && transferTaxPpm === null
    if (isStuck === this.stuck.has(token)) return false
    if (isStuck) this.stuck.set(token, true)
    else this.stuck.delete(token)
    return true
  }

  private async measure(key: string, place: TradedToken, source: TaxSource): Promise<boolean> {
    const known = taxIn(this.taxes, place.token, place.pool.id) ?? UNTAXED
    const report = await measureToken(place.token, place.pool, source).catch((error: unknown) => {
      // A token that cannot be measured keeps what is recorded of it; its pools are dropped instead.
      if (error instanceof SimulationError) return null
      throw error
    })
    const now = Date.now()
    this.measuredAt.set(key, now)
    if (!report) return false
    this.onSold(place.token, report.sellable)
    const tax = taxOf(report, known)
    this.keep(place.token, place.pool.id, tax, now)
    this.onMeasured(place.token, place.pool.id, tax, now)
    const turned = this.observePass(place.token, report)
    return (
      turned || (['buyPpm', 'sellPpm', 'transferPpm', 'surchargePpm'] as const).some((key) => tax[key] !== known[key])
    )
  }
}

/**
 * Report of a token's behaviour in a pool, at two sizes; of its transfers alone where there is no pool, or one that keeps its tokens
 * elsewhere.
 *
 * @throws SimulationError when the token cannot be measured; RpcError when the node failed
 */
export async function measureToken(token: Address, pool: Pool | undefined, source: TaxSource): Promise<TokenReport> {
  const { rpc, simulation, block, signal } = source
  if (pool) {
    const reserve = familyOf(pool.family)!.reserves(pool)[pool.tokens.indexOf(token)]!
    const sizes = [reserve / SMALL_PART + 1n, reserve / LARGE_PART + 1n]
    const report = await reportToken(rpc, { token, block, signal, pool: pool.address, sizes }, simulation)
    if (report.buyTaxPpm !== null) return report
  }
  return reportToken(rpc, { token, block, signal, sizes: BLIND_SIZES }, simulation)
}

function placeKey(token: Address, pool: string): string {
  return `${token} ${pool}`
}

function takes({ buyPpm, sellPpm, surchargePpm }: KnownTax): boolean {
  return buyPpm > 0 || sellPpm > 0 || surchargePpm > 0
}

/** Directions that could not be measured are taken to cost what a plain transfer does. */
function taxOf(report: TokenReport, known: KnownTax): KnownTax {
  const transferPpm = report.transferTaxPpm ?? known.transferPpm
  const surchargePpm = report.surchargePpm ?? known.surchargePpm
  return {
    transferPpm,
    surchargePpm,
    buyPpm: report.buyTaxPpm ?? transferPpm,
    sellPpm: report.sellTaxPpm ?? transferPpm,
  }
}
