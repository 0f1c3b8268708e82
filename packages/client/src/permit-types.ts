/** EIP-712 types of EIP-2612, DAI and Permit2 permits. */

/**
 * Address of the Permit2 contract, which is the same on every chain.
 *
 * @example
 * ```ts
 * await approve(wallet, src, PERMIT2, 2n ** 256n - 1n)
 * ```
 */
export const PERMIT2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3'

export const EIP2612_FIELDS = 'address owner,address spender,uint256 value,uint256 nonce,uint256 deadline'
export const DAI_FIELDS = 'address holder,address spender,uint256 nonce,uint256 expiry,bool allowed'
export const PERMIT2_TYPES = {
  PermitSingle: 'PermitDetails details,address spender,uint256 sigDeadline',
  PermitDetails: 'address token,uint160 amount,uint48 expiration,uint48 nonce',
}
