/** When a second request is sent beside one that takes longer than it usually does, and how many of them at most. */

/** Earned by each request: in calm weather hedges add no more than that. */
const SHARE = 0.03
const MOST = 20
/** Milliseconds: less than that is not worth a second request. */
const LEAST_MS = 30
/** Before it is known how long a request takes. */
const UNKNOWN_MS = 500

export class HedgeBudget {
  private tokens = MOST / 2

  earn(): void {
    this.tokens = Math.min(MOST, this.tokens + SHARE)
  }

  take(): boolean {
    if (this.tokens < 1) return false
    this.tokens--
    return true
  }

  /** Hedges that were needed, since one of them was first, cost nothing: they did not come of impatience. */
  give(hedges: number): void {
    this.tokens = Math.min(MOST, this.tokens + hedges)
  }
}

type Quantiles = { readonly p50: number; readonly p95: number } | undefined

/**
 * Milliseconds after which a request is late. Where a good part of the requests hangs, the 95th percentile is of those that
 * hang, so it is held against the median.
 */
export function lateMs(quantiles: readonly Quantiles[]): number {
  const known = quantiles.filter((each) => each !== undefined)
  if (known.length === 0) return UNKNOWN_MS
  return Math.max(LEAST_MS, Math.min(...known.map(({ p50, p95 }) => Math.min(1.5 * p95, 8 * p50))))
}
