/**
 * Decodes address lists that lenses (contracts that read pools in an eth_call) return. A list contains thousands of
 * addresses, most of them zero. A general ABI decoder is far too slow for such a list.
 */
import { type Address, toAddress } from '@sluice/chains'

/** Hex characters of an ABI word. */
const WORD_HEX_CHARACTERS = 64
/** Hex characters of an ABI word before the 20 bytes of an address. */
const PADDING_HEX_CHARACTERS = 24
const ZERO_WORD = '0'.repeat(WORD_HEX_CHARACTERS)

/**
 * Yields the nonzero addresses of an ABI-encoded `(address[])` with their indices.
 *
 * @param answer - hex with `0x`; if it is truncated, the generator ends early
 */
export function* nonzeroAddresses(answer: string): Generator<readonly [index: number, address: Address]> {
  const start = '0x'.length + 2 * Number(`0x${answer.slice(2, 2 + WORD_HEX_CHARACTERS)}`)
  const count = Number(`0x${answer.slice(start, start + WORD_HEX_CHARACTERS)}`)
  const end = Math.min(answer.length, start + WORD_HEX_CHARACTERS * (1 + count))
  for (
    let offset = start + WORD_HEX_CHARACTERS, index = 0;
    offset + WORD_HEX_CHARACTERS <= end;
    offset += WORD_HEX_CHARACTERS, index++
  ) {
    // Compare in place, without allocating a string for empty entries.
    if (answer.startsWith(ZERO_WORD, offset)) continue
    yield [index, toAddress(`0x${answer.slice(offset + PADDING_HEX_CHARACTERS, offset + WORD_HEX_CHARACTERS)}`)]
  }
}
