/**
 * Parses a chain's drift statistics. Drift is the difference between a quote and its simulation in a later block. Drops
 * rows and fields that do not have the expected form.
 */
import type { Stats } from '@sluice/client'
import { isJsonObject, type JsonObject, objectsOf, textOf } from '../format/untrusted-json.ts'

export const titleByKind = { family: 'Families', brand: 'Brands', pool: 'Pools' } as const
export type DriftKind = keyof typeof titleByKind

/** Drift of quotes a fixed number of blocks after the quote. */
export type DelayedDrift = {
  readonly samples: number
  /** Percent, 0 to 100. */
  readonly wouldRevertPercent: number
  /** Basis points, negative if the taker gets less; null if no sample paid anything. */
  readonly meanBps: number | null
  readonly medianBps: number | null
  /** 5 % of the quotes drift this much or worse. */
  readonly worst5PercentBps: number | null
}

/** Drift one block later and two blocks later. */
type DriftByDelay = readonly [DelayedDrift, DelayedDrift]

export type DriftRow = {
  /** Name of the row, which also identifies it in links. */
  readonly key: string
  /** Brand of a pool; absent for other rows. */
  readonly dex?: string
  /** Absent for a brand, which may have several families. */
  readonly family?: string
  readonly driftByDelay: DriftByDelay
}

/**
 * A pool whose quotes fade: one block later, the pool repeatedly pays less than its trades in between explain.
 */
export type FadingPoolEntry = {
  readonly pool: string
  readonly dex: string
  readonly family: string
  /** Percent taken off the pool's output when routes are ranked. */
  readonly driftPenaltyPercent: number
  /** Unix seconds; null if the pool takes part in routes. */
  readonly leftOutUntil: number | null
  readonly samples: number
  /** Number of samples in which the pool paid less than its trades in between explain. */
  readonly fadeCount: number
}

export type DriftStats = {
  /** Percent of the calls to the node that may measure drift; 0 if the operator switched the measurement off. */
  readonly samplePercent: number
  readonly samples: number
  /** Quotes that could not be simulated again, because a block was missed or reorged. */
  readonly missed: number
  /** Drift of all quotes on the chain. */
  readonly chain: DriftByDelay
  readonly rows: Readonly<Record<DriftKind, readonly DriftRow[]>>
  readonly fadingPools: readonly FadingPoolEntry[]
}

/** Limit of the absolute value of a number. The page has no space for larger numbers. */
const MAX_FIGURE = 1e12

export function parseDriftStats(stats: Stats): DriftStats {
  const familyRows = objectsOf(stats.families).map((entry) => ({
    key: textOf(entry.protocol),
    family: textOf(entry.protocol),
    ...driftOf(entry),
  }))
  const brandRows = objectsOf(stats.brands).map((entry) => ({ key: textOf(entry.dex), ...driftOf(entry) }))
  const poolRows = objectsOf(stats.pools).map((entry) => ({
    ...{ key: textOf(entry.pool), family: textOf(entry.protocol), dex: textOf(entry.dex) },
    ...driftOf(entry),
  }))
  return {
    samplePercent: countOf(stats.samplePercent),
    samples: countOf(stats.samples),
    missed: countOf(stats.missed),
    chain: driftByDelayOf(stats.blocks),
    rows: { family: withUniqueNames(familyRows), brand: withUniqueNames(brandRows), pool: withUniqueNames(poolRows) },
    fadingPools: objectsOf(stats.withdrawing).map((entry) => ({
      pool: textOf(entry.pool),
      dex: textOf(entry.dex),
      family: textOf(entry.protocol),
      driftPenaltyPercent: Math.min(100, countOf(entry.haircutPercent)),
      leftOutUntil: timeOf(entry.leftOutUntil),
      samples: countOf(entry.samples),
      fadeCount: countOf(entry.withdrew),
    })),
  }
}

const driftOf = (entry: JsonObject) => ({ driftByDelay: driftByDelayOf(entry.blocks) })

/** Returns the rows that have a name, without duplicates. */
function withUniqueNames(rows: readonly DriftRow[]): readonly DriftRow[] {
  const usedNames = new Set([''])
  return rows.filter(({ key }) => !usedNames.has(key) && usedNames.add(key))
}

function driftByDelayOf(blocks: unknown): DriftByDelay {
  const driftAfter = (blockCount: number): DelayedDrift => {
    const entry: JsonObject = objectsOf(blocks).find((block) => block.after === blockCount) ?? {}
    const drift: JsonObject = isJsonObject(entry.driftBps) ? entry.driftBps : {}
    const figures = {
      meanBps: numberOf(drift.mean),
      medianBps: numberOf(drift.median),
      worst5PercentBps: numberOf(drift.worst5),
    }
    return {
      samples: countOf(entry.samples),
      wouldRevertPercent: Math.min(100, countOf(entry.wouldRevertPercent)),
      ...figures,
    }
  }
  return [driftAfter(1), driftAfter(2)]
}

const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Math.abs(value) < MAX_FIGURE ? value : null
/** Returns Unix seconds that fit into a Date; null for other values. */
const timeOf = (value: unknown): number | null => {
  const seconds = numberOf(value)
  return seconds !== null && seconds >= 0 && seconds < 8e12 ? seconds : null
}
const countOf = (value: unknown): number => Math.max(0, numberOf(value) ?? 0)
