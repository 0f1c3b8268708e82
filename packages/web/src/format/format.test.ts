import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compact, grouped, parseAmount, percentBelow, plain, rate } from './amount.ts'
import { decimal, short, show } from './number.ts'

test('what is shown of an amount, typed again, is the amount', () => {
  fc.assert(
    fc.property(fc.bigInt(1n, (1n << 128n) - 1n), fc.integer({ min: 0, max: 30 }), (base, decimals) => {
      expect(parseAmount(grouped(plain(base, decimals)), decimals)).toEqual({ kind: 'amount', base })
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
  ['1,5', 'wrong'],
  ['1e3', 'wrong'],
  ['-1', 'wrong'],
  ['0.1234567', 'wrong'],
  ['9'.repeat(40), 'wrong'],
])('%j of a token with six decimals is %s', (text, kind) => {
  expect(parseAmount(text, 6).kind).toBe(kind)
})

test('amounts are cut, never rounded up', () => {
  expect(show('1497740.829999', 9).fraction).toBe('.82')
  expect(show('0.99999999', 9)).toMatchObject({ groups: ['0'], fraction: '.9999' })
  expect(compact('1218999999999', 6)).toBe('1.218 M')
  expect(compact('54809', 3)).toBe('54.80')
  expect(compact('1', 18)).toBe('< 0.0001')
})

test('thousands are apart, zeros after the point are counted, nothing is lost in the text', () => {
  expect(show('1497740.82', 9)).toMatchObject({ groups: ['1', '497', '740'], fraction: '.82', text: '1497740.82' })
  expect(show('0.00001001')).toMatchObject({ tiny: { zeros: 4, digits: '1001' }, text: '0.00001001' })
  expect(show('-0.0024')).toMatchObject({ sign: '\u2212', fraction: '.0024' })
  expect(show('0.000')).toMatchObject({ groups: ['0'], fraction: '', sign: '' })
})

test('numbers of JSON have no exponent on the screen', () => {
  expect(decimal(1.001e-5)).toBe('0.00001001'.replace('1001', '1001'))
  expect(decimal(1e-7)).toBe('0.0000001')
  expect(decimal(1.5e21)).toBe('1500000000000000000000')
  expect(short(159_500_000)).toBe('160 M')
  expect(short(0.2)).toBe('< 1')
})

test('rates and differences are exact', () => {
  expect(rate({ amount: 5n * 10n ** 18n, decimals: 18 }, { amount: 15_000n * 10n ** 6n, decimals: 6 })).toBe('3000')
  expect(percentBelow(1_000_000n, 999_976n)).toBe('0.0024')
  expect(percentBelow(1_000_000n, 1_000_024n)).toBe('-0.0024')
})
