/**
 * Balances that pools lack compared with their curves or reserves, because tokens were burned, seized, or never
 * received.
 */
import { BoundedMap } from '@sluice/simulation'
import type { PairView, PoolView } from './pool-view.ts'

/** Maximum pools with missing balances. */
const MAX_POOLS = 20_000

/**
 * Missing base units by pool, in the order of its tokens. Trades change both sides alike, so missing balances stay
 * missing.
 */
export class MissingBalances {
  private readonly byPool = new BoundedMap<string, readonly number[]>(MAX_POOLS)

  /** @returns true if the amounts differ from the last ones */
  set(id: string, amounts: readonly number[]): boolean {
    const before = this.byPool.peek(id)
    const isNone = amounts.every((amount) => amount === 0)
    if (isNone ? before === undefined : before?.every((amount, k) => amount === amounts[k])) return false
    if (isNone) this.byPool.delete(id)
    else this.byPool.set(id, amounts)
    return true
  }

  /** Reduces a pool view to what the pool can pay. */
  applyTo(id: string, view: PoolView): PoolView {
    const amounts = this.byPool.peek(id)
    if (!amounts) return view
    const reserves = view.reserves.map((reserve, k) => Math.max(0, reserve - (amounts[k] ?? 0)))
    const pairs = view.pairs.flatMap((pair): PairView[] => {
      const backingI = Math.min(pair.backingI, reserves[pair.i]!)
      const backingJ = Math.min(pair.backingJ, reserves[pair.j]!)
      return backingI > 0 && backingJ > 0 ? [{ ...pair, backingI, backingJ }] : []
    })
    return { ...view, reserves, pairs }
  }
}
