/** Stands for the native token as a token, and for none as a hook. */
export const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000'
