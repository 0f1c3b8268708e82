/** Past prices of a chain's tokens, recorded block by block in memory. */
import type { Address } from '@sluice/chains'
import { BoundedMap } from '@sluice/simulation'

/** Maximum tokens with a history: tokens of the chain's file first, then the last requested ones. */
const MAX_TOKENS = 64
/** Maximum points of a token. When it is reached, every second point is dropped, and half as many are recorded. */
const MAX_POINTS = 512

/** A price in USD at a block. */
export type PricePoint = { readonly block: number; readonly timestamp: number; readonly usd: number }

type Series = { points: PricePoint[]; every: number }
const newSeries = (): Series => ({ points: [], every: 1 })
type Block = { readonly number: number; readonly timestamp: number }

/** A bounded history of prices. Points have a uniform distance in blocks, which grows as the history grows. */
export class PriceHistory {
  private readonly permanent: ReadonlyMap<Address, Series>
  private readonly seriesByToken: BoundedMap<Address, Series>

  /** @param initial - tokens that are recorded from the start and never dropped */
  constructor(initial: readonly Address[]) {
    this.permanent = new Map(initial.slice(0, MAX_TOKENS / 2).map((token) => [token, newSeries()]))
    this.seriesByToken = new BoundedMap(MAX_TOKENS - this.permanent.size)
  }

  get size(): number {
    return this.permanent.size + this.seriesByToken.size
  }

  /** Starts recording a token. Drops the token that was requested longest ago if there are too many. */
  track(token: Address): void {
    if (!this.seriesOf(token)) this.seriesByToken.set(token, newSeries())
  }

  /** Records the first price of a token that has no points yet. */
  recordFirst(token: Address, { number, timestamp }: Block, usd: number): void {
    const series = this.seriesOf(token)
    if (series?.points.length === 0) series.points.push({ block: number, timestamp, usd })
  }

  /** Records the prices of all tracked tokens at a block, and removes points that a reorg made void. */
  record({ number, timestamp }: Block, usdOf: (token: Address) => number | null): void {
    for (const [token, series] of [...this.permanent, ...this.seriesByToken]) {
      // A block that replaces others after a reorg is recorded in their place.
      while (series.points.length > 0 && series.points.at(-1)!.block >= number) series.points.pop()
      const usd = usdOf(token)
      const last = series.points.at(-1)
      if (usd === null || (last && number - last.block < series.every)) continue
      series.points.push({ block: number, timestamp, usd })
      if (series.points.length < MAX_POINTS) continue
      series.points = series.points.filter((_, index) => index % 2 === 0)
      series.every *= 2
    }
  }

  /** Returns the points of a token, oldest first. */
  of(token: Address): readonly PricePoint[] {
    return this.seriesOf(token)?.points ?? []
  }

  private seriesOf(token: Address): Series | undefined {
    return this.permanent.get(token) ?? this.seriesByToken.get(token)
  }
}
