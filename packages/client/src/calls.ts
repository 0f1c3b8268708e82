/** Function selectors and encoding of the contract calls that this package makes. Uses no ABI library. */
import type { Hex } from './types.ts'

/** Function selectors: the first four bytes of the hash of each function signature. */
export const selectors = {
  /** allowance(address owner, address spender) */
  allowance: '0xdd62ed3e',
  /** approve(address spender, uint256 amount) */
  approve: '0x095ea7b3',
  /** balanceOf(address) */
  balanceOf: '0x70a08231',
  /** decimals() */
  decimals: '0x313ce567',
  /** swap(uint256 amountIn, Order, bytes program) of the Guard */
  swap: '0x2dfcad76',
  /** swapNative(Order, bytes program) of the Guard */
  swapNative: '0x3293da90',
  /** swapWithPayout(uint256 amountIn, Order, Payout, bytes program) of the Guard */
  swapWithPayout: '0xeeea3835',
  /** swapDirect(uint256 amountIn, address recipient, Order, bytes program) of the Guard */
  swapDirect: '0xe956b9b0',
  /** swapWithPermit(uint256 amountIn, Order, Permit, Payout, bytes program) of the Guard */
  swapWithPermit: '0x5d24e7d9',
  /** swapDirectWithPermit(uint256 amountIn, address recipient, Order, Permit, bytes program) of the Guard */
  swapDirectWithPermit: '0xc74a41f4',
  /** allowance(address owner, address token, address spender) of Permit2 */
  permit2Allowance: '0x927da105',
  /** nonces(address) of tokens with a permit */
  nonces: '0x7ecebe00',
  domainSeparator: '0x3644e515',
  permitTypehash: '0x30adf81f',
  name: '0x06fdde03',
  version: '0x54fd4d50',
} as const satisfies Record<string, Hex>

/** Number of hex digits of a 32-byte word. */
export const WORD = 64

/** Encodes a call whose arguments take one word each: numbers as bigint, and addresses as hex text. */
export function encodeCall(selector: Hex, ...values: readonly (bigint | string)[]): Hex {
  const words = values.map((value) => (typeof value === 'bigint' ? value.toString(16) : value.slice(2).toLowerCase()))
  return `${selector}${words.map((digits) => digits.padStart(WORD, '0')).join('')}`
}
