/** Records the prices of a chain's tokens block by block in memory. */
import type { Address } from '@sluice/chains'
import { BoundedMap } from '@sluice/simulation'

/**
 * Maximum tokens with a history: up to half are tokens of the chain's file, the rest are the last requested tokens.
 */
const MAX_TOKENS = 64
/** Maximum points of a token. When it is reached, every second point is dropped, and then half as many are recorded. */
const MAX_POINTS = 512

/** A price in USD at a block. */
export type PricePoint = { readonly block: number; readonly timestamp: number; readonly usd: number }

/** The points of a token, oldest first, and the minimum number of blocks between two of them. */
type Series = { points: PricePoint[]; blocksPerPoint: number }
const newSeries = (): Series => ({ points: [], blocksPerPoint: 1 })
type Block = { readonly number: number; readonly timestamp: number }

/** A bounded history of prices. Points have a uniform distance in blocks, which grows as the history grows. */
export class PriceHistory {
  private readonly permanentSeriesByToken: ReadonlyMap<Address, Series>
  private readonly evictableSeriesByToken: BoundedMap<Address, Series>

  /** @param permanentTokens - tokens that are recorded from the start and never dropped */
  constructor(permanentTokens: readonly Address[]) {
    this.permanentSeriesByToken = new Map(permanentTokens.slice(0, MAX_TOKENS / 2).map((token) => [token, newSeries()]))
    this.evictableSeriesByToken = new BoundedMap(MAX_TOKENS - this.permanentSeriesByToken.size)
  }

  get size(): number {
    return this.permanentSeriesByToken.size + this.evictableSeriesByToken.size
  }

  /** Starts recording a token. If there are too many tokens, drops the token that was requested longest ago. */
  track(token: Address): void {
    if (!this.seriesOf(token)) this.evictableSeriesByToken.set(token, newSeries())
  }

  /** Records the first price of a token that has no points yet. */
  recordFirst(token: Address, { number, timestamp }: Block, usd: number): void {
    const series = this.seriesOf(token)
    if (series?.points.length === 0) series.points.push({ block: number, timestamp, usd })
  }

  /** Records the prices of all tracked tokens at a block, and removes points of blocks that a reorg removed. */
  record({ number, timestamp }: Block, usdOf: (token: Address) => number | null): void {
    for (const [token, series] of [...this.permanentSeriesByToken, ...this.evictableSeriesByToken]) {
      // After a reorg, points at this height and above belong to removed blocks.
      while (series.points.length > 0 && series.points.at(-1)!.block >= number) series.points.pop()
      const usd = usdOf(token)
      const lastPoint = series.points.at(-1)
      if (usd === null || (lastPoint && number - lastPoint.block < series.blocksPerPoint)) continue
      series.points.push({ block: number, timestamp, usd })
      if (series.points.length < MAX_POINTS) continue
      series.points = series.points.filter((_, index) => index % 2 === 0)
      series.blocksPerPoint *= 2
    }
  }

  /** Returns the points of a token, oldest first. */
  pointsOf(token: Address): readonly PricePoint[] {
    return this.seriesOf(token)?.points ?? []
  }

  private seriesOf(token: Address): Series | undefined {
    return this.permanentSeriesByToken.get(token) ?? this.evictableSeriesByToken.get(token)
  }
}
