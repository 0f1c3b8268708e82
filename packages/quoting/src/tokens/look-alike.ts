/** Letters of other scripts that look like Latin ones, for symbols that pass for others. */
const LATIN: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: 'аα',
    b: 'вβЬ',
    c: 'сϲ',
    d: 'ԁ',
    e: 'еεё',
    h: 'нһ',
    i: 'іι1l|',
    j: 'ј',
    k: 'кκ',
    m: 'м',
    n: 'ոη',
    o: 'оο0',
    p: 'рρ',
    s: 'ѕ',
    t: 'тτ',
    u: 'υս',
    v: 'ѵν',
    w: 'ѡԝω',
    x: 'хχ',
    y: 'уγ',
    z: 'ᴢ',
  }).flatMap(([latin, others]) => [...others.toLowerCase()].map((other) => [other, latin] as const)),
)

/** The same for symbols that people take for each other: by case, width, accents, look-alikes and a sign in front. */
export function looksLike(symbol: string): string {
  const plain = symbol
    .normalize('NFKD')
    .replace(/[\p{M}\p{P}\p{S}\p{Z}]/gu, '')
    .toLowerCase()
  return [...plain].map((letter) => LATIN.get(letter) ?? letter).join('')
}
