import { divUp } from '../../math/integers.ts'
import type { FeeParameters } from './types.ts'

const ONE_BIN = 10_000

/**
 * The references that the first trade at `timestamp` starts from. @see PairParameterHelper.updateReferences, joe-v2 2.1
 */
export function updateReferences(fee: FeeParameters, activeId: number, timestamp: number): FeeParameters {
  const elapsed = timestamp - fee.timeOfLastUpdate
  if (elapsed < fee.filterPeriod) return { ...fee, timeOfLastUpdate: timestamp }
  const kept = Math.floor((fee.volatilityAccumulator * fee.reductionFactor) / 10_000)
  return {
    ...fee,
    idReference: activeId,
    volatilityReference: elapsed < fee.decayPeriod ? kept : 0,
    timeOfLastUpdate: timestamp,
  }
}

/** The further a bin is from the reference, the more volatile. */
export function updateAccumulator(fee: FeeParameters, id: number): FeeParameters {
  const volatility = fee.volatilityReference + Math.abs(id - fee.idReference) * ONE_BIN
  return { ...fee, volatilityAccumulator: Math.min(volatility, fee.maxVolatilityAccumulator) }
}

/** Parts in 10¹⁸ of the input. @see PairParameterHelper.getTotalFee, joe-v2 2.1 */
export function totalFee(fee: FeeParameters, binStep: number): bigint {
  const base = BigInt(fee.baseFactor) * BigInt(binStep) * 10n ** 10n
  const moved = BigInt(fee.volatilityAccumulator) * BigInt(binStep)
  return base + divUp(moved * moved * BigInt(fee.variableFeeControl), 100n)
}
