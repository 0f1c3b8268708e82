/** Types and parsers of addresses and hex strings. */
declare const brand: unique symbol

/** Hex string with 0x prefix. */
export type Hex = `0x${string}`

/** Address of 20 bytes, always in lower case, so `===` compares correctly. Create it by `toAddress` or `asAddress`. */
export type Address = Hex & { readonly [brand]: 'Address' }

/** Address that stands for the native token in requests and responses. */
export const NATIVE = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee' as Address

/** Zero address. Contracts and pools use it for the native token. */
export const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000' as Address

const addressPattern = /^0x[0-9a-fA-F]{40}$/

/** Returns true for 0x and 40 hex digits in any case. Does not verify the checksum. */
export function isAddress(text: unknown): text is Hex {
  return typeof text === 'string' && addressPattern.test(text)
}

/**
 * Parses an address.
 *
 * @throws TypeError if the text is not 0x and 40 hex digits; the checksum is not verified
 */
export function toAddress(text: string): Address {
  const address = asAddress(text)
  if (address === null) throw new TypeError(`not an address: ${text.slice(0, 60)}`)
  return address
}

/** Parses an address like `toAddress`, but returns null for an invalid text. */
export function asAddress(text: string): Address | null {
  return isAddress(text) ? (text.toLowerCase() as Address) : null
}
