/**
 * Fits the router's gas table to measured routes. The gas of a route is the sum over its parts (see `gasParts`). Each
 * part has gas and a refund. Ridge regression finds both; its penalty favors the values of the previous table.
 */
import { type GasPart, type GasRow, gasRow } from '@sluice/liquidity'
import { gasParts, piecesIn } from '@sluice/routing'
import type { ObservedRoute } from './observe.ts'

type PartGas = {
  /** Gas after the part's refund. */
  readonly gas: number
  readonly refund: number
}
type TokenRow = {
  readonly symbol: string
  /** Gas that the token adds to each hop that sells or buys it. */
  readonly gas: number
  /** Gas that the token adds once to a route. */
  readonly once: number
  readonly basis: string
}

export type GasFile = {
  readonly route: number
  readonly routeRefund: number
  readonly families: Record<string, GasRow>
  readonly parts: Record<string, PartGas>
  readonly tokens: Record<string, TokenRow>
}

/**
 * Relative error up to which the loss is quadratic. Larger errors count linearly, so that a few unusual pools do not
 * dominate (Huber loss).
 */
const HUBER_LIMIT = 0.03
/** Number of iterations of the reweighted least squares. */
const REWEIGHTINGS = 10
/**
 * Penalty for the squared difference from the previous table. The weight of a route is 1 / gas², so the penalty weighs
 * about as much as a tenth of a route.
 */
const RIDGE = 3e-12
/**
 * Refund as a share of gas from which a route counts as capped. EIP-3529 caps refunds at a fifth, so the charged gas of
 * a capped route shows only a lower bound of its refunds.
 */
const CAPPED_REFUND_SHARE = 0.199
/**
 * Number of rounds of the refund fit. A capped route counts in a round only if the previous round estimated less than
 * its lower bound.
 */
const REFUND_FIT_ROUNDS = 4
/** Maximum relative error with which a family's `hop` is kept. Smaller errors do not change routes. */
const MAX_DEVIATION = 0.15
/** Minimum number of routes that contain a part. Rarer parts are not fitted. */
const MIN_SAMPLES = 6
/** Matches parts that clear no storage slot. */
const NOT_REFUNDED = /^(?:token|unknown)/
/** Refund of a hop whose row has no refund: the refund of one cleared slot (EIP-3529). */
const CLEARED_SLOT_REFUND = 19_900

/**
 * Maximum number of price curve pieces that a fitted route crosses. The cost of crossing a tick far from the price
 * depends on the tick's history.
 */
const MAX_PIECES = 12

/** World whose pool storage is recorded only in part. Slots that were not recorded are empty. */
const RECORDED_WORLD = 'ethereum'

/** Parts in the fit: the parts of the table, and `unknown`, the additional cost of ticks in the recorded world. */
type FitPart = GasPart | 'unknown'
type FitParts = ReadonlyMap<FitPart, number>

function partsOf({ world, route, wrappedNative }: ObservedRoute): FitParts {
  const parts = new Map<FitPart, number>(gasParts({ ...route, wrappedNative }))
  if (world !== RECORDED_WORLD) return parts
  const ticks = route.legs.flatMap(({ writes = [] }) => writes.filter((slot) => slot.startsWith('tick')))
  return ticks.length > 0 ? parts.set('unknown', ticks.length) : parts
}

/** Returns the gas of a part by a table. */
export function gasOf(part: FitPart, { route, routeRefund, families, parts, tokens }: GasFile): PartGas {
  if (part === 'unknown') return { gas: 0, refund: 0 }
  if (part === 'route') return { gas: route, refund: routeRefund }
  const [kind, id] = part.split(':')
  if (id === undefined) return parts[part]!
  if (kind === 'token') return { gas: tokens[id]?.once ?? 0, refund: 0 }
  const { hop, part: gas = hop, piece, oracle = 0, refund = CLEARED_SLOT_REFUND } = families[id] ?? gasRow(id)
  if (kind === 'hop') return { gas, refund }
  return { gas: kind === 'oracle' ? oracle : piece, refund: 0 }
}

/**
 * Fits a table. Keeps the gas of pieces: crossings are rare, and the recorded state has only half of the ticks.
 *
 * @param previousTable - table whose rows are kept for unused parts and for parts with small errors
 */
export function fitTable(observedRoutes: readonly ObservedRoute[], previousTable: GasFile): GasFile {
  const routesWithFewPieces = observedRoutes.filter(
    ({ route, wrappedNative }) => piecesIn(gasParts({ ...route, wrappedNative })) <= MAX_PIECES,
  )
  const partsByRoute = routesWithFewPieces.map(partsOf)
  const partNames = [...new Set(partsByRoute.flatMap((parts) => [...parts.keys()]))]
    .filter((part) => !part.startsWith('piece:') && !part.startsWith('oracle:'))
    .sort()
  const hasEnoughSamples = (part: FitPart) => partsByRoute.filter((parts) => parts.has(part)).length >= MIN_SAMPLES
  const fittedParts = partNames.filter((part) => part !== 'route' && hasEnoughSamples(part))
  const fittedGas = fitGas(routesWithFewPieces, partsByRoute, fittedParts, previousTable)
  const basisOf = (part: FitPart) => {
    const routesOfPart = routesWithFewPieces.filter((_, k) => partsByRoute[k]!.has(part))
    return `fitted: ${routesOfPart.length} routes of ${[...new Set(routesOfPart.map(({ world }) => world))].join(' and ')}`
  }
  const fitFamily = ([id, row]: [string, GasRow]): [string, GasRow] => {
    const hop = `hop:${id}` as const
    if (!fittedParts.includes(hop)) return [id, row]
    const { gas: part, refund } = fittedGas(hop)
    const costAlone = part + (row.oracle ?? 0)
    const chargedGas = Math.abs(costAlone - row.hop) > MAX_DEVIATION * row.hop ? costAlone : row.hop
    return [id, { ...row, hop: chargedGas, part, refund, basis: basisOf(hop) }]
  }
  const fitToken = ([id, row]: [string, TokenRow]): [string, TokenRow] => {
    const part = `token:${id}` as const
    return fittedParts.includes(part)
      ? [id, { ...row, once: Math.max(0, fittedGas(part).gas), basis: basisOf(part) }]
      : [id, row]
  }
  return {
    route: previousTable.route,
    routeRefund: previousTable.routeRefund,
    families: Object.fromEntries(Object.entries(previousTable.families).map(fitFamily)),
    parts: Object.fromEntries(Object.keys(previousTable.parts).map((part) => [part, fittedGas(part as GasPart)])),
    tokens: Object.fromEntries(Object.entries(previousTable.tokens).map(fitToken)),
  }
}

/** Fits the gas and the refunds of the given parts to the routes. Other parts keep the values of the previous table. */
function fitGas(
  samples: readonly ObservedRoute[],
  partsByRoute: readonly FitParts[],
  fittedParts: readonly FitPart[],
  previousTable: GasFile,
): (part: FitPart) => PartGas {
  const weights = samples.map(({ gross }) => 1 / gross)
  const sum = (routeParts: FitParts, figureOf: (gas: PartGas) => number) =>
    [...routeParts].reduce((total, [part, count]) => total + count * figureOf(gasOf(part, previousTable)), 0)
  const rowsOf = (parts: readonly FitPart[]) =>
    partsByRoute.map((routeParts) => parts.map((part) => routeParts.get(part) ?? 0))
  const rows = rowsOf(fittedParts)
  const gasCorrections = weightedRegression(
    rows,
    samples.map(({ gross }, k) => gross - sum(partsByRoute[k]!, ({ gas, refund }) => gas + refund)),
    weights,
  )
  const refundingParts = fittedParts.filter((part) => !NOT_REFUNDED.test(part))
  const refundRows = rowsOf(refundingParts)
  const refundEstimates = partsByRoute.map((routeParts) => sum(routeParts, ({ refund }) => refund))
  const refundErrors = samples.map(({ gross, charged }, k) => gross - charged - refundEstimates[k]!)
  let countedFlags = samples.map(({ gross, charged }) => gross - charged < CAPPED_REFUND_SHARE * gross)
  let refundCorrections: number[] = []
  for (let round = 0; round < REFUND_FIT_ROUNDS; round++) {
    const currentFlags = countedFlags
    refundCorrections = weightedRegression(
      refundRows,
      refundErrors,
      weights.map((weight, k) => weight * Number(currentFlags[k])),
    )
    const isUnderestimated = (k: number) => dot(refundRows[k]!, refundCorrections) < refundErrors[k]!
    countedFlags = samples.map(
      ({ gross, charged }, k) => gross - charged < CAPPED_REFUND_SHARE * gross || isUnderestimated(k),
    )
  }
  return (part) => {
    const [index, refundIndex] = [fittedParts.indexOf(part), refundingParts.indexOf(part)]
    const previousGas = gasOf(part, previousTable)
    const refund = previousGas.refund + Math.round(refundCorrections[refundIndex] ?? 0)
    return { gas: previousGas.gas + previousGas.refund + Math.round(gasCorrections[index] ?? 0) - refund, refund }
  }
}

const dot = (row: readonly number[], solution: readonly number[]) =>
  row.reduce((sum, count, j) => sum + count * solution[j]!, 0)

/**
 * Returns the coefficients that minimize the Huber loss of `rows` × coefficients − `values`, by reweighted least
 * squares.
 */
function weightedRegression(
  rows: readonly number[][],
  values: readonly number[],
  weights: readonly number[],
): number[] {
  let currentWeights = weights
  let solution: number[] = []
  for (let round = 0; round < REWEIGHTINGS; round++) {
    solution = solve(rows, values, currentWeights)
    currentWeights = rows.map((row, k) => {
      const error = Math.abs(dot(row, solution) - values[k]!) * weights[k]!
      return weights[k]! * Math.sqrt(HUBER_LIMIT / Math.max(HUBER_LIMIT, error))
    })
  }
  return solution
}

/** Returns the coefficients of ridge regression: solves the normal equations by Gaussian elimination. */
function solve(rows: readonly number[][], values: readonly number[], weights: readonly number[]): number[] {
  const n = rows[0]!.length
  const matrix = Array.from({ length: n }, (_, i) => Array.from({ length: n + 1 }, (_, j) => (i === j ? RIDGE : 0)))
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
