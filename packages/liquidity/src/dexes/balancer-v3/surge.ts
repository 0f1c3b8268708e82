/**
 * Computes surge fees, which rise when a trade increases the imbalance of a pool. Follows StableSurgeHook,
 * ECLPSurgeHook, and SurgeHookCommon of balancer/balancer-v3-monorepo.
 */
import { divDown, mulDown, ONE } from '../../math/balancer.ts'
import { clamp, type EclpParams } from './gyro-eclp.ts'

/** Settings of a surge fee, 18 decimals. */
export type Surge = {
  /** Imbalance above which the fee rises. */
  readonly threshold: bigint
  /** Fee at an imbalance of one. */
  readonly maxFee: bigint
}

/** Settings of the surge fee of an E-CLP (`gyro-eclp.ts`). */
export type EclpSurge = Surge & {
  /** Imbalance at the lower end and at the upper end of the price range, 18 decimals. */
  readonly slopes: { readonly below: bigint; readonly above: bigint }
}

/**
 * Returns the fee as a fraction of the input, 18 decimals.
 *
 * @param imbalances - returns the imbalance before the trade, and after the trade without fees; called only if needed
 */
export function surgeFee(
  { threshold, maxFee }: Surge,
  staticFee: bigint,
  imbalances: () => readonly [before: bigint, after: bigint],
): bigint {
  if (maxFee < staticFee) return staticFee
  const [before, after] = imbalances()
  if (after <= before || after <= threshold) return staticFee
  return staticFee + mulDown(maxFee - staticFee, divDown(after - threshold, ONE - threshold))
}

/**
 * Returns the imbalance of an E-CLP at a price, at most one. The imbalance is 0 at the peak, which is the price with
 * the greatest liquidity. It rises linearly to `below` or `above` at the end of the price range.
 */
export function eclpImbalance(
  price: bigint,
  { alpha, beta, c, s }: EclpParams,
  { below, above }: EclpSurge['slopes'],
): bigint {
  const peak = clamp((s * ONE) / c, alpha, beta)
  if (price === peak) return 0n
  const imbalance = price < peak ? ((peak - price) * below) / (peak - alpha) : ((price - peak) * above) / (beta - peak)
  return clamp(imbalance, 0n, ONE)
}

/**
 * Returns the imbalance of a stable pool: the sum of the balances' distances from their median, divided by their sum.
 */
export function stableImbalance(balances: readonly bigint[]): bigint {
  const middle = median(balances)
  const deviation = balances.reduce(
    (sum, balance) => sum + (balance > middle ? balance - middle : middle - balance),
    0n,
  )
  return divDown(
    deviation,
    balances.reduce((sum, balance) => sum + balance, 0n),
  )
}

function median(balances: readonly bigint[]): bigint {
  const sortedBalances = balances.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const half = sortedBalances.length >> 1
  return sortedBalances.length % 2 === 1
    ? sortedBalances[half]!
    : (sortedBalances[half - 1]! + sortedBalances[half]!) / 2n
}
