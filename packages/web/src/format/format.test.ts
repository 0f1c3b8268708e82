/** Tests of amount and number formatting. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatCompact, groupThousands, parseAmount, parseUsd, percentBelow, rateText, toPlainText } from './amount.ts'
import { decimalText, shortNumber, significantText, splitForDisplay } from './number.ts'

test('a displayed amount parses to the same amount', () => {
  fc.assert(
    fc.property(fc.bigInt(1n, (1n << 128n) - 1n), fc.integer({ min: 0, max: 30 }), (base, decimals) => {
      expect(parseAmount(groupThousands(toPlainText(base, decimals)), decimals)).toEqual({ kind: 'amount', base })
    }),
  )
})

test.each([
  ['', 'empty'],
  ['.', 'empty'],
  ['0.00', 'empty'],
  ['1.5', 'amount'],
  ['.5', 'amount'],
  ['1 000.25', 'amount'],
  ['1,5', 'amount'],
  ['1e3', 'wrong'],
  ['1.2.3', 'wrong'],
  ['1,2,3', 'wrong'],
  ['1,23.4', 'wrong'],
  ['$5', 'wrong'],
  ['-1', 'wrong'],
  ['0.1234567', 'wrong'],
  ['9'.repeat(40), 'wrong'],
])('%j of a token with six decimals is %s', (text, kind) => {
  expect(parseAmount(text, 6).kind).toBe(kind)
})

test.each([
  ['1,5', '1.5'],
  ['0,123', '0.123'],
  [',5', '0.5'],
  ['1,', '1'],
  ['1234,567', '1234.567'],
  ['1,234.56', '1234.56'],
  ['1.234,56', '1234.56'],
  ['1,234,567', '1234567'],
  ['1.234.567', '1234567'],
  ["1'234.5", '1234.5'],
  ['1.234', '1.234'],
])('%j is read as %s', (text, amount) => {
  expect(parseAmount(text, 6)).toEqual(parseAmount(amount, 6))
})

test('a comma before three digits is ambiguous, and both readings are amounts', () => {
  expect(parseAmount('1,234', 18)).toEqual({ kind: 'ambiguous', readings: ['1.234', '1234'] })
  expect(parseAmount('12,000', 2)).toEqual({ kind: 'ambiguous', readings: ['12.000', '12000'] })
})

test('an amount formatted by any locale parses to the same amount, or is ambiguous', () => {
  const locales = fc.constantFrom('en-US', 'de-DE', 'fr-FR', 'de-CH', 'pt-BR', 'ru-RU')
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2_000_000_000 }),
      fc.integer({ min: 0, max: 6 }),
      locales,
      (value, places, locale) => {
        const text = (value / 10 ** places).toFixed(places)
        const written = Number(text).toLocaleString(locale, {
          minimumFractionDigits: places,
          maximumFractionDigits: places,
        })
        const typed = parseAmount(written, 6)
        const expected = parseAmount(text, 6)
        if (typed.kind === 'ambiguous')
          expect(typed.readings.map((reading) => parseAmount(reading, 6))).toContainEqual(expected)
        // A point before three digits is a decimal point in every locale, because the page itself writes amounts so.
        else if (!/^\d{1,3}\.\d{3}$/.test(written)) expect(typed).toEqual(expected)
      },
    ),
  )
})

test('dollars convert to an amount of at most that value', () => {
  expect(parseUsd('100', 4, 18)).toEqual({ kind: 'amount', base: 25n * 10n ** 18n })
  expect(parseUsd('100', 3, 6)).toEqual({ kind: 'amount', base: 33_333_333n })
  expect(parseUsd('1', 1e-9, 0)).toEqual({ kind: 'amount', base: 10n ** 9n })
  expect(parseUsd('0.01', 1e9, 2).kind).toBe('wrong')
  expect(parseUsd('1,234', 2, 6).kind).toBe('ambiguous')
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10 ** 9 }), fc.integer({ min: 1, max: 10 ** 6 }), (usd, price) => {
      const typed = parseUsd(String(usd), price, 18)
      const base = typed.kind === 'amount' ? typed.base : 0n
      const worth = base * BigInt(price)
      const whole = BigInt(usd) * 10n ** 18n
      expect(worth <= whole && (whole - worth) * 100_000_000n <= whole).toBe(true)
    }),
  )
})

test('amounts are cut, never rounded up', () => {
  expect(splitForDisplay('1497740.829999', 9).fraction).toBe('.82')
  expect(splitForDisplay('0.99999999', 9)).toMatchObject({ groups: ['0'], fraction: '.9999' })
  expect(formatCompact('1218999999999', 6)).toBe('1.218 M')
  expect(formatCompact('54809', 3)).toBe('54.80')
  expect(formatCompact('1', 18)).toBe('< 0.0001')
})

test('thousands are grouped, leading zeros are counted, and the text keeps all digits', () => {
  expect(splitForDisplay('1497740.82', 9)).toMatchObject({
    groups: ['1', '497', '740'],
    fraction: '.82',
    text: '1497740.82',
  })
  expect(splitForDisplay('0.00001001')).toMatchObject({ tiny: { zeroCount: 4, digits: '1001' }, text: '0.00001001' })
  expect(splitForDisplay('-0.0024')).toMatchObject({ sign: '\u2212', fraction: '.0024' })
  expect(splitForDisplay('0.000')).toMatchObject({ groups: ['0'], fraction: '', sign: '' })
})

test('JSON numbers are displayed without an exponent', () => {
  expect(decimalText(1.001e-5)).toBe('0.00001001'.replace('1001', '1001'))
  expect(decimalText(1e-7)).toBe('0.0000001')
  expect(decimalText(1.5e21)).toBe('1500000000000000000000')
  expect(shortNumber(159_500_000)).toBe('160 M')
  expect(shortNumber(0.2)).toBe('< 1')
})

test.each([
  [0, '0'],
  [1, '1.00'],
  [12.34, '12.3'],
  [999.4, '999'],
  [999.6, '1.00 k'],
  [999_600, '1.00 M'],
  [999_600_000, '1.00 B'],
  [2.5e12, '2.50 T'],
])('the short form of %d is %s', (value, text) => {
  expect(shortNumber(value)).toBe(text)
})

test('very small and very large rates have no exponent, which a display would cut off', () => {
  expect(significantText(1.23456789e-10, 7)).toBe('0.0000000001234568')
  expect(significantText(12_345_678_901, 7)).toBe('12345680000')
  expect(significantText(2_500.5, 7)).toBe('2500.5')
  expect(splitForDisplay(significantText(1.5e-10, 7)).tiny).toEqual({ zeroCount: 9, digits: '15' })
  expect(splitForDisplay(significantText(1.5e10, 7)).groups).toEqual(['15', '000', '000', '000'])
})

test('rates and differences are exact', () => {
  expect(rateText({ amount: 5n * 10n ** 18n, decimals: 18 }, { amount: 15_000n * 10n ** 6n, decimals: 6 })).toBe('3000')
  expect(percentBelow(1_000_000n, 999_976n)).toBe('0.0024')
  expect(percentBelow(1_000_000n, 1_000_024n)).toBe('-0.0024')
})
