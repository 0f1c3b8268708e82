/** Cache of measured gas of hops, by pool; bounded, with expiry. */
import type { Address } from '@sluice/chains'
import type { Snapshot } from '@sluice/liquidity'
import type { LearnedGas, MeasuredHop } from '@sluice/routing'
import { BoundedMap, type StateCount } from '@sluice/simulation'

/** Maximum pools with measurements. */
const MAX_POOLS = 2_048
/** Seconds after which a pool with a changed state is measured again: its first trades fill empty slots. */
const CHANGED_SECONDS = 600
/** Seconds after which any pool is measured again, because tokens are upgraded. */
const OLD_SECONDS = 6 * 3_600

type PoolGas = {
  /** True if the pool has changed since the measurement. Saves keeping its state. */
  hasChanged: boolean
  /** Empty if no direction could be measured. */
  readonly hops: readonly MeasuredHop[]
  /** Unix time in seconds of the measured block. */
  readonly at: number
}

/** Caches the measured gas of hops, and merges it with learned corrections. */
export class MeasuredGas {
  private readonly pools = new BoundedMap<string, PoolGas>(MAX_POOLS)
  private learnedGas: LearnedGas | undefined
  private merged: LearnedGas | undefined

  get count(): StateCount {
    return this.pools.count
  }

  /** Returns true if a pool should be measured. @param now - Unix time in seconds of the block */
  isDue(id: string, now: number): boolean {
    const entry = this.pools.peek(id)
    if (!entry) return true
    const age = Math.abs(now - entry.at)
    return age >= OLD_SECONDS || (age >= CHANGED_SECONDS && entry.hasChanged)
  }

  /**
   * Stores a pool's measurements. @param hops - measured directions; an empty list leaves the family's gas in use until
   * the pool is due again
   */
  observe(id: string, hops: readonly MeasuredHop[], now: number): void {
    this.pools.set(id, { hasChanged: false, hops, at: now })
    this.merged = undefined
  }

  /** Marks the pools that a block has changed. */
  follow({ changedIds: changed }: Pick<Snapshot, 'changedIds'>): void {
    for (const id of changed ?? this.pools.keys()) {
      const entry = this.pools.peek(id)
      if (entry) entry.hasChanged = true
    }
  }

  hop(pool: string, tokenIn: Address, tokenOut: Address): MeasuredHop | undefined {
    return this.pools.peek(pool)?.hops.find((hop) => hop.tokenIn === tokenIn && hop.tokenOut === tokenOut)
  }

  /** Merges measured gas with learned corrections for other pools. The same object until either changes. */
  combineWith(learnedGas: LearnedGas | undefined): LearnedGas | undefined {
    if (this.merged && this.learnedGas === learnedGas) return this.merged
    const measuredHops = [...this.pools].flatMap(([id, { hops }]) => (hops.length > 0 ? [[id, hops] as const] : []))
    if (measuredHops.length === 0) return learnedGas
    this.learnedGas = learnedGas
    this.merged = new Map<string, number | readonly MeasuredHop[]>([...(learnedGas ?? []), ...measuredHops])
    return this.merged
  }
}
