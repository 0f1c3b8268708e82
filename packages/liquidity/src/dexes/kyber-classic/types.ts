/** A pair priced by amplified reserves, with the fee of swaps in the block it was read at. */
export type KyberClassicState = {
  /** Base units that the pair holds of its first and second token. */
  readonly reserve0: bigint
  readonly reserve1: bigint
  /** Base units that it is priced by: the same where it is not amplified. */
  readonly virtual0: bigint
  readonly virtual1: bigint
  /** Share of the input, 18 decimals. */
  readonly fee: bigint
}
