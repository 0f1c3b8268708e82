/** Stands for the native token, and for hooks that a pool does not have. */
export const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000'
