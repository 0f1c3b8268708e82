/** Represents the native token, and an absent hook. */
export const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000'
