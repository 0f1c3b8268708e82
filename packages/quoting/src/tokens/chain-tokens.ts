/** Facts, taxes, names, and trust of a chain's tokens. */
import { setTimeout } from 'node:timers/promises'
import type { Address, Chain } from '@sluice/chains'
import { type Pool, type Snapshot, TokenFacts } from '@sluice/liquidity'
import type { Rpc } from '@sluice/rpc'
import type { StateCount } from '@sluice/simulation'
import { TokenNames } from './names.ts'
import { TaxRecords, type TaxSource, testSale } from './taxes.ts'
import { TokenCatalog } from './token-catalog.ts'
import { TokenEvidence } from './token-evidence.ts'
import { TokenLister } from './token-list.ts'
import { type TokenMeasurements, TokenReports } from './token-reports.ts'
import { TrustTracker } from './trust-tracker.ts'

/** Timeout in milliseconds for reading symbols. */
const SYMBOLS_TIMEOUT_MS = 1_000

type Options = {
  readonly chain: Chain
  /** Number of consecutive blocks in which a token must qualify to earn trust; a day of blocks if absent. */
  readonly earnBlocks: number | undefined
  /** Returns the node and context with which tokens are measured at a snapshot's block. */
  readonly sourceAt: (snapshot: Snapshot) => Omit<TaxSource, 'signal'>
}

/** Knowledge about a chain's tokens. All but the trust in tokens is kept while the chain is not in use. */
export class ChainTokens {
  readonly facts: TokenFacts
  readonly taxes = new TaxRecords()
  readonly trustTracker: TrustTracker
  readonly catalog: TokenCatalog
  private readonly reports = new TokenReports()
  private readonly names = new TokenNames()
  private readonly lister: TokenLister
  private readonly sourceAt: Options['sourceAt']
  readonly evidence: TokenEvidence

  constructor({ chain, earnBlocks, sourceAt }: Options) {
    this.sourceAt = sourceAt
    this.facts = new TokenFacts(chain)
    this.lister = new TokenLister({ chain, facts: this.facts, names: this.names })
    this.catalog = new TokenCatalog(this.lister)
    this.trustTracker = new TrustTracker({
      chain,
      earnBlocks,
      decimals: (token) => this.facts.decimals(token),
      measure: (token, snapshot) => this.report(token, snapshot),
    })
    this.taxes.onSaleTested = (token, sellable) => this.reports.recordSales(token, [sellable])
    this.reports.onSellabilityChanged = (token) => {
      this.onSellabilityChanged(token)
      this.onNewEvidence()
    }
    this.evidence = new TokenEvidence({
      allowListed: new Set(this.catalog.registry),
      testSales: (token, pools, snapshot) => this.measureSales(token, pools, snapshot),
      onNewEvidence: () => this.onNewEvidence(),
    })
  }

  /** Called when a measurement changes prices. */
  onNewEvidence: () => void = () => {}
  /** @see TokenReports.onSellabilityChanged */
  onSellabilityChanged: (token: Address) => void = () => {}

  /**
   * Measures a token in the pools that trade it; null if the address is not a token, or cannot be measured. Callers
   * within a minute share the result, so no caller's signal aborts it.
   *
   * @throws RpcError if the node fails
   */
  async report(token: Parameters<TokenReports['reportOf']>[0], snapshot: Snapshot): Promise<TokenMeasurements | null> {
    if (this.facts.isToken(token) === false) return null
    const { signal } = new AbortController()
    return this.reports.reportOf(token, snapshot, { ...this.sourceAt(snapshot), signal })
  }

  /**
   * Reads symbols of tokens, sanitized for display. A token is missing from the result if it has no symbol, or if the
   * node fails or exceeds the timeout.
   */
  async symbols(tokens: readonly Address[], rpc: Rpc): Promise<ReadonlyMap<Address, string>> {
    const tokensWithoutSymbol = tokens.filter((token) => this.lister.symbolOf(token) === undefined)
    const read = this.names.read(tokensWithoutSymbol, rpc).catch(() => {})
    if (tokensWithoutSymbol.length > 0) await Promise.race([read, setTimeout(SYMBOLS_TIMEOUT_MS)])
    return new Map(
      tokens.flatMap((token): [Address, string][] => {
        const symbol = this.lister.symbolOf(token)
        return symbol === undefined ? [] : [[token, symbol]]
      }),
    )
  }

  /** Measures whether a token can be sold to the pools that decide its price, and records only that. @throws RpcError */
  private async measureSales(token: Address, pools: readonly Pool[], snapshot: Snapshot): Promise<void> {
    const { signal } = new AbortController()
    const source = { ...this.sourceAt(snapshot), signal }
    this.reports.recordDecidingSales(token, await Promise.all(pools.map((pool) => testSale(token, pool, source))))
  }

  /**
   * True if the token could not be sold when it was last measured. Tokens in the chain's file always count as sellable.
   */
  isUnsellable(token: Address): boolean {
    return this.reports.isUnsellable(token) && !this.catalog.registry.includes(token)
  }

  get counts(): Readonly<Record<'facts' | 'taxes' | 'measured' | 'reports' | 'names' | 'held' | 'sold', StateCount>> {
    const counts = { reports: this.reports.count, names: this.names.count, ...this.evidence.counts }
    return { facts: this.facts.stateCount, ...this.taxes.counts, ...counts }
  }
}
