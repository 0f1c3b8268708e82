/** Numbers that ids of pools are ordered and found by. */

/** Digits of an id's number: as many as fit a small integer. */
const START_DIGITS = 7
/** Digits of an id that choose its bucket: with 100,000 pools a bucket holds about 25. */
const BUCKET_DIGITS = 3
export const BUCKETS = 16 ** BUCKET_DIGITS
/** Value of a digit by its character, -1 for others. */
const DIGITS = Int8Array.from({ length: 128 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
)

/** Number of an id's first digits, in the order of ids; those of contracts differ in them nearly always. */
export function startOf(id: string): number {
  const start = digitsOf(id, 2, 2 + START_DIGITS)
  return start >= 0 ? start : Number.parseInt(id.slice(2, 2 + START_DIGITS).padEnd(START_DIGITS, '0'), 16) || 0
}

/** Ids are hex, of contracts or hashes: their last three digits spread evenly. */
export function bucketOf(id: string): number {
  const bucket = digitsOf(id, id.length - BUCKET_DIGITS, id.length)
  return bucket >= 0 ? bucket : Number.parseInt(id.slice(-BUCKET_DIGITS), 16) || 0
}

/** Number of hexadecimal digits, without a text of their own; negative where some are none. */
function digitsOf(id: string, from: number, to: number): number {
  let number = 0
  for (let at = from; at < to; at++) {
    const digit = DIGITS[id.charCodeAt(at)]
    if (digit === undefined || digit < 0) return -1
    number = (number << 4) | digit
  }
  return number
}
