/** Numeric prefixes and bucket numbers of pool ids, for sorting and lookup in `PoolMap`. */

/** Hex digits of the sort prefix: 28 bits, which V8 stores as a small integer. */
const START_DIGITS = 7
/** Hex digits that select the bucket: with 100,000 pools a bucket holds about 25. */
const BUCKET_DIGITS = 3
/** Number of buckets of a `PoolMap`. */
export const BUCKETS = 16 ** BUCKET_DIGITS
/** Value of a hex digit by character code; -1 for other characters. */
const DIGITS = Int8Array.from({ length: 128 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
)

/**
 * Returns the first seven hex digits of an id as a number, which sorts like the id. Contract addresses almost always
 * differ in these digits.
 */
export function startOf(id: string): number {
  const start = digitsOf(id, 2, 2 + START_DIGITS)
  return start >= 0 ? start : Number.parseInt(id.slice(2, 2 + START_DIGITS).padEnd(START_DIGITS, '0'), 16) || 0
}

/**
 * Returns the bucket of an id, from its last three hex digits: ids are addresses or hashes, so these digits are evenly
 * distributed.
 */
export function bucketOf(id: string): number {
  const bucket = digitsOf(id, id.length - BUCKET_DIGITS, id.length)
  return bucket >= 0 ? bucket : Number.parseInt(id.slice(-BUCKET_DIGITS), 16) || 0
}

/** Parses hex digits without allocating a substring; -1 if a character is not a hex digit. */
function digitsOf(id: string, from: number, to: number): number {
  let number = 0
  for (let offset = from; offset < to; offset++) {
    const digit = DIGITS[id.charCodeAt(offset)]
    if (digit === undefined || digit < 0) return -1
    number = (number << 4) | digit
  }
  return number
}
