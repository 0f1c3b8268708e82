/**
 * The fee of pools that rises where a trade takes them further out of balance; StableSurgeHook, ECLPSurgeHook and SurgeHookCommon of
 * balancer/balancer-v3-monorepo.
 */
import { divDown, mulDown, ONE } from '../../math/balancer.ts'
import { type EclpParams, within } from './gyro-eclp.ts'

/** 18 decimals. */
export type Surge = {
  /** The imbalance from which on the fee rises. */
  readonly threshold: bigint
  /** The fee where everything is in one token. */
  readonly maxFee: bigint
}

export type EclpSurge = Surge & {
  /** Imbalance for the whole way from the peak to either end of the prices, 18 decimals. */
  readonly slopes: { readonly below: bigint; readonly above: bigint }
}

/**
 * Part of the input that a trade pays, 18 decimals.
 *
 * @param imbalances - before the trade, and as it would leave the pool if it paid no fee; only asked for where it matters
 */
export function surgeFee(
  { threshold, maxFee }: Surge,
  staticFee: bigint,
  imbalances: () => readonly [before: bigint, then: bigint],
): bigint {
  if (maxFee < staticFee) return staticFee
  const [before, then] = imbalances()
  if (then <= before || then <= threshold) return staticFee
  return staticFee + mulDown(maxFee - staticFee, divDown(then - threshold, ONE - threshold))
}

/** Distance of an E-CLP's price from that of its peak, as a part of that of the end, times a slope; one at most. */
export function eclpImbalance(
  price: bigint,
  { alpha, beta, c, s }: EclpParams,
  { below, above }: EclpSurge['slopes'],
): bigint {
  const peak = within((s * ONE) / c, alpha, beta)
  if (price === peak) return 0n
  const part = price < peak ? ((peak - price) * below) / (peak - alpha) : ((price - peak) * above) / (beta - peak)
  return within(part, 0n, ONE)
}

/** Distances of balances from their median, as a part of their sum. */
export function stableImbalance(balances: readonly bigint[]): bigint {
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
