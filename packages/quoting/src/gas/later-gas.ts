/**
 * Gas that a route costs more when it is mined some time after the next block. Observations fall due, caches of rates expire, epochs
 * end: a second simulation at the transaction's deadline shows what that costs. It is run for routes through pools of families
 * that state such gas, and for pools and tokens whose gas was not compared lately or was seen to change with time.
 */
import { familyOf } from '@sluice/liquidity'
import type { Route } from '@sluice/routing'
import { Bounded, type StateCount } from '@sluice/simulation'

/** Pools and tokens that are remembered. */
const MAX_KNOWN = 20_000
/** Seconds for which a pool or a token whose gas did not change is not compared again. */
const STEADY_SECONDS = 600
/** Seconds for which one whose gas changed is compared at each quote. */
const MOVING_SECONDS = 86_400
/** Gas that is no change: the buffer of the gas limit covers it many times over. */
const TOLERANCE = 1_000

type Kind = 'steady' | 'moving'
type Seen = { readonly kind: Kind; readonly at: number }

export class LaterGas {
  private readonly seen = new Bounded<string, Seen>(MAX_KNOWN)

  get count(): StateCount {
    return this.seen.count
  }

  /** @param now - Unix seconds, by the chain's clock */
  isDue(routes: readonly Route[], now: number): boolean {
    return routes.some(({ legs }) => legs.some(({ pool }) => laterGasOf(pool.family) > 0) || this.isOpen(legs, now))
  }

  /** @param extra - gas at the deadline beyond that in the next block @param now - Unix seconds, by the chain's clock */
  observe({ legs }: Route, extra: number, now: number): void {
    const keys = keysOf(legs)
    const changed = extra > TOLERANCE
    // Others of the same route that were steady before are not the reason, unless all were.
    const suspects = keys.filter((key) => this.kindOf(key, now) !== 'steady')
    const blamed = changed && suspects.length > 0 ? suspects : keys
    for (const key of blamed) {
      if (!changed && this.kindOf(key, now) === 'moving') continue
      this.seen.set(key, { kind: changed ? 'moving' : 'steady', at: now })
    }
  }

  private isOpen(legs: Route['legs'], now: number): boolean {
    return keysOf(legs).some((key) => this.kindOf(key, now) !== 'steady')
  }

  private kindOf(key: string, now: number): Kind | undefined {
    const seen = this.seen.get(key)
    const lasts = seen?.kind === 'moving' ? MOVING_SECONDS : STEADY_SECONDS
    return seen && Math.abs(now - seen.at) <= lasts ? seen.kind : undefined
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
