/**
 * Statistics of drift samples by chain, family, DEX, and pool. A drift sample is a quote that was simulated again one
 * or two blocks later. Does no I/O; every map has a limit.
 */
import { BoundedMap, type StateCount } from '@sluice/simulation'
import type { MeasuredDrift } from './auto-slippage.ts'
import { type FadingPool, FadingPools } from './fading-pools.ts'
import type { BlocksAfter, DriftSample } from './sample.ts'
import { type DriftOutcome, type Figures, Tally } from './tally.ts'

/** Number of newest samples that count: of the chain, of each family or DEX (a source), and of each pool. */
const WINDOW_SAMPLES = { chain: 1_000, source: 300, pool: 60 }
/** Maximum families and maximum DEXes with samples; chains have fewer. */
const MAX_SOURCES = 200
/** Maximum pools with samples. */
const MAX_POOLS = 1_000

/** Numbers of blocks after a quote at which it is simulated again. */
export const BLOCKS_AFTER: readonly BlocksAfter[] = [1, 2]

/** One value for each number of blocks after the quote. */
export type ByBlock<T> = { readonly [Blocks in BlocksAfter]: T }
/** Drift of a family or DEX. */
export type SourceFigures = { readonly name: string; readonly after: ByBlock<Figures> }
/** Drift of a pool. */
export type PoolFigures = {
  readonly id: string
  readonly family: string
  readonly dex: string
  readonly after: ByBlock<Figures>
}

/** Drift statistics of a chain. */
export type DriftFigures = {
  /** Number of samples since the service started, of both numbers of blocks. */
  readonly sampleCount: number
  /** Number of failed samples: the block was not seen or was removed by a reorg, or the node failed. */
  readonly missed: number
  readonly chain: ByBlock<Figures>
  /** Families with the most samples first. */
  readonly families: readonly SourceFigures[]
  /** DEXes with the most samples first. */
  readonly brands: readonly SourceFigures[]
  /** Pools with the most samples first. */
  readonly pools: readonly PoolFigures[]
  /** Pools whose quotes fade. Searches exclude such pools or rank them lower. */
  readonly withdrawing: readonly FadingPool[]
}

type Tallies = ByBlock<Tally>
type PoolTallies = Tallies & Pick<PoolFigures, 'family' | 'dex'>

/** Collects drift samples, the newest of each chain, source, and pool. */
export class DriftStatistics {
  private readonly chain = newTallies(WINDOW_SAMPLES.chain)
  private readonly families = new BoundedMap<string, Tallies>(MAX_SOURCES)
  private readonly brands = new BoundedMap<string, Tallies>(MAX_SOURCES)
  private readonly pools = new BoundedMap<string, PoolTallies>(MAX_POOLS)
  readonly fadingPools = new FadingPools()
  private sampleCount = 0
  private missedCount = 0

  get count(): StateCount {
    return this.pools.count
  }

  recordMissed(): void {
    this.missedCount++
  }

  add(sample: DriftSample): void {
    const { after, ppm, reverted, legs } = sample
    this.sampleCount++
    this.fadingPools.record(sample)
    this.chain[after].add({ ppm, reverted })
    const countedPools = new Set<string>()
    for (const { pool, ppm: legPpm } of legs) {
      if (legPpm === null) continue
      const { id, family, dex } = pool
      const outcome: DriftOutcome = { ppm: legPpm, reverted }
      tallyOf(this.families, family, WINDOW_SAMPLES.source)[after].add(outcome)
      tallyOf(this.brands, dex, WINDOW_SAMPLES.source)[after].add(outcome)
      // A route may use a pool twice.
      if (countedPools.has(id)) continue
      countedPools.add(id)
      const tallies = this.pools.get(id) ?? { family, dex, ...newTallies(WINDOW_SAMPLES.pool) }
      this.pools.set(id, tallies)
      tallies[after].add(outcome)
    }
  }

  /** Returns the loss of quotes through a pool two blocks later; undefined without samples. */
  measuredDrift(pool: string): MeasuredDrift | undefined {
    const tally = this.pools.peek(pool)?.[2]
    return tally && { samples: tally.samples, worstPpm: tally.worstPpm }
  }

  /** Returns all statistics. @param maxEntries - maximum entries of each list */
  figures(maxEntries: number): DriftFigures {
    const bySampleCount = <T extends Tallies>(tallies: BoundedMap<string, T>) =>
      [...tallies].sort(([, a], [, b]) => sampleCountOf(b) - sampleCountOf(a)).slice(0, maxEntries)
    const sources = (tallies: BoundedMap<string, Tallies>): readonly SourceFigures[] =>
      bySampleCount(tallies).map(([name, ownTallies]) => ({ name, after: figuresOf(ownTallies) }))
    return {
      sampleCount: this.sampleCount,
      missed: this.missedCount,
      chain: figuresOf(this.chain),
      families: sources(this.families),
      brands: sources(this.brands),
      pools: bySampleCount(this.pools).map(([id, ownTallies]) => ({
        id,
        family: ownTallies.family,
        dex: ownTallies.dex,
        after: figuresOf(ownTallies),
      })),
      withdrawing: this.fadingPools.list().slice(0, maxEntries),
    }
  }
}

function newTallies(size: number): Tallies {
  return { 1: new Tally(size), 2: new Tally(size) }
}

function tallyOf(tallies: BoundedMap<string, Tallies>, name: string, size: number): Tallies {
  const entry = tallies.get(name) ?? newTallies(size)
  tallies.set(name, entry)
  return entry
}

function figuresOf(ownTallies: Tallies): ByBlock<Figures> {
  return { 1: ownTallies[1].figures, 2: ownTallies[2].figures }
}

function sampleCountOf(ownTallies: Tallies): number {
  return ownTallies[1].samples + ownTallies[2].samples
}
