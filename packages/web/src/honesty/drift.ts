/** Parses a chain's drift statistics. Drops rows and fields that do not have the expected form. */
import type { Stats } from '@sluice/client'
import { legible } from '../format/legible.ts'

export const kinds = { family: 'Families', brand: 'Brands', pool: 'Pools' } as const
export type DriftKind = keyof typeof kinds

export type DriftAfter = {
  readonly samples: number
  /** Percent, 0 to 100. */
  readonly wouldRevert: number
  /** Basis points, negative if the taker gets less; null if nothing was paid. */
  readonly mean: number | null
  readonly median: number | null
  readonly worst5: number | null
}

/** One and two blocks later. */
type Pair = readonly [DriftAfter, DriftAfter]

export type Row = {
  /** Name that also identifies the row in links. */
  readonly key: string
  /** Brand of a pool; absent for other rows. */
  readonly dex?: string
  /** Absent for a brand, which may have several families. */
  readonly family?: string
  readonly after: Pair
}

export type LeftOut = {
  readonly pool: string
  readonly dex: string
  readonly family: string
  readonly driftPenaltyPercent: number
  /** Unix seconds; null if the pool takes part in routes. */
  readonly until: number | null
  readonly samples: number
  readonly withdrew: number
}

export type Honesty = {
  readonly samplePercent: number
  readonly samples: number
  readonly missed: number
  readonly chain: Pair
  readonly rows: Readonly<Record<DriftKind, readonly Row[]>>
  readonly leftOut: readonly LeftOut[]
}

/** Maximum rows of a kind. The service sends no more. */
const MAX_ROWS = 100
/** Maximum absolute value of a figure, except for times. A larger value does not fit on the page. */
const MAX_FIGURE = 1e12

export function honestyOf(stats: Stats): Honesty {
  const family = list(stats.families).map((entry) => ({
    key: text(entry.protocol),
    family: text(entry.protocol),
    ...labelOf(entry),
  }))
  const brand = list(stats.brands).map((entry) => ({ key: text(entry.dex), ...labelOf(entry) }))
  const pool = list(stats.pools).map((entry) => ({
    ...{ key: text(entry.pool), family: text(entry.protocol), dex: text(entry.dex) },
    ...labelOf(entry),
  }))
  return {
    samplePercent: count(stats.samplePercent),
    samples: count(stats.samples),
    missed: count(stats.missed),
    chain: pairOf(stats.blocks),
    rows: { family: nameRows(family), brand: nameRows(brand), pool: nameRows(pool) },
    leftOut: list(stats.withdrawing).map((entry) => ({
      pool: text(entry.pool),
      dex: text(entry.dex),
      family: text(entry.protocol),
      driftPenaltyPercent: Math.min(100, count(entry.haircutPercent)),
      until: time(entry.leftOutUntil),
      samples: count(entry.samples),
      withdrew: count(entry.withdrew),
    })),
  }
}

type Plain = Readonly<Record<string, unknown>>

const labelOf = (entry: Plain) => ({ after: pairOf(entry.blocks) })

/** Returns the rows that have a name, without duplicates. */
function nameRows(rows: readonly Row[]): readonly Row[] {
  const usedNames = new Set([''])
  return rows.filter(({ key }) => !usedNames.has(key) && usedNames.add(key))
}

function pairOf(blocks: unknown): Pair {
  const driftAfter = (after: number): DriftAfter => {
    const entry: Plain = list(blocks).find((block) => block.after === after) ?? {}
    const drift: Plain = isPlain(entry.driftBps) ? entry.driftBps : {}
    const figures = { mean: number(drift.mean), median: number(drift.median), worst5: number(drift.worst5) }
    return { samples: count(entry.samples), wouldRevert: Math.min(100, count(entry.wouldRevertPercent)), ...figures }
  }
  return [driftAfter(1), driftAfter(2)]
}

const isPlain = (value: unknown): value is Plain => typeof value === 'object' && value !== null
const list = (value: unknown): readonly Plain[] =>
  Array.isArray(value) ? value.filter(isPlain).slice(0, MAX_ROWS) : []
const text = (value: unknown): string => (typeof value === 'string' ? legible(value) : '')
const number = (value: unknown): number | null =>
  typeof value === 'number' && Math.abs(value) < MAX_FIGURE ? value : null
/** Returns Unix seconds that fit into a Date; null for other values. */
const time = (value: unknown): number | null => {
  const seconds = number(value)
  return seconds !== null && seconds >= 0 && seconds < 8e12 ? seconds : null
}
const count = (value: unknown): number => Math.max(0, number(value) ?? 0)
