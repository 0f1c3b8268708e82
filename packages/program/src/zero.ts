/** Zero address. In a token field it means the native token, in a hook field no hook. */
export const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000'
