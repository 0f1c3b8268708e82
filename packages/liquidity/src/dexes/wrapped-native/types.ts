/** A wrapper as a pool of the native token and itself, in this order. */
export type WrappedNativeState = {
  /** Wei that are wrapped, as of the last reading. */
  readonly supply: bigint
}
