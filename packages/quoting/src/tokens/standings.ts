/** Standing of what routes over a chain may pass through: the ledger of what earned it, with the measurements that it asks for. */
import type { Address, Chain } from '@sluice/chains'
import { type Snapshot, type Standing, type Terms, type Trust, TrustLedger, type TrustLevel } from '@sluice/liquidity'
import type { PriceBook } from '@sluice/pricing'
import type { Taxes } from '@sluice/routing'
import { inSlices } from '@sluice/rpc'
import type { MeasuredToken } from './token-reports.ts'

const DAY_MS = 86_400_000
/** However slow a chain is. */
const LEAST_BLOCKS = 600
/** Repeats of the measurement of what has earned trust, in the time that it takes to earn it. */
const REPORTS = 24
/** However little time it takes to earn it. */
const LEAST_REPORT_BLOCKS = 25
/** Measuring costs the node a few calls: milliseconds between two at least. */
const REPORT_PAUSE_MS = 10_000

/** Blocks that may wait to be taken note of; with more, nothing is known of what happened. */
const MAX_WAITING = 64

/** docs/decisions/intermediates.md tells where these come from. */
function termsOf({ blockTimeMs }: Chain, earnBlocks: number | undefined): Terms {
  const blocks = earnBlocks ?? Math.max(LEAST_BLOCKS, Math.ceil(DAY_MS / blockTimeMs))
  const reportBlocks = Math.max(LEAST_REPORT_BLOCKS, Math.ceil(blocks / REPORTS))
  return { blocks, pools: 3, namedTokens: 2, depthUsd: 250_000, reportBlocks }
}

/** Measures a token where it is traded; null where it cannot be. */
export type MeasureToken = (token: Address, snapshot: Snapshot) => Promise<MeasuredToken | null>

type Options = {
  readonly chain: Chain
  /** Blocks in a row that it takes to earn trust; a day of them when absent. */
  readonly earnBlocks: number | undefined
  readonly decimals: (token: Address) => number | undefined
  readonly measure: MeasureToken
}

export class Standings {
  private readonly ledger: TrustLedger
  private readonly options: Options
  private waiting: Snapshot[] = []
  private observing = false
  private measuring = false
  private measuredAt = Number.NEGATIVE_INFINITY

  constructor(options: Options) {
    this.options = options
    this.ledger = new TrustLedger(options.chain, termsOf(options.chain, options.earnBlocks))
  }

  /** The same object as long as nothing changes; undefined where anything may be passed through. */
  trust(level: TrustLevel | 'any'): Trust | undefined {
    return level === 'any' ? undefined : this.ledger[level]
  }

  of(token: Address): Standing {
    return this.ledger.standing(token)
  }

  get counts(): TrustLedger['counts'] {
    return this.ledger.counts
  }

  /** Takes note of a block: at once where not much has changed, else in slices, block after block. */
  async observe(snapshot: Snapshot): Promise<void> {
    if (this.waiting.length >= MAX_WAITING) {
      this.waiting = []
      this.ledger.forget()
    }
    this.waiting.push(snapshot)
    if (!this.observing) await this.observeAll()
  }

  /** Depth counts at these prices from now on. */
  price(book: PriceBook): void {
    const { decimals } = this.options
    this.ledger.price((token, amount) => {
      const places = decimals(token)
      return places === undefined ? 0 : (Number(amount) / 10 ** places) * (book.usd(token) ?? 0)
    })
  }

  /** A route failed that no tax explains: whatever it passed through may be to blame. */
  blame(ids: Iterable<string>): void {
    for (const id of ids) this.ledger.breach(id, 'a route through it that paid less than it should')
  }

  /** Tokens that tax are lost, whoever found out. */
  learn(taxes: Taxes): void {
    for (const token of taxes.keys()) this.ledger.breach(token, 'a tax on transfers')
  }

  /** Forgets all that was seen while the chain was awake: nobody saw what came after. */
  forget(): void {
    this.waiting = []
    this.ledger.forget()
  }

  private async observeAll(): Promise<void> {
    this.observing = true
    try {
      for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
        await inSlices('trust', this.ledger.observing(next))
        void this.measureNext(next)
      }
    } finally {
      this.observing = false
    }
  }

  private async measureNext(snapshot: Snapshot): Promise<void> {
    const now = performance.now()
    const { due } = this.ledger
    if (due === undefined || this.measuring || now - this.measuredAt < REPORT_PAUSE_MS) return
    this.measuring = true
    this.measuredAt = now
    try {
      const found = await this.options.measure(due, snapshot)
      this.ledger.report(due, found === null ? 'transfers that cannot be measured' : faultOf(found))
    } catch {
      // The node failed: that says nothing of the token, which is measured again.
    } finally {
      this.measuring = false
    }
  }
}

function faultOf(found: MeasuredToken): string | null {
  for (const { report } of found) {
    if (report.rebasing !== false) return 'balances that change by themselves'
    if ((report.transferTaxPpm ?? 1) > 0 || (report.buyTaxPpm ?? 1) > 0 || (report.sellTaxPpm ?? 1) > 0)
      return 'a tax on transfers'
    if (report.sellable !== true) return 'a sale that failed'
    if (report.sizeLimited !== false) return 'a limit on the size of transfers'
  }
  return found.some(({ pool }) => pool) ? null : 'no pool to measure it in'
}
