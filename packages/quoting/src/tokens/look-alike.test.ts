import { expect, test } from 'vitest'
import { looksLike } from './look-alike.ts'

test.each([
  [
    'USDC',
    [
      'usdc',
      'USDС',
      '$USDC',
      'U S D C',
      'ＵＳＤＣ',
      'ÚSDC',
      'USD.C',
      'UЅDC',
      'U$DC',
      '𝐔𝐒𝐃𝐂',
      'ꓴꓢꓓꓚ',
      'ᴜsᴅᴄ',
      'USD\u200bC',
    ],
  ],
  // Greek, Lisu, Cherokee and Cyrillic capitals.
  ['ETH', ['ΕΤΗ', 'ꓰꓔꓧ', 'ᎬᎢᎻ', 'ЕТН', 'ETḤ', 'Ｅ𝖳ℍ']],
  ['WETH', ['WΕΤΗ', 'VVETH', 'ᏔᎬᎢᎻ', 'ꓪꓰꓔꓧ', 'ԜΕТН']],
  ['LINK', ['LIΝK', 'LlNK', 'L1NK', 'ꓡꓲꓠꓗ', 'ⅬINΚ']],
  ['UNI', ['UΝI', 'UN1', 'UNl', 'UN|', 'ՍNI']],
  ['MKR', ['ΜKR', 'МKR', 'RNKR']],
  ['DAI', ['DΑI', 'DА1', 'ꓓꓮꓲ', 'Ꭰꭺ1', 'DАI']],
  // Currency signs between letters.
  ['AELYDBA', ['A€LYD₿A', 'A€L¥D₿A']],
  ['COMP', ['C0MP', 'СОМР', 'ϹΟΜΡ']],
  ['USDT', ['UЅDТ', 'USDΤ', 'U$DT', 'ꓴꓢꓓꓔ']],
] as const)('look-alikes of %s have its key', (symbol, similarSymbols) => {
  for (const other of similarSymbols) expect(looksLike(other), other).toBe(looksLike(symbol))
})

test.each([
  ['USDC', 'USDT', 'USDCE', 'DAI', 'USD', '美元'],
  ['ETH', 'WETH', 'STETH', 'ETC', 'ЭТХ'],
  ['LINK', 'LINKA', 'BLINK', 'INK'],
] as const)('%s has another key than other symbols', (symbol, ...differentSymbols) => {
  for (const other of differentSymbols) expect(looksLike(other), other).not.toBe(looksLike(symbol))
})
