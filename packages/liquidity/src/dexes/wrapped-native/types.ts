/** State of a wrapper, which is a pool of the native token and itself, in this order. */
export type WrappedNativeState = {
  /** Wrapped wei at the last read. */
  readonly supply: bigint
}
