/** State of Liquidity Book pairs. */
import type { BinPool } from '../../math/bins.ts'

/** State of a pair. `limited` is true for pairs since version 2.2. */
export type LiquidityBookState = BinPool & {
  /** Unix time of the state's block, in seconds. Volatility decays until this time. */
  readonly timestamp: number
  readonly fee: FeeParameters
}

/** Fee parameters of a pair, with the names and units of its contract. Volatility is in units of 1/10,000 bins. */
export type FeeParameters = {
  readonly baseFactor: number
  /** Seconds since the last trade within which the references do not change. */
  readonly filterPeriod: number
  /** Seconds after which past volatility is ignored. */
  readonly decayPeriod: number
  /** Fraction of the volatility that remains after the filter period, in units of 1/10,000. */
  readonly reductionFactor: number
  readonly variableFeeControl: number
  /** Fraction of the fee that the protocol takes out of the bins, in units of 1/10,000. */
  readonly protocolShare: number
  readonly maxVolatilityAccumulator: number
  readonly volatilityAccumulator: number
  readonly volatilityReference: number
  readonly idReference: number
  /** Unix time of the last trade, in seconds. */
  readonly timeOfLastUpdate: number
}
