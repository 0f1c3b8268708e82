/**
 * Trust in the tokens and pools that routes pass through. The chain's file grants trust (`named`). Other tokens and
 * pools earn trust by enough liquidity and good behavior over many blocks (`earned`). The tracker passes blocks and
 * token measurements to the trust ledger, which decides.
 */
import type { Address, Chain } from '@sluice/chains'
import {
  type Snapshot,
  type TokenStanding,
  type Trust,
  TrustLedger,
  type TrustLevel,
  type TrustTerms,
} from '@sluice/liquidity'
import type { Prices } from '@sluice/pricing'
import type { Taxes } from '@sluice/routing'
import { inSlices } from '@sluice/rpc'
import type { TokenMeasurements } from './token-reports.ts'

const DAY_MS = 86_400_000
/** Minimum number of blocks in which a token must qualify to earn trust. Slow chains have fewer blocks in a day. */
const MIN_BLOCKS = 600
/** Number of measurements of a token in the time that earning trust takes; a trusted token is measured as often. */
const REPORTS_WHILE_EARNING = 24
/** Minimum blocks between two measurements of a token, if trust is earned quickly. */
const MIN_REPORT_BLOCKS = 25
/** Minimum milliseconds between measurements of any tokens, because each costs the node a few calls. */
const REPORT_PAUSE_MS = 10_000

/** Maximum queued blocks. If there are more, the ledger is reset, because a gap in its observations voids them. */
const MAX_WAITING = 64

/** Returns the terms of earning trust. Source of the values: docs/decisions/intermediates.md. */
function termsOf({ blockTimeMs }: Chain, earnBlocks: number | undefined): TrustTerms {
  const blocks = earnBlocks ?? Math.max(MIN_BLOCKS, Math.ceil(DAY_MS / blockTimeMs))
  const measurementIntervalBlocks = Math.max(MIN_REPORT_BLOCKS, Math.ceil(blocks / REPORTS_WHILE_EARNING))
  return { blocks, pools: 3, namedTokens: 2, depthUsd: 250_000, measurementIntervalBlocks }
}

/** Measures a token in the pools that trade it; null if it cannot be measured. */
export type MeasureToken = (token: Address, snapshot: Snapshot) => Promise<TokenMeasurements | null>

type Options = {
  readonly chain: Chain
  /** Number of consecutive blocks in which a token must qualify to earn trust; a day of blocks if absent. */
  readonly earnBlocks: number | undefined
  readonly decimals: (token: Address) => number | undefined
  readonly measure: MeasureToken
}

export class TrustTracker {
  private readonly ledger: TrustLedger
  private readonly options: Options
  private queue: Snapshot[] = []
  private isObserving = false
  private isMeasuring = false
  private lastMeasurementMs = Number.NEGATIVE_INFINITY

  constructor(options: Options) {
    this.options = options
    this.ledger = new TrustLedger(options.chain, termsOf(options.chain, options.earnBlocks))
  }

  /**
   * Returns the tokens and pools that a route may pass through: the same object until they change; undefined if there
   * is no restriction.
   */
  trust(level: TrustLevel | 'any'): Trust | undefined {
    return level === 'any' ? undefined : this.ledger[level]
  }

  standingOf(token: Address): TokenStanding {
    return this.ledger.standingOfToken(token)
  }

  get counts(): TrustLedger['counts'] {
    return this.ledger.counts
  }

  /** Records a block in the ledger, after the earlier blocks and in time slices. */
  async observe(snapshot: Snapshot): Promise<void> {
    if (this.queue.length >= MAX_WAITING) {
      this.queue = []
      this.ledger.reset()
    }
    this.queue.push(snapshot)
    if (!this.isObserving) await this.observeAll()
  }

  /**
   * Sets the prices with which the depth of pools is computed. A price that an unlisted token decides does not count.
   * If that token cannot be sold, a little money can set any price of a token with few pools, and thus any depth.
   */
  setPrices(book: Pick<Prices, 'usd' | 'isPricedByListedTokens'>): void {
    const { decimals } = this.options
    this.ledger.setPriceSource((token, amount) => {
      const decimalPlaces = decimals(token)
      const price = book.usd(token)
      if (decimalPlaces === undefined || price === null || !book.isPricedByListedTokens(token)) return 0
      return (Number(amount) / 10 ** decimalPlaces) * price
    })
  }

  /** Withdraws the trust of tokens and pools through which a route failed. @param ids - token addresses and pool ids */
  recordFailure(ids: Iterable<string>): void {
    for (const id of ids) this.ledger.reportBreach(id, 'a route through it that paid less than it should')
  }

  /** Withdraws the trust of taxed tokens. */
  recordTaxes(taxes: Taxes): void {
    for (const token of taxes.keys()) this.ledger.reportBreach(token, 'a tax on transfers')
  }

  /** Resets the ledger. Call it when the process stops following the chain, because a gap voids the observations. */
  forget(): void {
    this.queue = []
    this.ledger.reset()
  }

  private async observeAll(): Promise<void> {
    this.isObserving = true
    try {
      for (let nextSnapshot = this.queue.shift(); nextSnapshot; nextSnapshot = this.queue.shift()) {
        await inSlices('trust', this.ledger.observeInSteps(nextSnapshot))
        void this.measureNext(nextSnapshot)
      }
    } finally {
      this.isObserving = false
    }
  }

  private async measureNext(snapshot: Snapshot): Promise<void> {
    const now = performance.now()
    const { tokenDueForMeasurement } = this.ledger
    if (tokenDueForMeasurement === undefined || this.isMeasuring || now - this.lastMeasurementMs < REPORT_PAUSE_MS)
      return
    this.isMeasuring = true
    this.lastMeasurementMs = now
    try {
      const measurements = await this.options.measure(tokenDueForMeasurement, snapshot)
      this.ledger.reportMeasurement(
        tokenDueForMeasurement,
        measurements === null ? 'transfers that cannot be measured' : faultOf(measurements),
      )
    } catch {
      // The node failed. Measure the token again after the others, since the token may be the cause.
      this.ledger.postponeMeasurement(tokenDueForMeasurement)
    } finally {
      this.isMeasuring = false
    }
  }
}

function faultOf(measurements: TokenMeasurements): string | null {
  for (const { report } of measurements) {
    if (report.rebasing !== false) return 'balances that change by themselves'
    if ((report.transferTaxPpm ?? 1) > 0 || (report.buyTaxPpm ?? 1) > 0 || (report.sellTaxPpm ?? 1) > 0)
      return 'a tax on transfers'
    if (report.sellable !== true) return 'a sale that failed'
    if (report.sizeLimited !== false) return 'a limit on the size of transfers'
  }
  return measurements.some(({ pool }) => pool) ? null : 'no pool to measure it in'
}
