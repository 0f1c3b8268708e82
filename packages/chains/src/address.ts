/** Address and hex types. */
declare const brand: unique symbol

/** Hex string with 0x prefix. */
export type Hex = `0x${string}`

/** Address of 20 bytes in lower case. Only created by `toAddress` and `asAddress`, so `===` compares correctly. */
export type Address = Hex & { readonly [brand]: 'Address' }

/** Native token in requests and responses, in lower case. */
export const NATIVE = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee' as Address

/** Native token as contracts represent it. */
export const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000' as Address

const addressPattern = /^0x[0-9a-fA-F]{40}$/

/** Returns true for 0x and 40 hex digits in any case; does not verify the checksum. */
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

/** Parses an address; null if the text is not one. */
export function asAddress(text: string): Address | null {
  return isAddress(text) ? (text.toLowerCase() as Address) : null
}
