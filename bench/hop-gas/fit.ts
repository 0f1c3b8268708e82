/** The gas table from what routes were charged: least squares over the parts that each is made of. */
import { type GasPart, type GasRow, gasRow, partGas } from '@sluice/liquidity'
import { gasParts } from '@sluice/routing'
import type { Observed } from './observe.ts'

export type GasFile = {
  readonly route: number
  readonly routeRefund: number
  readonly families: Record<string, GasRow>
  readonly parts: Record<string, { readonly gas: number; readonly refund: number }>
}

/** Part of what was charged within which an error counts by its square; beyond, by its size: a few odd pools decide nothing. */
const USUAL_ERROR = 0.03
const REWEIGHTINGS = 10
/** Keeps parts that never occur alone from taking up what others cost. */
const RIDGE = 1e-8
/** At this part of the gas refunds are cut off, and say nothing of what they are made of. */
const CUT_REFUND = 0.199

/** Pieces crossed by a route that the table is fitted to: what ticks far from the price cost differs by their history. */
const MOST_PIECES = 12

function piecesIn(parts: ReadonlyMap<GasPart, number>): number {
  return [...parts].reduce((sum, [part, count]) => (part.startsWith('piece:') ? sum + count : sum), 0)
}

/** @param old - keeps the rows of families that were not met */
export function fitTable(all: readonly Observed[], old: GasFile): GasFile {
  const seen = all.filter(({ route, wrappedNative }) => piecesIn(gasParts({ ...route, wrappedNative })) <= MOST_PIECES)
  const swaps = seen.map(({ route, wrappedNative }) => gasParts({ ...route, wrappedNative }))
  const parts = [...new Set(swaps.flatMap((swap) => [...swap.keys()]))].sort()
  const rows = swaps.map((swap) => parts.map((part) => swap.get(part) ?? 0))
  const weights = seen.map(({ charged }) => 1 / charged)
  const gross = leastSquares(
    rows,
    seen.map(({ gross }) => gross),
    weights,
  )
  const whole = seen.map(({ gross, charged }) => Number(gross - charged < CUT_REFUND * gross))
  const refunds = leastSquares(
    rows,
    seen.map(({ gross, charged }) => gross - charged),
    weights.map((w, k) => w * whole[k]!),
  )
  const gasOf = (part: GasPart): { gas: number; refund: number } => {
    const k = parts.indexOf(part)
    if (k < 0) return partGas(part)
    const refund = Math.round(refunds[k]!)
    return { gas: Math.round(gross[k]!) - refund, refund }
  }
  const route = gasOf('route')
  const families = Object.entries(old.families).map(([id, row]) => {
    const count = swaps.filter((swap) => swap.has(`hop:${id}`)).length
    if (count === 0) return [id, row]
    const { gas: hop, refund } = gasOf(`hop:${id}`)
    const crossed = swaps.filter((swap) => swap.has(`piece:${id}`)).length
    const piece = crossed > 0 ? Math.max(1, gasOf(`piece:${id}`).gas) : gasRow(id).piece
    const worlds = [...new Set(seen.filter((_, k) => swaps[k]!.has(`hop:${id}`)).map(({ world }) => world))].join(
      ' and ',
    )
    const ticks =
      crossed > 0
        ? `, ${crossed} of them over ticks or bins`
        : row.piece > 0
          ? ', none over ticks or bins: those are an estimate'
          : ''
    return [id, { hop, piece, refund, basis: `fitted: ${count} routes of ${worlds}${ticks}` }]
  })
  const names = Object.keys(old.parts).map((part) => [part, gasOf(part as GasPart)])
  return {
    route: route.gas,
    routeRefund: route.refund,
    families: Object.fromEntries(families),
    parts: Object.fromEntries(names),
  }
}

/** Coefficients by iteratively reweighted least squares (Huber's weights). */
function leastSquares(rows: readonly number[][], values: readonly number[], weights: readonly number[]): number[] {
  let now = weights
  let found: number[] = []
  for (let round = 0; round < REWEIGHTINGS; round++) {
    found = solve(rows, values, now)
    now = rows.map((row, k) => {
      const error = Math.abs(row.reduce((sum, count, j) => sum + count * found[j]!, -values[k]!)) * weights[k]!
      return weights[k]! * Math.sqrt(USUAL_ERROR / Math.max(USUAL_ERROR, error))
    })
  }
  return found
}

/** The normal equations, by Gaussian elimination. */
function solve(rows: readonly number[][], values: readonly number[], weights: readonly number[]): number[] {
  const n = rows[0]!.length
  const matrix = Array.from({ length: n }, (_, i) =>
    Array.from({ length: n + 1 }, (_, j) => (i === j ? RIDGE * 1e-6 : 0)),
  )
  rows.forEach((row, k) => {
    const square = weights[k]! ** 2
    for (let i = 0; i < n; i++) {
      if (row[i] === 0) continue
      for (let j = 0; j < n; j++) matrix[i]![j]! += square * row[i]! * row[j]!
      matrix[i]![n]! += square * row[i]! * values[k]!
    }
  })
  for (let i = 0; i < n; i++) {
    const pivot = matrix
      .slice(i)
      .reduce((best, row, k) => (Math.abs(row[i]!) > Math.abs(matrix[best]![i]!) ? i + k : best), i)
    ;[matrix[i], matrix[pivot]] = [matrix[pivot]!, matrix[i]!]
    for (let k = 0; k < n; k++) {
      if (k === i) continue
      const factor = matrix[k]![i]! / matrix[i]![i]!
      for (let j = i; j <= n; j++) matrix[k]![j]! -= factor * matrix[i]![j]!
    }
  }
  return matrix.map((row, i) => row[n]! / row[i]!)
}
