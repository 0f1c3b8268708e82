/** State of Liquidity Book pairs. */
import type { BinPool } from '../../math/bins.ts'

/** State of a pair; `limited` is true since version 2.2. */
export type LiquidityBookState = BinPool & {
  /** Time of the block, in seconds, up to which volatility has decayed. */
  readonly timestamp: number
  readonly fee: FeeParameters
}

/** Fee parameters as stored by the pair; a volatility of 10,000 is one bin. */
export type FeeParameters = {
  readonly baseFactor: number
  /** Seconds within which trades count as one, and seconds after which past volatility is ignored. */
  readonly filterPeriod: number
  readonly decayPeriod: number
  /** Ten-thousandths of the volatility that remain after the filter period. */
  readonly reductionFactor: number
  readonly variableFeeControl: number
  /** Ten-thousandths of the fee that leave the bins. */
  readonly protocolShare: number
  readonly maxVolatilityAccumulator: number
  readonly volatilityAccumulator: number
  readonly volatilityReference: number
  readonly idReference: number
  /** Unix time in seconds. */
  readonly timeOfLastUpdate: number
}
