/**
 * Decides when to measure the extra gas of a route that is mined some time after the next block. Gas can increase with
 * time: oracle observations fall due, cached rates expire, and epochs end. A second simulation, at the transaction's
 * deadline, measures the extra gas. It runs in three cases: a family (kind of pool) of the route declares extra gas,
 * the gas of a pool or token changed with time before, or a pool or token was not compared recently. In the last case
 * the simulated time is after the deadline, so that the comparison is also valid for later quotes.
 *
 * Terms: The parts of a route are its pools and tokens. Trusted parts are in the chain's file, or have behaved well for
 * many blocks.
 */
import { familyOf, type Trust } from '@sluice/liquidity'
import type { RoutePlan } from '@sluice/routing'
import { BoundedMap, type StateCount } from '@sluice/simulation'
import { untrustedParts } from '../tokens/untrusted-parts.ts'

/** Maximum pools and tokens with a comparison between the gas in the next block and the gas later. */
const MAX_COMPARISONS = 20_000
/**
 * Seconds for which a comparison without a change is valid. The later simulation of pools or tokens without a
 * comparison runs this many seconds after the deadline.
 */
const STEADY_SECONDS = 600
/** Seconds for which a pool or token whose gas changed is compared at every quote. */
const MOVING_SECONDS = 86_400
/** Maximum gas difference that does not count as a change; the buffer of the gas limit is many times larger. */
const GAS_TOLERANCE = 1_000

/** `moving` if the gas of a pool or token changed with time, otherwise `steady`. */
type GasTrend = 'steady' | 'moving'
type Comparison = {
  readonly trend: GasTrend
  /** Unix time in seconds of the quoted block. */
  readonly comparedAt: number
  /** Unix time in seconds of the later simulation, which does not show work that falls due later. */
  readonly observedUntil: number
}

/** Unix times in seconds of the quoted block and of the transaction's deadline. */
export type Validity = { readonly now: number; readonly deadline: number }

/** Records which pools and tokens cost more gas later, and decides when to measure later gas. */
export class LaterGas {
  private readonly comparisonsByKey = new BoundedMap<string, Comparison>(MAX_COMPARISONS)
  private readonly getTrust: () => Trust | undefined

  /** @param getTrust - returns the trusted tokens and pools; undefined if all count alike */
  constructor(getTrust: () => Trust | undefined = () => undefined) {
    this.getTrust = getTrust
  }

  get count(): StateCount {
    return this.comparisonsByKey.count
  }

  /**
   * Returns the Unix time in seconds at which routes should be simulated again; undefined if a second simulation would
   * show nothing new.
   */
  simulationTimeOf(routes: readonly RoutePlan[], validity: Validity): number | undefined {
    const legs = routes.flatMap((route) => route.legs)
    const trends = comparedKeys(legs).map((key) => this.trendOf(key, validity))
    if (trends.includes('moving') || legs.some(({ pool }) => declaredLaterGas(pool.family) > 0))
      return validity.deadline
    return trends.includes(undefined) ? validity.deadline + STEADY_SECONDS : undefined
  }

  /**
   * Records a comparison.
   *
   * @param extraGas - gas of the later simulation less the gas in the next block
   * @param observedAt - Unix time in seconds of the later simulation
   */
  observe({ legs }: RoutePlan, extraGas: number, observedAt: number, validity: Validity): void {
    const keys = comparedKeys(legs)
    const hasChanged = extraGas > GAS_TOLERANCE
    const changedKeys = hasChanged ? this.suspectKeys(legs, keys, validity) : keys
    for (const key of changedKeys) {
      const trend = this.trendOf(key, validity)
      if (!hasChanged && trend === 'moving') continue
      // Keep a valid comparison that covers a longer time.
      if (!hasChanged && trend === 'steady' && observedAt < this.comparisonsByKey.get(key)!.observedUntil) continue
      this.comparisonsByKey.set(key, {
        trend: hasChanged ? 'moving' : 'steady',
        comparedAt: validity.now,
        observedUntil: observedAt,
      })
    }
  }

  /**
   * Returns the keys of the parts that may have caused a change. If the route has untrusted parts, only these are
   * suspects: their code can use more gas later on purpose, and every quote through a suspect is simulated twice. A
   * part with a valid steady comparison is not a suspect, unless all parts have such a comparison.
   */
  private suspectKeys(legs: RoutePlan['legs'], keys: readonly string[], validity: Validity): readonly string[] {
    const trust = this.getTrust()
    const untrustedKeys = new Set(trust && untrustedParts(legs, trust))
    const suspects = untrustedKeys.size > 0 ? keys.filter((key) => untrustedKeys.has(key)) : keys
    const unexplainedKeys = suspects.filter((key) => this.trendOf(key, validity) !== 'steady')
    return unexplainedKeys.length > 0 ? unexplainedKeys : suspects
  }

  private trendOf(key: string, { now, deadline }: Validity): GasTrend | undefined {
    const comparison = this.comparisonsByKey.get(key)
    if (!comparison) return undefined
    const age = Math.abs(now - comparison.comparedAt)
    if (comparison.trend === 'moving') return age <= MOVING_SECONDS ? 'moving' : undefined
    return age <= STEADY_SECONDS && deadline <= comparison.observedUntil ? 'steady' : undefined
  }
}

/** Returns the extra later gas that a family declares. */
export const declaredLaterGas = (family: string): number => familyOf(family)?.laterGas ?? 0

/** Returns the ids of the route's pools and tokens; a pool whose family declares later gas needs no comparison. */
function comparedKeys(legs: RoutePlan['legs']): readonly string[] {
  const keys = legs.flatMap(({ pool, tokenIn, tokenOut }) => {
    return [...(declaredLaterGas(pool.family) > 0 ? [] : [pool.id]), tokenIn, tokenOut]
  })
  return [...new Set(keys)]
}
