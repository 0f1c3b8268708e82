/** Computes the errors of a gas table: compares its estimates for routes with the gas charged to senders. */
import { GasLessons } from '@sluice/quoting'
import { gasParts } from '@sluice/routing'
import { quantile } from '../../lib/statistics.ts'
import { type GasFile, gasOf } from './fit.ts'
import type { ObservedRoute } from './observe.ts'

/**
 * Returns quantiles of the absolute errors, and the median of the signed errors (`middle`), in % of the charged gas.
 */
export function errorsOf(samples: readonly ObservedRoute[], table: GasFile) {
  return errorFigures(
    samples,
    samples.map((sample) => estimateOf(sample, table)),
  )
}

/**
 * Returns the errors of the service's estimates, which learn from simulations. Estimates each route before it learns
 * from the route. Counts only the second half of the routes, because most of their pools occur in the first half.
 */
export function learnedErrorsOf(samples: readonly ObservedRoute[]) {
  const lessons = new GasLessons(samples[0]?.wrappedNative ?? null)
  const expected = samples.map(({ route, gross }) => {
    const gas = lessons.expectedGas(route, 0)
    lessons.observe(route, gross, 0)
    return gas
  })
  const half = samples.length >> 1
  return errorFigures(samples.slice(half), expected.slice(half))
}

function errorFigures(samples: readonly ObservedRoute[], expected: readonly number[]) {
  const signedErrors = samples.map(({ charged }, i) => (100 * (expected[i]! - charged)) / charged)
  const absoluteErrors = signedErrors.map(Math.abs)
  const errorQuantile = (list: readonly number[], part: number) => Number(quantile(list, part).toFixed(1))
  return {
    routes: samples.length,
    legs: samples.reduce((sum, { route }) => sum + route.legs.length, 0),
    middle: errorQuantile(signedErrors, 0.5),
    absoluteMedian: errorQuantile(absoluteErrors, 0.5),
    absoluteP90: errorQuantile(absoluteErrors, 0.9),
    absoluteP95: errorQuantile(absoluteErrors, 0.95),
    worst: errorQuantile(absoluteErrors, 1),
  }
}

function estimateOf({ route, wrappedNative }: ObservedRoute, table: GasFile): number {
  let charged = 0
  let refund = 0
  for (const [part, count] of gasParts({ ...route, wrappedNative })) {
    const partGas = gasOf(part, table)
    charged += partGas.gas * count
    refund += partGas.refund * count
  }
  return charged + refund - Math.min(refund, (charged + refund) / 5)
}
