/** State of Uniswap V2 pairs. */
export type UniswapV2State = {
  /** Base units of the first token; below 2^112. */
  readonly reserve0: bigint
  /** Base units of the second token; below 2^112. */
  readonly reserve1: bigint
  /** Fee in parts per million of the input. */
  readonly feePpm: number
}
