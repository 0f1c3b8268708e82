/** Errors of a table: what it says of routes beside what their senders are charged. */
import { type GasPart, gasRow } from '@sluice/liquidity'
import { gasParts } from '@sluice/routing'
import { quantile } from '../router/statistics.ts'
import type { GasFile } from './fit.ts'
import type { Observed } from './observe.ts'

/** Per cent of what was charged: how far off the table was, and to which side in the middle. */
export function errorsOf(seen: readonly Observed[], table: GasFile) {
  const signed = seen.map((of) => (100 * (told(of, table) - of.charged)) / of.charged)
  const absolute = signed.map(Math.abs)
  const at = (list: readonly number[], part: number) => Number(quantile(list, part).toFixed(1))
  return {
    routes: seen.length,
    legs: seen.reduce((sum, { route }) => sum + route.legs.length, 0),
    middle: at(signed, 0.5),
    absoluteMedian: at(absolute, 0.5),
    absoluteP90: at(absolute, 0.9),
    absoluteP95: at(absolute, 0.95),
    worst: at(absolute, 1),
  }
}

function told({ route, wrappedNative }: Observed, table: GasFile): number {
  let charged = 0
  let refund = 0
  for (const [part, count] of gasParts({ ...route, wrappedNative })) {
    const of = gasOf(part, table)
    charged += of.gas * count
    refund += of.refund * count
  }
  return charged + refund - Math.min(refund, (charged + refund) / 5)
}

function gasOf(part: GasPart, { route, routeRefund, families, parts }: GasFile): { gas: number; refund: number } {
  if (part === 'route') return { gas: route, refund: routeRefund }
  const [kind, family] = part.split(':')
  if (family === undefined) return parts[part]!
  const { hop, piece, refund = 19_900 } = families[family] ?? gasRow(family)
  return kind === 'hop' ? { gas: hop, refund } : { gas: piece, refund: 0 }
}
