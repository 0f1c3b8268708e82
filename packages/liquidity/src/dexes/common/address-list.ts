/**
 * Decodes address lists returned by lenses. They hold thousands of mostly zero addresses, for which a general ABI
 * decoder is far too slow.
 */
import { type Address, toAddress } from '@sluice/chains'

/** Hex characters of a word, and of its padding before the address. */
const WORD = 64
const PADDING = 24
const ZERO_WORD = '0'.repeat(WORD)

/**
 * Yields the nonzero addresses of an ABI-encoded `(address[])` with their indices.
 *
 * @param answer - hex; a truncated result ends early
 */
export function* presentAddresses(answer: string): Generator<readonly [index: number, address: Address]> {
  const start = '0x'.length + 2 * Number(`0x${answer.slice(2, 2 + WORD)}`)
  const count = Number(`0x${answer.slice(start, start + WORD)}`)
  const end = Math.min(answer.length, start + WORD * (1 + count))
  for (let offset = start + WORD, index = 0; offset + WORD <= end; offset += WORD, index++) {
    // Compare in place, without allocating a string for empty entries.
    if (answer.startsWith(ZERO_WORD, offset)) continue
    yield [index, toAddress(`0x${answer.slice(offset + PADDING, offset + WORD)}`)]
  }
}
