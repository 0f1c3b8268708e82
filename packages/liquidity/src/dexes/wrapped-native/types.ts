/** State of a wrapper. As a pool, it has two tokens: the native token and the wrapper, in this order. */
export type WrappedNativeState = {
  /** Total supply at the last read, in wei. */
  readonly supply: bigint
}
