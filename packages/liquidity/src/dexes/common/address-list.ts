/** Lists of addresses as lenses answer them: thousands in one answer, nearly all of them zero, so a general decoder is far too slow. */
import { type Address, toAddress } from '@sluice/chains'

/** Characters of a word, and those before the address in it. */
const WORD = 64
const PADDING = 24
const ZERO_WORD = '0'.repeat(WORD)

/**
 * The addresses of an ABI-encoded `(address[])` that are not zero, with their places in the list.
 *
 * @param answer - hex; one that is cut short ends early
 */
export function* presentAddresses(answer: string): Generator<readonly [index: number, address: Address]> {
  const start = '0x'.length + 2 * Number(`0x${answer.slice(2, 2 + WORD)}`)
  const count = Number(`0x${answer.slice(start, start + WORD)}`)
  const end = Math.min(answer.length, start + WORD * (1 + count))
  for (let at = start + WORD, index = 0; at + WORD <= end; at += WORD, index++) {
    // Compared in place: no text is made of a place that is empty.
    if (answer.startsWith(ZERO_WORD, at)) continue
    yield [index, toAddress(`0x${answer.slice(at + PADDING, at + WORD)}`)]
  }
}
