/**
 * Sanitizes and shortens text of the service. Token names and revert reasons come from contracts that anyone can
 * deploy.
 */

/** Maximum length of a text, in characters. */
const MAX_TEXT_CHARS = 240
/**
 * Maximum bytes of structured content. A result contains this content twice, as an object and as text, and must stay
 * below 64 kB.
 */
export const MAX_ANSWER_BYTES = 24 * 1024

const HEX = /^0x[0-9a-fA-F]*$/
/**
 * Invisible characters: control and format characters (such as bidirectional marks and tags), unassigned and private
 * characters, lone surrogates, variation selectors, and fillers.
 */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}]/gu

/** Control characters that separate lines or words, such as tabs and line breaks. */
const LINE_BREAKS = /[\t-\r\u0085\u2028\u2029]/g

/** Thrown if an answer is too large even without its list. */
export class AnswerTooLarge extends Error {}

/**
 * Converts text to one line of visible characters.
 *
 * @param max - maximum number of characters; longer text is cut and ends with an ellipsis
 */
export function plainText(text: string, max = MAX_TEXT_CHARS): string {
  // The first `slice` bounds the work. At least `max` visible characters remain, unless nearly all characters are
  // invisible.
  const visibleText = text
    .slice(0, 16 * max)
    .replace(LINE_BREAKS, ' ')
    .replace(INVISIBLE, '')
    .replace(/\s+/gu, ' ')
    .trim()
  const characters = [...visibleText]
  const fits = characters.length <= max && text.length <= 16 * max
  return fits ? visibleText : `${characters.slice(0, max - 1).join('')}…`
}

/**
 * Applies `plainText` to each text in a value, except for hexadecimal texts. The value's schema bounds the recursion.
 */
export function cleanTexts<T>(value: T): T {
  if (typeof value === 'string') return (HEX.test(value) ? value : plainText(value)) as T
  if (Array.isArray(value)) return value.map(cleanTexts) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cleanTexts(item)])) as T
}

/**
 * Shortens the list of an answer so that the answer has at most `MAX_ANSWER_BYTES`. Sets `omitted` to the number of
 * removed items.
 *
 * @param listField - name of the list; if undefined, nothing can be removed
 * @throws AnswerTooLarge if the answer is too large without the list
 */
export function fitToLimit<T extends Readonly<Record<string, unknown>>>(answer: T, listField: string | undefined): T {
  const items = listField === undefined ? [] : (answer[listField] as readonly unknown[])
  let bytes = sizeOf(listField === undefined ? answer : { ...answer, [listField]: [], omitted: items.length })
  if (bytes > MAX_ANSWER_BYTES)
    throw new AnswerTooLarge(`the answer has ${bytes} bytes, and at most ${MAX_ANSWER_BYTES} fit`)
  if (listField === undefined) return answer
  let count = 0
  for (const item of items) {
    bytes += sizeOf(item) + 1
    if (bytes > MAX_ANSWER_BYTES) break
    count++
  }
  return { ...answer, [listField]: items.slice(0, count), omitted: items.length - count }
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
