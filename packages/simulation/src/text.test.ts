import { AbiCoder, encodeBytes32String } from 'ethers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeText, sanitizeText } from './text.ts'

const answer = (text: string) => AbiCoder.defaultAbiCoder().encode(['string'], [text]) as `0x${string}`

test.each([
  ['USDC', 'USDC'],
  ['  US\u202eDC\u202c ', 'USDC'],
  ['US\u200bDC\ufeff', 'USDC'],
  ['a\u0000\u001b[31mb', 'a[31mb'],
  ['two\n\nlines\u2028here', 'two lines here'],
  [`Z${'\u0301'.repeat(50)}`, `Z${'\u0301'.repeat(2)}`],
  ['\ud83d', '\ufffd'],
  ['\u2066\u2069', ''],
  ['Тether 泰达', 'Тether 泰达'],
])('%j is shown as %j', (text, shown) => {
  expect(sanitizeText(text, 60)).toBe(shown)
})

test('a character of two code units is left out whole where the limit cuts it', () => {
  expect(sanitizeText('\u{1f600}\u{1f680}', 3)).toBe('\u{1f600}')
  expect(sanitizeText('\u{1f600}\u{1f680}', 4)).toBe('\u{1f600}\u{1f680}')
  expect(sanitizeText('a \u{1f680}', 3)).toBe('a')
})

test('whatever comes stays short, on one line and well formed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.integer({ min: 1, max: 60 }), (text, maxLength) => {
      const shown = sanitizeText(text, maxLength)
      expect(shown.length).toBeLessThanOrEqual(maxLength)
      expect(shown.isWellFormed()).toBe(true)
      expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      expect(sanitizeText(shown, maxLength)).toBe(shown)
    }),
  )
})

test('an answer is read as text, as 32 bytes or not at all', () => {
  expect(decodeText(answer('Wrapped Ether'), 60)).toBe('Wrapped Ether')
  expect(decodeText(encodeBytes32String('MKR') as `0x${string}`, 20)).toBe('MKR')
  expect(decodeText(answer('x'.repeat(10_000)), 20)).toBe('x'.repeat(20))
  for (const nothing of ['0x', '0x12', answer(''), answer('\u202e'), `0x${'ff'.repeat(64)}`] as const)
    expect(decodeText(nothing as `0x${string}`, 20)).toBeNull()
})
