/** Records the prices of a chain's tokens block by block in memory. */
import type { Address } from '@sluice/chains'
import type { BlockHeader } from '@sluice/rpc'
import { BoundedMap } from '@sluice/simulation'

/** Maximum tokens with a history: up to half are tokens of the chain's file, the rest are the last requested tokens. */
const MAX_TOKENS = 64
/**
 * Maximum points of a token. At this number, every second point is dropped, and later points are recorded half as
 * often.
 */
const MAX_POINTS = 512
/** Maximum depth, in blocks, of a reorg whose points are removed. After a deeper reorg, points of removed blocks stay. */
const MAX_REORG_BLOCKS = 64

/** A price in USD at a block. */
export type PricePoint = { readonly block: number; readonly timestamp: number; readonly usd: number }

/** The points of a token, oldest first, and the minimum number of blocks between two of them. */
type Series = { points: PricePoint[]; blocksPerPoint: number }
const newSeries = (): Series => ({ points: [], blocksPerPoint: 1 })

/** A bounded history of prices. Points have a uniform distance in blocks, which grows as the history grows. */
export class PriceHistory {
  private readonly permanentSeriesByToken: ReadonlyMap<Address, Series>
  private readonly evictableSeriesByToken: BoundedMap<Address, Series>
  private readonly isCanonical: (block: BlockHeader) => boolean
  /** The last recorded blocks, oldest first. */
  private recentBlocks: readonly BlockHeader[] = []

  /**
   * @param permanentTokens - tokens that are recorded from the start and never dropped
   * @param isCanonical - true if the block is known to be on the canonical chain
   */
  constructor(permanentTokens: readonly Address[], isCanonical: (block: BlockHeader) => boolean) {
    this.isCanonical = isCanonical
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
  recordFirst(token: Address, { number, timestamp }: BlockHeader, usd: number): void {
    const series = this.seriesOf(token)
    if (series?.points.length === 0) series.points.push({ block: number, timestamp, usd })
  }

  /** Records the prices of all tracked tokens at a block, and removes points of blocks that a reorg removed. */
  record(block: BlockHeader, usdOf: (token: Address) => number | null): void {
    const { number, timestamp } = block
    const removedFrom = this.firstRemovedHeight(block)
    this.recentBlocks = [...this.recentBlocks.filter((recent) => recent.number < removedFrom), block].slice(
      -MAX_REORG_BLOCKS,
    )
    for (const [token, series] of [...this.permanentSeriesByToken, ...this.evictableSeriesByToken]) {
      while (series.points.length > 0 && series.points.at(-1)!.block >= removedFrom) series.points.pop()
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

  /**
   * Returns the lowest height at which points may be of blocks that a reorg removed: the height after the newest
   * recorded block that is still canonical. The newest block does not show the fork, because the new branch may have
   * earlier blocks that were not recorded.
   */
  private firstRemovedHeight({ number }: BlockHeader): number {
    const ancestor = this.recentBlocks.findLast((recent) => recent.number < number && this.isCanonical(recent))
    return ancestor ? ancestor.number + 1 : number
  }

  private seriesOf(token: Address): Series | undefined {
    return this.permanentSeriesByToken.get(token) ?? this.evictableSeriesByToken.get(token)
  }
}
