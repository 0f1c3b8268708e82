/** State of iZiSwap pools. */

/** Point (iZiSwap's tick) at which positions start or end, or which has limit orders. X and Y are the pool's tokens. */
export type LiquidityPoint = {
  readonly point: number
  /** True if positions start or end at this point. A downward swap stops here before it continues. */
  readonly endpoint: boolean
  /** True if the contract looks for limit orders at this point. */
  readonly order: boolean
  /** Net liquidity that is added when a rising price crosses the point. */
  readonly liquidityNet: bigint
  /** Base units of X that limit orders sell at this point. */
  readonly sellingX: bigint
  /** Base units of Y that limit orders sell at this point. */
  readonly sellingY: bigint
}

/** State of a pool. √price is always exactly √1.0001^point, because all liquidity at a point trades at one price. */
export type IziswapState = {
  /** √(token Y / token X) in base units at `point`, with 96 fractional bits. */
  readonly sqrtPriceX96: bigint
  readonly point: number
  /** Liquidity in range. */
  readonly liquidity: bigint
  /** Part of the liquidity at `point` that is held in X. The rest is held in Y. */
  readonly liquidityX: bigint
  /** Parts per million of the input. */
  readonly feePpm: number
  /** Points per bit of the bitmap. */
  readonly pointDelta: number
  /** Endpoints and points with limit orders, ascending. */
  readonly points: readonly LiquidityPoint[]
}
