import type { Bins } from '../../math/bins.ts'

/** A pair of price bins; `limited` since version 2.2. */
export type LiquidityBookState = Bins & {
  /** Time of the block it was read at, seconds: by it the volatility has faded. */
  readonly timestamp: number
  readonly fee: FeeParameters
}

/** As the pair keeps them; a volatility of 10,000 is one bin. */
export type FeeParameters = {
  readonly baseFactor: number
  /** Seconds that trades count as one, and seconds after which the past is forgotten. */
  readonly filterPeriod: number
  readonly decayPeriod: number
  /** Ten-thousandths of the volatility that stay after the filter period. */
  readonly reductionFactor: number
  readonly variableFeeControl: number
  /** Ten-thousandths of the fee that leave the bins. */
  readonly protocolShare: number
  readonly maxVolatilityAccumulator: number
  readonly volatilityAccumulator: number
  readonly volatilityReference: number
  readonly idReference: number
  /** Seconds. */
  readonly timeOfLastUpdate: number
}
