/** Tests the sanitizing and shortening of untrusted text. */
import { describe, expect, test } from 'vitest'
import { AnswerTooLarge, cleanTexts, fitToLimit, MAX_ANSWER_BYTES, plainText } from './untrusted-text.ts'

describe('plainText', () => {
  test.each([
    ['plain', 'USD Coin', 'USD Coin'],
    ['other scripts and emoji', 'Ünï 日本 🦄', 'Ünï 日本 🦄'],
    ['line breaks', 'a\nb\r\n\tc\u2028d\u2029e\u0085f', 'a b c d e f'],
    ['control characters', 'a\u0000\u001b[2Jb\u007f', 'a[2Jb'],
    ['bidirectional marks', '\u202eabc\u2066\u200f', 'abc'],
    ['zero width characters', 'a\u200bb\u200dc\ufeffd\u2060e\u00adf', 'abcdef'],
    ['tags', 'a\u{e0041}\u{e0042}\u{e007f}b', 'ab'],
    ['variation selectors', 'a\ufe0f\u{e0101}b', 'ab'],
    ['fillers', 'a\u3164\u115fb', 'ab'],
    ['lone surrogates and private characters', 'a\ud800\ue000b', 'ab'],
    ['nothing visible', '\u200b\n\u202e', ''],
  ])('%s', (_, text, expected) => {
    expect(plainText(text)).toBe(expected)
  })

  test('cuts by characters, also in text of which most is invisible', () => {
    expect(plainText('x'.repeat(1_000_000), 10)).toBe(`${'x'.repeat(9)}…`)
    expect(plainText('🦄'.repeat(11), 10)).toBe(`${'🦄'.repeat(9)}…`)
    expect(plainText('🦄'.repeat(10), 10)).toBe('🦄'.repeat(10))
    expect(plainText(`${'\u200b'.repeat(1_000)}x`, 10)).toBe('…')
  })
})

test('cleaned reaches text in lists and objects, and leaves hexadecimal, numbers, and null', () => {
  const data = `0x${'ab'.repeat(10_000)}`
  expect(cleanTexts({ list: ['a\nb', { name: '\u202ex' }], data, count: 5, none: null, is: true })).toEqual({
    ...{ list: ['a b', { name: 'x' }], data, count: 5, none: null, is: true },
  })
})

describe('fitted', () => {
  const items = Array.from({ length: 1_000 }, (_, k) => ({ name: `${k} é`.padEnd(100, 'é') }))

  test('keeps what fits, and counts the rest', () => {
    const answer = fitToLimit({ list: items, other: 1 } as Record<string, unknown>, 'list')
    const shownItems = answer.list as unknown[]
    expect(shownItems.length).toBeGreaterThan(50)
    expect(answer).toMatchObject({ omitted: 1_000 - shownItems.length, other: 1 })
    const bytes = Buffer.byteLength(JSON.stringify(answer))
    expect(bytes).toBeLessThanOrEqual(MAX_ANSWER_BYTES)
    expect(bytes).toBeGreaterThan(MAX_ANSWER_BYTES - 400)
  })

  test('leaves a small answer whole', () => {
    expect(fitToLimit({ list: [1, 2] } as Record<string, unknown>, 'list')).toEqual({ list: [1, 2], omitted: 0 })
    expect(fitToLimit({ a: 1 }, undefined)).toEqual({ a: 1 })
  })

  test('throws for what cannot be shortened', () => {
    const data = 'x'.repeat(MAX_ANSWER_BYTES)
    expect(() => fitToLimit({ data }, undefined)).toThrow(AnswerTooLarge)
    expect(() => fitToLimit({ data, list: [1] } as Record<string, unknown>, 'list')).toThrow(/at most 24576 fit/)
  })
})
