/**
 * Records missing balances: amounts that a pool counts in its reserves or price curve, but does not hold. The tokens
 * were burned, seized, or never received.
 */
import { BoundedMap } from '@sluice/simulation'
import type { PairView, PoolView } from './pool-view.ts'

/** Maximum pools whose missing balances are stored. */
const MAX_POOLS = 20_000

/**
 * Missing base units of each token of a pool, by pool id. A trade changes the pool's balance and its recorded reserve
 * by the same amount, so the missing amount stays the same.
 */
export class MissingBalances {
  private readonly amountsByPoolId = new BoundedMap<string, readonly number[]>(MAX_POOLS)

  /** @returns true if the amounts differ from the last report */
  set(id: string, amounts: readonly number[]): boolean {
    const previousAmounts = this.amountsByPoolId.peek(id)
    const isNothingMissing = amounts.every((amount) => amount === 0)
    if (isNothingMissing ? previousAmounts === undefined : previousAmounts?.every((amount, k) => amount === amounts[k]))
      return false
    if (isNothingMissing) this.amountsByPoolId.delete(id)
    else this.amountsByPoolId.set(id, amounts)
    return true
  }

  /** Reduces a pool view to the amounts that the pool can pay. */
  applyTo(id: string, view: PoolView): PoolView {
    const amounts = this.amountsByPoolId.peek(id)
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
