/** A point where something changes: liquidity that begins or ends there, or limit orders. */
export type Point = {
  readonly point: number
  /** True where positions begin or end here; a swap downwards rests on it before it goes on. */
  readonly endpoint: boolean
  /** True where the pool looks for limit orders here. */
  readonly order: boolean
  /** Liquidity that begins here, going up; negative where more ends. */
  readonly liquidityNet: bigint
  /** Base units of token X and Y that limit orders sell here. */
  readonly sellingX: bigint
  readonly sellingY: bigint
}

/** A pool whose price is always at a whole point, √1.0001^point. */
export type IziswapState = {
  /** √(token Y / token X) in base units at the point, 96 fractional bits. */
  readonly sqrtPriceX96: bigint
  readonly point: number
  /** In range at the point, and the part of it that is token X; the rest is token Y. */
  readonly liquidity: bigint
  readonly liquidityX: bigint
  /** Parts per million of the input. */
  readonly feePpm: number
  /** Points from one bit of the bitmap to the next. */
  readonly pointDelta: number
  /** Rising. */
  readonly points: readonly Point[]
}
