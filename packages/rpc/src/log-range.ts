/** Extracts the maximum block range of `eth_getLogs` from the error of a provider. */

/**
 * Matches a suggested range, as in "this block range should work: [0x0, 0xd043b8]" and "retry with the range
 * 6000000-6000509".
 */
const BRACKETED_RANGE = /\[\s*(0x[0-9a-f]+)\s*,\s*(0x[0-9a-f]+)\s*\]/i
const DASHED_RANGE = /\brange (\d+)\s*-\s*(\d+)/i
/** Matches a comparison of the requested and the allowed number of blocks, as in "(5000 > 3000)". */
const COMPARED_RANGE = /\(\s*\d+\s*>\s*(\d+)\s*\)/
/**
 * Matches a stated limit, as in "limited to a 10,000 range", "maximum is set to 2048", "max is 10k blocks", "up to a
 * 500 block range", and "ranges over 10000 blocks".
 */
const STATED_LIMIT =
  /(?:max(?:imum)?\b|\blimit(?:ed)?\b|up to|at most|\bover\b|greater than|smaller than|bigger than|exceeds?\b|allowed|distance|narrow your filter)[^\d[\]]{0,40}?(\d[\d,.]*)\s*(k\b)?/gi
/** Matches text after a number that counts something other than blocks. */
const OTHER_UNITS = /^\s*k?\s*(results|logs|bytes|response|seconds|filters)/i
/** Matches errors in which the stated number is a limit of results, not of blocks. */
const RESULT_LIMIT = /more than \S+ (results|logs)|too many logs|max results|logs matched|too big/i

/**
 * Returns the number of blocks that the provider suggests; undefined if the error names none.
 *
 * @param text - message of the error and texts in its data
 */
export function suggestedBlockCount(text: string, data: unknown): number | undefined {
  return (
    blocksBetween(text.match(BRACKETED_RANGE)) ??
    blocksBetween(rangeInData(data)) ??
    blocksBetween(text.match(DASHED_RANGE)) ??
    findLimitIn(text)
  )
}

function findLimitIn(text: string): number | undefined {
  const comparedMatch = text.match(COMPARED_RANGE)
  if (comparedMatch) return Number(comparedMatch[1])
  if (RESULT_LIMIT.test(text)) return undefined
  let lowestLimit: number | undefined
  for (const match of text.matchAll(STATED_LIMIT)) {
    if (OTHER_UNITS.test(text.slice(match.index + match[0].length))) continue
    const count = Number(match[1]!.replace(/[,.]/g, '')) * (match[2] ? 1_000 : 1)
    if (count > 0 && Number.isSafeInteger(count)) lowestLimit = Math.min(lowestLimit ?? count, count)
  }
  return lowestLimit
}

/**
 * Reads Infura's form, `{ from: '0x1', to: '0x2' }`, as an array like a match: first and last block at index 1 and 2.
 */
function rangeInData(data: unknown): readonly unknown[] | null {
  if (typeof data !== 'object' || data === null || !('from' in data) || !('to' in data)) return null
  return [undefined, data.from, data.to]
}

/** Returns the number of blocks in a range. @param match - first and last block at index 1 and 2 */
function blocksBetween(match: readonly unknown[] | null): number | undefined {
  if (!match) return undefined
  const count = Number(match[2]) - Number(match[1]) + 1
  return Number.isSafeInteger(count) && count > 0 ? count : undefined
}
