/** Balances that pools lack, compared with their curves or reserves: tokens that were burned, taken back, or never came. */
import { Bounded } from '@sluice/simulation'
import type { PairView, PoolView } from './pool-view.ts'

/** Pools that are known to lack something. */
const MAX_POOLS = 20_000

/** Base units by pool, in the order of its tokens. Trades move both sides alike, so that what is missing stays missing. */
export class Lacking {
  private readonly byPool = new Bounded<string, readonly number[]>(MAX_POOLS)

  /** @returns whether that is something new */
  set(id: string, missing: readonly number[]): boolean {
    const before = this.byPool.peek(id)
    const isNone = missing.every((amount) => amount === 0)
    if (isNone ? before === undefined : before?.every((amount, k) => amount === missing[k])) return false
    if (isNone) this.byPool.delete(id)
    else this.byPool.set(id, missing)
    return true
  }

  /** The view of a pool as far as it can pay. */
  limited(id: string, view: PoolView): PoolView {
    const missing = this.byPool.peek(id)
    if (!missing) return view
    const reserves = view.reserves.map((reserve, k) => Math.max(0, reserve - (missing[k] ?? 0)))
    const pairs = view.pairs.flatMap((pair): PairView[] => {
      const backingI = Math.min(pair.backingI, reserves[pair.i]!)
      const backingJ = Math.min(pair.backingJ, reserves[pair.j]!)
      return backingI > 0 && backingJ > 0 ? [{ ...pair, backingI, backingJ }] : []
    })
    return { ...view, reserves, pairs }
  }
}
