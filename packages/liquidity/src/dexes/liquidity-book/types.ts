/** A price level with what it holds, base units of both tokens. */
export type Bin = { readonly id: number; readonly reserveX: bigint; readonly reserveY: bigint }

/** A pair of price bins. The price of bin `id` is (1 + binStep / 10,000)^(id − 2²³) of token Y in token X, base units. */
export type LiquidityBookState = {
  /** Of the block it was read at, seconds: by it the volatility has faded. */
  readonly timestamp: number
  /** Hundredths of a per cent. */
  readonly binStep: number
  readonly activeId: number
  /** Bins that hold something, rising. */
  readonly bins: readonly Bin[]
  /** Whether there are no bins below and above those that were read. */
  readonly allBelow: boolean
  readonly allAbove: boolean
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
