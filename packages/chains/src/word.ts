/** Decodes return data of one ABI word. */
import type { Hex } from './address.ts'

/** Characters of a word of 32 bytes in hex, with 0x. */
const WORD_LENGTH = 66

/** Returns the number in return data of exactly one word; null for absent data, or data of another length. */
export function wordOf(data: Hex | null | undefined): bigint | null {
  return data?.length === WORD_LENGTH ? BigInt(data) : null
}
