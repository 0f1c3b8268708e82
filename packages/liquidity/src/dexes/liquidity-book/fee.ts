/** Computes the fee of Liquidity Book pairs: a base fee, and a fee that grows with volatility. */
import { divUp } from '../../math/integers.ts'
import type { FeeParameters } from './types.ts'

/** Volatility that a price move by one bin adds. */
const VOLATILITY_PER_BIN = 10_000

/**
 * Returns the fee parameters after the update at the start of a trade. `idReference` and `volatilityReference` change
 * only if the filter period has passed since the last trade.
 *
 * @param timestamp - Unix time of the trade, in seconds
 * @see PairParameterHelper.updateReferences, joe-v2 2.1
 */
export function updateReferences(fee: FeeParameters, activeId: number, timestamp: number): FeeParameters {
  const elapsed = timestamp - fee.timeOfLastUpdate
  if (elapsed < fee.filterPeriod) return { ...fee, timeOfLastUpdate: timestamp }
  const decayedVolatility = Math.floor((fee.volatilityAccumulator * fee.reductionFactor) / 10_000)
  return {
    ...fee,
    idReference: activeId,
    volatilityReference: elapsed < fee.decayPeriod ? decayedVolatility : 0,
    timeOfLastUpdate: timestamp,
  }
}

/** Returns the fee parameters with the volatility at a bin. It grows with the bin's distance from the reference bin. */
export function updateAccumulator(fee: FeeParameters, id: number): FeeParameters {
  const volatility = fee.volatilityReference + Math.abs(id - fee.idReference) * VOLATILITY_PER_BIN
  return { ...fee, volatilityAccumulator: Math.min(volatility, fee.maxVolatilityAccumulator) }
}

/**
 * Returns the total fee as a fraction of the input, in units of 10⁻¹⁸.
 *
 * @see PairParameterHelper.getTotalFee, joe-v2 2.1
 */
export function totalFee(fee: FeeParameters, binStep: number): bigint {
  const base = BigInt(fee.baseFactor) * BigInt(binStep) * 10n ** 10n
  const distance = BigInt(fee.volatilityAccumulator) * BigInt(binStep)
  return base + divUp(distance * distance * BigInt(fee.variableFeeControl), 100n)
}
