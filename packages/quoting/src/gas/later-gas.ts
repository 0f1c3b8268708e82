/**
 * Extra gas of a route that is mined some time after the next block: oracle observations fall due, cached rates expire,
 * epochs end. A second simulation at the transaction's deadline measures it. It runs for routes through families that
 * declare such gas. It also runs for pools and tokens whose gas changed with time or was not compared recently. Parts
 * without a recent comparison are simulated beyond the deadline, so that one comparison also covers the deadlines of
 * later quotes.
 */
import { familyOf } from '@sluice/liquidity'
import type { RoutePlan } from '@sluice/routing'
import { BoundedMap, type StateCount } from '@sluice/simulation'

/** Maximum pools and tokens with a comparison. */
const MAX_COMPARED = 20_000
/** Seconds for which a comparison without a change is valid. The simulation runs as long after the deadline. */
const STEADY_SECONDS = 600
/** Seconds for which a part whose gas changed is compared at every quote. */
const MOVING_SECONDS = 86_400
/** Gas below which a difference does not count as a change; the buffer of the gas limit is many times larger. */
const TOLERANCE = 1_000

type Kind = 'steady' | 'moving'
type Comparison = {
  readonly kind: Kind
  readonly at: number
  /** Unix time in seconds of the later simulation; work that falls due after it was not observed. */
  readonly until: number
}

/** Unix times in seconds of the quoted block and of the transaction's deadline. */
export type Span = { readonly now: number; readonly deadline: number }

/** Records which pools and tokens cost more gas later, and decides when to simulate for it. */
export class LaterGas {
  private readonly comparisons = new BoundedMap<string, Comparison>(MAX_COMPARED)

  get count(): StateCount {
    return this.comparisons.count
  }

  /**
   * Returns the Unix time in seconds at which routes should be simulated again; undefined if a second simulation would
   * show nothing new.
   */
  dueAt(routes: readonly RoutePlan[], span: Span): number | undefined {
    const legs = routes.flatMap((route) => route.legs)
    const kinds = keysOf(legs).map((key) => this.kindOf(key, span))
    if (kinds.includes('moving') || legs.some(({ pool }) => laterGasOf(pool.family) > 0)) return span.deadline
    return kinds.includes(undefined) ? span.deadline + STEADY_SECONDS : undefined
  }

  /**
   * Records a comparison. @param extra - gas at `at` less the gas in the next block @param observedAt - Unix time in seconds of
   * the later simulation
   */
  observe({ legs }: RoutePlan, extra: number, observedAt: number, span: Span): void {
    const keys = keysOf(legs)
    const hasChanged = extra > TOLERANCE
    // Parts that were steady before are not the cause, unless all parts were.
    const suspects = keys.filter((key) => this.kindOf(key, span) !== 'steady')
    const changedKeys = hasChanged && suspects.length > 0 ? suspects : keys
    for (const key of changedKeys) {
      const kind = this.kindOf(key, span)
      if (!hasChanged && kind === 'moving') continue
      // A valid comparison over a longer time is not replaced by a shorter one.
      if (!hasChanged && kind === 'steady' && observedAt < this.comparisons.get(key)!.until) continue
      this.comparisons.set(key, { kind: hasChanged ? 'moving' : 'steady', at: span.now, until: observedAt })
    }
  }

  private kindOf(key: string, { now, deadline }: Span): Kind | undefined {
    const comparison = this.comparisons.get(key)
    if (!comparison) return undefined
    const age = Math.abs(now - comparison.at)
    if (comparison.kind === 'moving') return age <= MOVING_SECONDS ? 'moving' : undefined
    return age <= STEADY_SECONDS && deadline <= comparison.until ? 'steady' : undefined
  }
}

/** Returns the extra later gas that a family declares. */
export const laterGasOf = (family: string): number => familyOf(family)?.laterGas ?? 0

/** Returns the ids of the route's pools and tokens; a pool whose family declares later gas needs no comparison. */
function keysOf(legs: RoutePlan['legs']): readonly string[] {
  const keys = legs.flatMap(({ pool, tokenIn, tokenOut }) => {
    return [...(laterGasOf(pool.family) > 0 ? [] : [pool.id]), tokenIn, tokenOut]
  })
  return [...new Set(keys)]
}
