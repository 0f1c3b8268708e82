/** Zero address: in a token field the native token, in a hook field no hook. */
export const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000'
