/** Statistics of samples by chain, family, brand and pool. Does no I/O; every map has a limit. */
import { Bounded, type StateCount } from '@sluice/simulation'
import type { MeasuredDrift } from './auto-slippage.ts'
import type { After, Sample } from './sample.ts'
import { type Figures, type Outcome, Tally } from './tally.ts'
import { Withdrawals, type Withdrawing } from './withdrawals.ts'

/** Samples of a window: of the chain, of a family or brand, of a pool. */
const WINDOWS = { chain: 1_000, source: 300, pool: 60 }
/** Brands of a chain's file are fewer; families are fewer still. */
const MAX_SOURCES = 200
const MAX_POOLS = 1_000

export const AFTER: readonly After[] = [1, 2]

/** By the number of blocks after that of the quote. */
export type ByBlock<T> = { readonly [Blocks in After]: T }
export type SourceFigures = { readonly name: string; readonly after: ByBlock<Figures> }
export type PoolFigures = {
  readonly id: string
  readonly family: string
  readonly dex: string
  readonly after: ByBlock<Figures>
}

export type DriftFigures = {
  /** Samples since the service started, of either block. */
  readonly taken: number
  /** Those that came to nothing: the block was not seen, or is gone, or the node failed. */
  readonly missed: number
  readonly chain: ByBlock<Figures>
  /** Those with the most samples first. */
  readonly families: readonly SourceFigures[]
  readonly brands: readonly SourceFigures[]
  readonly pools: readonly PoolFigures[]
  /** Those that routes are ranked without, or with less. */
  readonly withdrawing: readonly Withdrawing[]
}

type Tallies = ByBlock<Tally>
type PoolTallies = Tallies & Pick<PoolFigures, 'family' | 'dex'>

export class DriftStatistics {
  private readonly chain = tallies(WINDOWS.chain)
  private readonly families = new Bounded<string, Tallies>(MAX_SOURCES)
  private readonly brands = new Bounded<string, Tallies>(MAX_SOURCES)
  private readonly pools = new Bounded<string, PoolTallies>(MAX_POOLS)
  readonly withdrawals = new Withdrawals()
  private taken = 0
  private missed = 0

  get count(): StateCount {
    return this.pools.count
  }

  miss(): void {
    this.missed++
  }

  add(sample: Sample): void {
    const { after, ppm, reverted, legs } = sample
    this.taken++
    this.withdrawals.take(sample)
    this.chain[after].add({ ppm, reverted })
    const met = new Set<string>()
    for (const { pool, ppm: ofLeg } of legs) {
      if (ofLeg === null) continue
      const { id, family, dex } = pool
      const outcome: Outcome = { ppm: ofLeg, reverted }
      tallyOf(this.families, family, WINDOWS.source)[after].add(outcome)
      tallyOf(this.brands, dex, WINDOWS.source)[after].add(outcome)
      // A pool that is used twice is one pool.
      if (met.has(id)) continue
      met.add(id)
      const known = this.pools.get(id) ?? { family, dex, ...tallies(WINDOWS.pool) }
      this.pools.set(id, known)
      known[after].add(outcome)
    }
  }

  /** Loss of quotes through a pool two blocks later; undefined where that was not measured. */
  measured(pool: string): MeasuredDrift | undefined {
    const tally = this.pools.peek(pool)?.[2]
    return tally && { samples: tally.samples, worstPpm: tally.worstPpm }
  }

  /** @param most - families, brands and pools, of each */
  figures(most: number): DriftFigures {
    const first = <T extends Tallies>(of: Bounded<string, T>) =>
      [...of].sort(([, a], [, b]) => samplesOf(b) - samplesOf(a)).slice(0, most)
    const sources = (of: Bounded<string, Tallies>): readonly SourceFigures[] =>
      first(of).map(([name, own]) => ({ name, after: figuresOf(own) }))
    return {
      taken: this.taken,
      missed: this.missed,
      chain: figuresOf(this.chain),
      families: sources(this.families),
      brands: sources(this.brands),
      pools: first(this.pools).map(([id, own]) => ({ id, family: own.family, dex: own.dex, after: figuresOf(own) })),
      withdrawing: this.withdrawals.withdrawing().slice(0, most),
    }
  }
}

function tallies(size: number): Tallies {
  return { 1: new Tally(size), 2: new Tally(size) }
}

function tallyOf(of: Bounded<string, Tallies>, name: string, size: number): Tallies {
  const known = of.get(name) ?? tallies(size)
  of.set(name, known)
  return known
}

function figuresOf(own: Tallies): ByBlock<Figures> {
  return { 1: own[1].figures, 2: own[2].figures }
}

function samplesOf(own: Tallies): number {
  return own[1].samples + own[2].samples
}
