/** The fee of pools that rises where a trade takes them further out of balance; StableSurgeHook and SurgeHookCommon of balancer/balancer-v3-monorepo. */
import { divDown, mulDown, ONE } from '../../math/balancer.ts'

/** 18 decimals. */
export type Surge = {
  /** The imbalance from which on the fee rises. */
  readonly threshold: bigint
  /** The fee where everything is in one token. */
  readonly maxFee: bigint
}

/**
 * Part of the input that a trade pays, 18 decimals.
 *
 * @param after - live balances that the trade would leave if it paid no fee; only asked for where it matters
 */
export function surgeFee(
  { threshold, maxFee }: Surge,
  staticFee: bigint,
  live: readonly bigint[],
  after: () => readonly bigint[],
): bigint {
  if (maxFee < staticFee) return staticFee
  const [before, then] = [imbalance(live), imbalance(after())]
  if (then <= before || then <= threshold) return staticFee
  return staticFee + mulDown(maxFee - staticFee, divDown(then - threshold, ONE - threshold))
}

/** Distances of balances from their median, as a part of their sum. */
function imbalance(balances: readonly bigint[]): bigint {
  const middle = median(balances)
  const away = balances.reduce((sum, one) => sum + (one > middle ? one - middle : middle - one), 0n)
  return divDown(
    away,
    balances.reduce((sum, one) => sum + one, 0n),
  )
}

function median(balances: readonly bigint[]): bigint {
  const sorted = balances.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const half = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2n
}
