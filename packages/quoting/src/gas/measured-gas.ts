/** Gas of hops as measured by probes, kept with their pools: bounded, measured again when it may have changed. */
import type { Address } from '@sluice/chains'
import type { Snapshot } from '@sluice/liquidity'
import type { LearnedGas, MeasuredHop } from '@sluice/routing'
import { Bounded, type StateCount } from '@sluice/simulation'

/** Pools that something is known of. */
const MAX_POOLS = 2_048
/** Seconds after which a pool whose state has changed is measured again: slots that were empty fill with its first trades. */
const CHANGED_SECONDS = 600
/** Seconds after which any pool is: tokens are upgraded. */
const OLD_SECONDS = 6 * 3_600

type Known = {
  /** True once the pool has changed since it was measured. Its state is not kept for this. */
  hasChanged: boolean
  /** Empty if no direction could be measured. */
  readonly hops: readonly MeasuredHop[]
  /** Unix seconds, by the chain's clock. */
  readonly at: number
}

export class MeasuredGas {
  private readonly known = new Bounded<string, Known>(MAX_POOLS)
  private learned: LearnedGas | undefined
  private merged: LearnedGas | undefined

  get count(): StateCount {
    return this.known.count
  }

  /** @param now - Unix seconds, by the chain's clock */
  isDue(id: string, now: number): boolean {
    const known = this.known.peek(id)
    if (!known) return true
    const age = Math.abs(now - known.at)
    return age >= OLD_SECONDS || (age >= CHANGED_SECONDS && known.hasChanged)
  }

  /** @param hops - directions that were measured; none leaves the pool to its family's figure until it is due again */
  observe(id: string, hops: readonly MeasuredHop[], now: number): void {
    this.known.set(id, { hasChanged: false, hops, at: now })
    this.merged = undefined
  }

  /** Notes which pools a block has changed. */
  follow({ changed }: Pick<Snapshot, 'changed'>): void {
    for (const id of changed ?? this.known.keys()) {
      const known = this.known.peek(id)
      if (known) known.hasChanged = true
    }
  }

  hop(pool: string, tokenIn: Address, tokenOut: Address): MeasuredHop | undefined {
    return this.known.peek(pool)?.hops.find((hop) => hop.tokenIn === tokenIn && hop.tokenOut === tokenOut)
  }

  /** Measured gas, and for other pools what simulations have taught. The same object until either changes. */
  over(learned: LearnedGas | undefined): LearnedGas | undefined {
    if (this.merged && this.learned === learned) return this.merged
    const measured = [...this.known].flatMap(([id, { hops }]) => (hops.length > 0 ? [[id, hops] as const] : []))
    if (measured.length === 0) return learned
    this.learned = learned
    this.merged = new Map<string, number | readonly MeasuredHop[]>([...(learned ?? []), ...measured])
    return this.merged
  }
}
