/** Sanitizes text of the service and bounds its size. Names of tokens and reasons of reverts come from contracts that anyone can deploy. */

/** Longest text that is passed on, in characters. */
const MAX_TEXT = 240
/** Largest structured answer in bytes. It is sent twice, as text and as structured content, so that a result stays below 64 kB. */
export const MAX_ANSWER_BYTES = 24 * 1024

const HEX = /^0x[0-9a-fA-F]*$/
/**
 * Characters that a reader does not see: control and format characters, among them bidirectional marks and tags, unassigned and
 * private ones, lone surrogates, variation selectors, and fillers.
 */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}]/gu

/** Control characters that separate words. */
const LINE_BREAKS = /[\t-\r\u0085\u2028\u2029]/g

/** An answer that is too large even without its list. */
export class AnswerTooLarge extends Error {}

/**
 * Makes one line of visible text.
 *
 * @param max - characters that are kept; longer text ends with an ellipsis
 */
export function plainText(text: string, max = MAX_TEXT): string {
  // Enough for `max` characters behind ones that are removed, and a bound on the work.
  const visible = text
    .slice(0, 16 * max)
    .replace(LINE_BREAKS, ' ')
    .replace(INVISIBLE, '')
    .replace(/\s+/gu, ' ')
    .trim()
  const characters = [...visible]
  const isWhole = characters.length <= max && text.length <= 16 * max
  return isWhole ? visible : `${characters.slice(0, max - 1).join('')}…`
}

/** The same value with `plainText` in place of each text that is not hexadecimal. Values are as deep as their schema. */
export function cleaned<T>(value: T): T {
  if (typeof value === 'string') return (HEX.test(value) ? value : plainText(value)) as T
  if (Array.isArray(value)) return value.map(cleaned) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cleaned(one)])) as T
}

/**
 * Shortens the list of an answer until the whole has at most `MAX_ANSWER_BYTES`, and counts what was left out in `omitted`.
 *
 * @param list - name of the list; without one nothing can be left out
 * @throws AnswerTooLarge
 */
export function fitted<T extends Readonly<Record<string, unknown>>>(answer: T, list: string | undefined): T {
  const items = list === undefined ? [] : (answer[list] as readonly unknown[])
  let bytes = sizeOf(list === undefined ? answer : { ...answer, [list]: [], omitted: items.length })
  if (bytes > MAX_ANSWER_BYTES)
    throw new AnswerTooLarge(`the answer has ${bytes} bytes, and at most ${MAX_ANSWER_BYTES} fit`)
  if (list === undefined) return answer
  let kept = 0
  for (const item of items) {
    bytes += sizeOf(item) + 1
    if (bytes > MAX_ANSWER_BYTES) break
    kept++
  }
  return { ...answer, [list]: items.slice(0, kept), omitted: items.length - kept }
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
