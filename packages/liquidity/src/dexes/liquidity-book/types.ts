/** State of Liquidity Book pairs. */
import type { BinPool } from '../../math/bins.ts'

/** State of a pair. `limited` is true for pairs since version 2.2. */
export type LiquidityBookState = BinPool & {
  /** Time of the block, in seconds, up to which volatility has decayed. */
  readonly timestamp: number
  readonly fee: FeeParameters
}

/** Fee parameters of a pair, with the names and units of its contract. A volatility of 10,000 is one bin. */
export type FeeParameters = {
  readonly baseFactor: number
  /** Seconds within which trades count as one. */
  readonly filterPeriod: number
  /** Seconds after which past volatility is ignored. */
  readonly decayPeriod: number
  /** Part of the volatility that remains after the filter period, in units of 1/10,000. */
  readonly reductionFactor: number
  readonly variableFeeControl: number
  /** Part of the fee that leaves the bins, in units of 1/10,000. */
  readonly protocolShare: number
  readonly maxVolatilityAccumulator: number
  readonly volatilityAccumulator: number
  readonly volatilityReference: number
  readonly idReference: number
  /** Unix time in seconds. */
  readonly timeOfLastUpdate: number
}
