/** Point at which positions start or end, or which has limit orders. A point is iZiSwap's tick. */
export type LiquidityPoint = {
  readonly point: number
  /** True if positions start or end here; a downward swap stops here before it continues. */
  readonly endpoint: boolean
  /** True if the contract checks limit orders here. */
  readonly order: boolean
  /** Net liquidity added when moving up. */
  readonly liquidityNet: bigint
  /** Base units of X and Y that limit orders sell here. */
  readonly sellingX: bigint
  readonly sellingY: bigint
}

/** State of a pool, whose price is always at a whole point, √1.0001^point. */
export type IziswapState = {
  /** √(token Y / token X) in base units at the point, 96 fractional bits. */
  readonly sqrtPriceX96: bigint
  readonly point: number
  /** Liquidity in range, and the part of it that is held in X; the rest is held in Y. */
  readonly liquidity: bigint
  readonly liquidityX: bigint
  /** Parts per million of the input. */
  readonly feePpm: number
  /** Points per bit of the bitmap. */
  readonly pointDelta: number
  /** In ascending order. */
  readonly points: readonly LiquidityPoint[]
}
