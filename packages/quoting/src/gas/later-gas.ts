/**
 * Gas that a route costs more when it is mined some time after the next block. Observations fall due, caches of rates expire, epochs
 * end: a second simulation at the transaction's deadline shows what that costs. It is run for routes through pools of families
 * that state such gas, and for pools and tokens whose gas was not compared lately or was seen to change with time. Those that
 * were not compared run beyond the deadline, so that one comparison covers the deadlines of the quotes that follow.
 */
import { familyOf } from '@sluice/liquidity'
import type { Route } from '@sluice/routing'
import { Bounded, type StateCount } from '@sluice/simulation'

/** Pools and tokens that are remembered. */
const MAX_KNOWN = 20_000
/** Seconds for which a pool or a token whose gas did not change is not compared again, and by which it is compared beyond the deadline. */
const STEADY_SECONDS = 600
/** Seconds for which one whose gas changed is compared at each quote. */
const MOVING_SECONDS = 86_400
/** Gas that is no change: the buffer of the gas limit covers it many times over. */
const TOLERANCE = 1_000

type Kind = 'steady' | 'moving'
type Seen = {
  readonly kind: Kind
  readonly at: number
  /** Time of the run that it was compared with, Unix seconds: what falls due after it was not seen. */
  readonly until: number
}

/** Unix seconds by the chain's clock: of the quoted block, and of the deadline until which the transaction can be mined. */
export type Span = { readonly now: number; readonly deadline: number }

export class LaterGas {
  private readonly seen = new Bounded<string, Seen>(MAX_KNOWN)

  get count(): StateCount {
    return this.seen.count
  }

  /** Time at which routes are to be simulated once more, Unix seconds; undefined if that would show nothing new. */
  dueAt(routes: readonly Route[], span: Span): number | undefined {
    const legs = routes.flatMap((route) => route.legs)
    const kinds = keysOf(legs).map((key) => this.kindOf(key, span))
    if (kinds.includes('moving') || legs.some(({ pool }) => laterGasOf(pool.family) > 0)) return span.deadline
    return kinds.includes(undefined) ? span.deadline + STEADY_SECONDS : undefined
  }

  /** @param extra - gas at `at` beyond that in the next block @param at - time of the run it was compared with, Unix seconds */
  observe({ legs }: Route, extra: number, at: number, span: Span): void {
    const keys = keysOf(legs)
    const changed = extra > TOLERANCE
    // Others of the same route that were steady before are not the reason, unless all were.
    const suspects = keys.filter((key) => this.kindOf(key, span) !== 'steady')
    const blamed = changed && suspects.length > 0 ? suspects : keys
    for (const key of blamed) {
      const kind = this.kindOf(key, span)
      if (!changed && kind === 'moving') continue
      // A comparison over a shorter time says less than one that still counts.
      if (!changed && kind === 'steady' && at < this.seen.get(key)!.until) continue
      this.seen.set(key, { kind: changed ? 'moving' : 'steady', at: span.now, until: at })
    }
  }

  private kindOf(key: string, { now, deadline }: Span): Kind | undefined {
    const seen = this.seen.get(key)
    if (!seen) return undefined
    const age = Math.abs(now - seen.at)
    if (seen.kind === 'moving') return age <= MOVING_SECONDS ? 'moving' : undefined
    return age <= STEADY_SECONDS && deadline <= seen.until ? 'steady' : undefined
  }
}

/** Gas that the family states. */
export const laterGasOf = (family: string): number => familyOf(family)?.laterGas ?? 0

/** Pools and tokens of the legs; a pool of a family that states such gas is known to change. */
function keysOf(legs: Route['legs']): readonly string[] {
  const keys = legs.flatMap(({ pool, tokenIn, tokenOut }) => {
    return [...(laterGasOf(pool.family) > 0 ? [] : [pool.id]), tokenIn, tokenOut]
  })
  return [...new Set(keys)]
}
