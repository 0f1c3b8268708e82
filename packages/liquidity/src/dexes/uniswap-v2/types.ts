export type UniswapV2State = {
  /** Base units of the pair's first token; below 2^112. */
  readonly reserve0: bigint
  /** Base units of the pair's second token; below 2^112. */
  readonly reserve1: bigint
  /** Parts per million of the input that the pair keeps. */
  readonly feePpm: number
}
