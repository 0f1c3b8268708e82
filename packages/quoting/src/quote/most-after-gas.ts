/** Routes of the same swap against one another, by what each was measured to pay and to cost. */
import type { Address } from '@sluice/chains'
import type { EncodedSwap, Route } from '@sluice/routing'
import type { SwapOutcome } from '@sluice/simulation'
import { chargedGas } from '../gas/charged-gas.ts'

type Tried = {
  readonly route: Route
  readonly swap: Pick<EncodedSwap, 'data'>
  readonly simulation: Pick<SwapOutcome, 'gasUsed'>
}

/**
 * The one that leaves most; the first of those that leave as much, as where gas has no price in the output.
 *
 * @param amountOutOf - base units that the sender is promised
 */
export function mostAfterGas<T extends Tried>(
  tried: readonly [T, ...T[]],
  amountOutOf: (route: Route) => bigint,
  wrappedNative: Address | null,
): T {
  const [first] = tried
  const { gasCostOut, gas } = first.route
  if (gasCostOut === null || gas === 0) return first
  const perGas = Number(gasCostOut) / gas
  const amountOut = amountOutOf(first.route)
  // By the model alone, as only the first one is also run as it is sent.
  const left = ({ route, swap: { data }, simulation: { gasUsed } }: T) => {
    const simulation = { gasUsed }
    const charged = Number(chargedGas({ route, data, simulation }, wrappedNative))
    return Number(amountOutOf(route) - amountOut) - charged * perGas
  }
  return tried.reduce((best, other) => (left(other) > left(best) ? other : best))
}
