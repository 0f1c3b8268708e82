/** Numeric prefixes and bucket numbers of pool ids, for sorting and lookup in `PoolMap`. */

/** Hex digits of the sort prefix: 28 bits, which V8 stores as a small integer. */
const PREFIX_DIGITS = 7
/** Hex digits that select the bucket: with 100,000 pools a bucket holds about 25. */
const BUCKET_DIGITS = 3
/** Number of buckets of a `PoolMap`. */
export const BUCKET_COUNT = 16 ** BUCKET_DIGITS
/** Value of a hex digit by character code; -1 for other characters. */
const HEX_DIGIT_VALUES = Int8Array.from({ length: 128 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
)

/**
 * Returns the first seven hex digits of an id as a number, which sorts like the id. Contract addresses almost always
 * differ in these digits.
 */
export function idPrefixOf(id: string): number {
  const prefix = parseHexDigits(id, 2, 2 + PREFIX_DIGITS)
  return prefix >= 0 ? prefix : Number.parseInt(id.slice(2, 2 + PREFIX_DIGITS).padEnd(PREFIX_DIGITS, '0'), 16) || 0
}

/**
 * Returns the bucket of an id, from its last three hex digits: ids are addresses or hashes, so these digits are evenly
 * distributed.
 */
export function bucketOf(id: string): number {
  const bucket = parseHexDigits(id, id.length - BUCKET_DIGITS, id.length)
  return bucket >= 0 ? bucket : Number.parseInt(id.slice(-BUCKET_DIGITS), 16) || 0
}

/** Parses hex digits without allocating a substring; -1 if a character is not a hex digit. */
function parseHexDigits(id: string, from: number, to: number): number {
  let value = 0
  for (let offset = from; offset < to; offset++) {
    const digit = HEX_DIGIT_VALUES[id.charCodeAt(offset)]
    if (digit === undefined || digit < 0) return -1
    value = (value << 4) | digit
  }
  return value
}
