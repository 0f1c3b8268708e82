/** Past prices of a chain's tokens, recorded block by block in memory. */
import type { Address } from '@sluice/chains'

/** Maximum tokens with a history: those of the chain's file first, then the last ones requested. */
const MAX_TOKENS = 64
/** Maximum points of a token. When it is reached, every second point is dropped, and half as many are recorded. */
const MAX_POINTS = 512

/** A price in USD at a block. */
export type PricePoint = { readonly block: number; readonly timestamp: number; readonly usd: number }

type Series = { points: PricePoint[]; every: number }
type Block = { readonly number: number; readonly timestamp: number }

/** A bounded history of prices. Points have a uniform distance in blocks, which grows as the history grows. */
export class PriceHistory {
  /** In order of the last request. */
  private readonly tracked = new Map<Address, Series>()
  private readonly permanent: ReadonlySet<Address>

  /** @param initial - tokens that are recorded from the start and never dropped */
  constructor(initial: readonly Address[]) {
    this.permanent = new Set(initial.slice(0, MAX_TOKENS / 2))
    for (const token of this.permanent) this.tracked.set(token, { points: [], every: 1 })
  }

  get size(): number {
    return this.tracked.size
  }

  /** Starts recording a token. Drops the token that was requested longest ago if there are too many. */
  track(token: Address): void {
    const series = this.tracked.get(token) ?? { points: [], every: 1 }
    this.tracked.delete(token)
    this.tracked.set(token, series)
    if (this.tracked.size <= MAX_TOKENS) return
    const oldest = [...this.tracked.keys()].find((address) => !this.permanent.has(address))
    if (oldest !== undefined) this.tracked.delete(oldest)
  }

  /** Records the first price of a token that has no points yet. */
  recordOne(token: Address, { number, timestamp }: Block, usd: number | null): void {
    const series = this.tracked.get(token)
    if (series?.points.length === 0 && usd !== null) series.points.push({ block: number, timestamp, usd })
  }

  /** Records the prices of all tracked tokens at a block, and removes points that a reorg made void. */
  record({ number, timestamp }: Block, usdOf: (token: Address) => number | null): void {
    for (const [token, series] of this.tracked) {
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
    return this.tracked.get(token)?.points ?? []
  }
}
