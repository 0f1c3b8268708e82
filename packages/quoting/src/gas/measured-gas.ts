/** Caches the measured gas of hops by pool. Entries expire, and the number of pools is limited. */
import type { Address } from '@sluice/chains'
import type { Snapshot } from '@sluice/liquidity'
import type { LearnedGas, MeasuredHop } from '@sluice/routing'
import { BoundedMap, type StateCount } from '@sluice/simulation'

/** Maximum pools with measurements. */
const MAX_POOLS = 2_048
/**
 * Seconds after which a pool whose state has changed is measured again. The first trades of a pool fill empty storage
 * slots, so that later trades cost less gas.
 */
const MAX_CHANGED_AGE_SECONDS = 600
/** Seconds after which any pool is measured again, because tokens are upgraded. */
const MAX_AGE_SECONDS = 6 * 3_600

type PoolGas = {
  /** True if the pool has changed since the measurement. */
  hasChanged: boolean
  /** Empty if no direction could be measured. */
  readonly hops: readonly MeasuredHop[]
  /** Unix time in seconds of the measured block. */
  readonly measuredAt: number
}

/** Caches the measured gas of hops, and merges it with learned corrections. */
export class MeasuredGas {
  private readonly gasByPool = new BoundedMap<string, PoolGas>(MAX_POOLS)
  /** Result of the last merge, and the learned corrections that it contains. */
  private mergedGas: LearnedGas | undefined
  private mergedLearnedGas: LearnedGas | undefined

  get count(): StateCount {
    return this.gasByPool.count
  }

  /** Returns true if a pool should be measured (again). @param now - Unix time in seconds of the block */
  isDue(id: string, now: number): boolean {
    const poolGas = this.gasByPool.peek(id)
    if (!poolGas) return true
    const age = Math.abs(now - poolGas.measuredAt)
    return age >= MAX_AGE_SECONDS || (age >= MAX_CHANGED_AGE_SECONDS && poolGas.hasChanged)
  }

  /**
   * Stores a pool's measurements.
   *
   * @param hops - measured directions; if empty, the gas of the pool's family (kind) is used until the pool is due
   *   again
   * @param now - Unix time in seconds of the block
   */
  observe(id: string, hops: readonly MeasuredHop[], now: number): void {
    this.gasByPool.set(id, { hasChanged: false, hops, measuredAt: now })
    this.mergedGas = undefined
  }

  /** Marks the pools that a block has changed. */
  markChanged({ changedIds }: Pick<Snapshot, 'changedIds'>): void {
    for (const id of changedIds ?? this.gasByPool.keys()) {
      const poolGas = this.gasByPool.peek(id)
      if (poolGas) poolGas.hasChanged = true
    }
  }

  measuredHop(pool: string, tokenIn: Address, tokenOut: Address): MeasuredHop | undefined {
    return this.gasByPool.peek(pool)?.hops.find((hop) => hop.tokenIn === tokenIn && hop.tokenOut === tokenOut)
  }

  /**
   * Merges the measured gas with the learned corrections of pools without measurements. Returns the same object until
   * the measurements or `learnedGas` change.
   */
  mergeWith(learnedGas: LearnedGas | undefined): LearnedGas | undefined {
    if (this.mergedGas && this.mergedLearnedGas === learnedGas) return this.mergedGas
    const measuredHops = [...this.gasByPool].flatMap(([id, { hops }]) => (hops.length > 0 ? [[id, hops] as const] : []))
    if (measuredHops.length === 0) return learnedGas
    this.mergedLearnedGas = learnedGas
    this.mergedGas = new Map<string, number | readonly MeasuredHop[]>([...(learnedGas ?? []), ...measuredHops])
    return this.mergedGas
  }
}
