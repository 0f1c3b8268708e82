/** State of Liquidity Book pairs. */
import type { BinPool } from '../../math/bins.ts'

/** State of a pair. `limited` is true for pairs since version 2.2. */
export type LiquidityBookState = BinPool & {
  /** Unix time of the state's block, in seconds. Volatility decays until this time. */
  readonly timestamp: number
  /** Fee parameters after the last trade. */
  readonly fee: FeeParameters
}

/** Fee parameters of a pair, with the names and units of its contract. Volatility is in units of 1/10,000 bins. */
export type FeeParameters = {
  /** Base fee divided by the bin step, in units of 10⁻⁸. */
  readonly baseFactor: number
  /** Seconds after a trade during which `volatilityReference` and `idReference` do not change. */
  readonly filterPeriod: number
  /** Seconds after a trade from which on its volatility is ignored. */
  readonly decayPeriod: number
  /** Fraction of the volatility that remains after the filter period, in units of 1/10,000. */
  readonly reductionFactor: number
  /** Factor of the fee that grows with volatility. */
  readonly variableFeeControl: number
  /** Fraction of the fee that the protocol takes out of the bins, in units of 1/10,000. */
  readonly protocolShare: number
  readonly maxVolatilityAccumulator: number
  /** Volatility in the last used bin. */
  readonly volatilityAccumulator: number
  /** Volatility from which the accumulator of a trade starts. */
  readonly volatilityReference: number
  /** Id of the bin from which the price move of a trade is measured. */
  readonly idReference: number
  /** Unix time of the last trade, in seconds. */
  readonly timeOfLastUpdate: number
}
