/** Ranks simulated routes of one swap by output after gas. */
import type { Address } from '@sluice/chains'
import type { EncodedSwap, RoutePlan } from '@sluice/routing'
import type { CallOutcome } from '@sluice/simulation'
import { chargedGas } from '../gas/charged-gas.ts'

type MeasuredRoute = {
  readonly route: RoutePlan
  readonly swap: Pick<EncodedSwap, 'data'>
  readonly simulation: Pick<CallOutcome, 'gasUsed'>
}

/**
 * Returns the route with the highest output after gas. Returns the first route on a tie, or if gas has no price in
 * output units.
 *
 * @param amountOutOf - returns the promised output of a route in base units
 */
export function bestAfterGas<T extends MeasuredRoute>(
  routes: readonly [T, ...T[]],
  amountOutOf: (route: RoutePlan) => bigint,
  wrappedNative: Address | null,
): T {
  const [firstRoute] = routes
  const { gasCostOut, gas } = firstRoute.route
  if (gasCostOut === null || gas === 0) return firstRoute
  const outputPerGas = Number(gasCostOut) / gas
  const firstAmountOut = amountOutOf(firstRoute.route)
  // The node reports the gas after refunds at most for the first route. To compare all routes alike, take their refunds
  // from the gas model.
  const outputAfterGas = ({ route, swap: { data }, simulation: { gasUsed } }: T) => {
    const simulation = { gasUsed }
    // Subtract the first amount, so that the conversion to a float does not lose small differences.
    const gasCharge = Number(chargedGas({ route, data, simulation }, wrappedNative))
    return Number(amountOutOf(route) - firstAmountOut) - gasCharge * outputPerGas
  }
  return routes.reduce((best, other) => (outputAfterGas(other) > outputAfterGas(best) ? other : best))
}
