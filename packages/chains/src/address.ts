declare const brand: unique symbol

/** Any 0x-prefixed hex text. */
export type Hex = `0x${string}`

/** 20 bytes in lower case. Only `toAddress` makes one, so `===` is a safe comparison. */
export type Address = Hex & { readonly [brand]: 'Address' }

/** The native token of any chain as the interface writes it, in lower case. */
export const NATIVE = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee' as Address

/** The native token as contracts write it. */
export const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000' as Address

const addressPattern = /^0x[0-9a-fA-F]{40}$/

export function isAddress(text: unknown): text is Hex {
  return typeof text === 'string' && addressPattern.test(text)
}

/** @throws TypeError when the text is not 0x and 40 hex digits; the checksum of mixed case is not looked at */
export function toAddress(text: string): Address {
  const address = asAddress(text)
  if (address === null) throw new TypeError(`not an address: ${text.slice(0, 60)}`)
  return address
}

/** The same, null where the text is none. */
export function asAddress(text: string): Address | null {
  return isAddress(text) ? (text.toLowerCase() as Address) : null
}
