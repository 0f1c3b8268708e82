import { setTimeout } from 'node:timers/promises'
import type { Address, Chain } from '@sluice/chains'
import { type Pool, type Snapshot, TokenFacts } from '@sluice/liquidity'
import type { Rpc } from '@sluice/rpc'
import { SimulationError, type StateCount } from '@sluice/simulation'
import { TokenNames } from './names.ts'
import { Standings } from './standings.ts'
import { measureToken, TaxRecords, type TaxSource } from './taxes.ts'
import { TokenCatalog } from './token-catalog.ts'
import { TokenEvidence } from './token-evidence.ts'
import { TokenLister } from './token-list.ts'
import { type MeasuredToken, TokenReports } from './token-reports.ts'

/** Longest wait for symbols that are not known yet. */
const SYMBOLS_TIMEOUT_MS = 1_000

type Options = {
  readonly chain: Chain
  /** Blocks in a row that it takes to earn trust; a day of them when absent. */
  readonly earnBlocks: number | undefined
  /** Source by which tokens are measured at the block of a snapshot. */
  readonly source: (snapshot: Snapshot) => Omit<TaxSource, 'signal'>
}

/** Knowledge of a chain's tokens: facts, taxes, reports, and what they have earned. All but the last outlasts its sleep. */
export class ChainTokens {
  readonly facts: TokenFacts
  readonly taxes = new TaxRecords()
  readonly standings: Standings
  readonly catalog: TokenCatalog
  private readonly reports = new TokenReports()
  private readonly names = new TokenNames()
  private readonly lister: TokenLister
  private readonly source: Options['source']
  readonly evidence: TokenEvidence

  constructor({ chain, earnBlocks, source }: Options) {
    this.source = source
    this.facts = new TokenFacts(chain)
    this.lister = new TokenLister({ chain, facts: this.facts, names: this.names })
    this.catalog = new TokenCatalog(this.lister)
    this.standings = new Standings({
      chain,
      earnBlocks,
      decimals: (token) => this.facts.decimals(token),
      measure: (token, snapshot) => this.report(token, snapshot),
    })
    this.taxes.onSold = (token, sellable) => this.reports.learn(token, [sellable])
    this.reports.onUnsellable = () => this.onNews()
    this.evidence = new TokenEvidence({
      vouched: new Set(this.catalog.registry),
      measure: (token, pool, snapshot) => this.measureSale(token, pool, snapshot),
      onNews: () => this.onNews(),
    })
  }

  /** Called when something was found out by which tokens are priced otherwise than a moment ago. */
  onNews: () => void = () => {}

  /**
   * A token as measured where it is traded; null for what is no token, or cannot be measured. Shared by everyone who asks for it
   * within the minute, so it does not end with the one who asked first.
   *
   * @throws RpcError when the node failed
   */
  async report(token: Parameters<TokenReports['of']>[0], snapshot: Snapshot): Promise<MeasuredToken | null> {
    if (this.facts.isToken(token) === false) return null
    const { signal } = new AbortController()
    return this.reports.of(token, snapshot, { ...this.source(snapshot), signal })
  }

  /**
   * Symbols of tokens, harmless to show. Missing for a token that has none, and if the node fails or does not answer in time: what is
   * known of a token beyond its symbol need not wait for that.
   */
  async symbols(tokens: readonly Address[], rpc: Rpc): Promise<ReadonlyMap<Address, string>> {
    const unknown = tokens.filter((token) => this.lister.symbolOf(token) === undefined)
    const read = this.names.read(unknown, rpc).catch(() => {})
    if (unknown.length > 0) await Promise.race([read, setTimeout(SYMBOLS_TIMEOUT_MS)])
    return new Map(
      tokens.flatMap((token): [Address, string][] => {
        const symbol = this.lister.symbolOf(token)
        return symbol === undefined ? [] : [[token, symbol]]
      }),
    )
  }

  /** One measurement that no report is made of. @throws RpcError */
  private async measureSale(token: Address, pool: Pool, snapshot: Snapshot): Promise<void> {
    const { signal } = new AbortController()
    try {
      const { sellable } = await measureToken(token, pool, { ...this.source(snapshot), signal })
      this.reports.learn(token, [sellable])
    } catch (error) {
      // A token that cannot be measured says nothing.
      if (!(error instanceof SimulationError)) throw error
    }
  }

  /** True for a token that could not be sold when it was measured last; one that the chain's file names is not blamed for a measurement. */
  isUnsellable(token: Address): boolean {
    return this.reports.isUnsellable(token) && !this.catalog.registry.includes(token)
  }

  get counts(): Readonly<Record<'facts' | 'taxes' | 'measured' | 'reports' | 'names' | 'held' | 'sold', StateCount>> {
    const { held, sold } = this.evidence.counts
    const counts = { reports: this.reports.count, names: this.names.count, held, sold }
    return { facts: this.facts.count, ...this.taxes.counts, ...counts }
  }
}
