/** Routes of the same swap against one another, by what each was measured to pay and to cost. */
import type { Address } from '@sluice/chains'
import { type EncodedSwap, type Route, routeGas } from '@sluice/routing'
import type { SwapOutcome } from '@sluice/simulation'
import { transactionGas } from './amounts.ts'

type Tried = {
  readonly route: Route
  readonly swap: Pick<EncodedSwap, 'data'>
  readonly simulation: Pick<SwapOutcome, 'amountOut' | 'gasUsed'>
}

/** The one that leaves most; the first of those that leave as much, as where gas has no price in the output. */
export function mostAfterGas<T extends Tried>(tried: readonly [T, ...T[]], wrappedNative: Address | null): T {
  const [first] = tried
  const { gasCostOut, gas } = first.route
  if (gasCostOut === null || gas === 0) return first
  const perGas = Number(gasCostOut) / gas
  const left = ({ route, swap, simulation: { amountOut, gasUsed } }: T) => {
    const gross = Number(transactionGas(swap.data, BigInt(gasUsed)))
    // What comes back at the end of the transaction is not seen from inside, and follows from who holds what on the way.
    const { refund } = routeGas({ ...route, wrappedNative })
    return Number(amountOut - first.simulation.amountOut) - (gross - refund) * perGas
  }
  return tried.reduce((best, other) => (left(other) > left(best) ? other : best))
}
