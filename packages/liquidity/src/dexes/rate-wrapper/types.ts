/** A wrapper as a pool of the rebasing token and itself, in this order. */
export type RateWrapperState = {
  /** Base units of the rebasing token that all `shares` together stand for. */
  readonly pooled: bigint
  /** Base units. */
  readonly shares: bigint
  /** Base units of the wrapper, each of which stands for a share. */
  readonly supply: bigint
}
