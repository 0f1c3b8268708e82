/** Tests of the schemas of single parameters. */
import { getAddress } from 'ethers'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import {
  address,
  gasPrice,
  hasValidChecksum,
  hexData,
  list,
  MAX_INTEGER,
  percent,
  slippage,
  smallInteger,
  text,
  uint,
  uintOrHex,
} from './parameters.ts'

/** Returns the parsed value, or the message of the first mistake. */
function read(schema: z.ZodType, sent: unknown): unknown {
  const { success, data, error } = schema.safeParse(sent)
  return success ? data : error!.issues[0]!.message
}
const A = `0x${'aB'.repeat(20)}`
const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const ZERO = `0x${'0'.repeat(40)}`
const MAX = 2n ** 256n - 1n

test('text must be given, once, and as text', () => {
  expect(read(text('x'), 'any')).toBe('any')
  expect(read(text('x'), undefined)).toBe('x must be provided')
  expect(read(text('x'), ['a', 'b'])).toBe('x must be given once')
  expect(read(text('x'), { a: 1 })).toBe('x must be a string')
  expect(read(text('x'), 5)).toBe('x must be a string')
})

describe('an address', () => {
  test('is kept as it was sent, beside its form in lower case', () => {
    expect(read(address('a'), A)).toEqual({ input: A, address: A.toLowerCase() })
  })

  test('is refused for what it is', () => {
    expect(read(address('a'), '')).toBe('a must be provided')
    for (const wrong of [A.slice(2), `${A}0`, A.slice(0, -1), A.replace('0x', '0X'), `0x${'g'.repeat(40)}`])
      expect(read(address('a'), wrong), wrong).toBe('a must be a valid 0x... address')
    expect(read(address('a'), NATIVE)).toBe('a must not be the native token')
    expect(read(address('a'), ZERO)).toBe('a must not be the zero address')
    expect(read(address('a', { native: true }), NATIVE)).toEqual({ input: NATIVE, address: NATIVE.toLowerCase() })
    expect(read(address('a', { native: true }), ZERO)).toBe('a must not be the zero address')
    expect(read(address('a', { zero: true }), ZERO)).toEqual({ input: ZERO, address: ZERO })
  })

  test('in mixed case has a checksum or not', () => {
    const right = getAddress(A.toLowerCase())
    expect(hasValidChecksum(right)).toBe(true)
    expect(hasValidChecksum(A.toLowerCase())).toBe(true)
    expect(hasValidChecksum(`0x${A.slice(2).toUpperCase()}`)).toBe(true)
    const at = right.search(/[a-f]/)
    expect(hasValidChecksum(right.slice(0, at) + right[at]!.toUpperCase() + right.slice(at + 1))).toBe(false)
  })
})

test('an amount is base 10, up to 2^256 - 1', () => {
  expect(read(uint('n'), '0')).toBe(0n)
  expect(read(uint('n'), `${MAX}`)).toBe(MAX)
  expect(read(uint('n'), '')).toBe('n must be provided')
  expect(read(uint('n'), `${MAX + 1n}`)).toBe('n must be a base-10 integer below 2^256')
  for (const wrong of ['1.5', '-1', '1e3', '0x10', ' 1', '١', '9'.repeat(79)])
    expect(read(uint('n'), wrong), wrong).toBe('n must be a base-10 integer')
})

test('an amount may be hexadecimal where that is said', () => {
  expect(read(uintOrHex('n'), '255')).toBe(255n)
  expect(read(uintOrHex('n'), '0xfF')).toBe(255n)
  expect(read(uintOrHex('n'), `0x${MAX.toString(16)}`)).toBe(MAX)
  expect(read(uintOrHex('n'), `${MAX + 1n}`)).toBe('n must be below 2^256')
  expect(read(uintOrHex('n'), '')).toBe('n must be provided')
  for (const wrong of ['0x', `0x${'1'.repeat(65)}`, '1.0', 'ff'])
    expect(read(uintOrHex('n'), wrong), wrong).toBe('n must be an integer, base-10 or 0x-hex')
})

test('a price of gas is below 2^64', () => {
  expect(read(gasPrice(uint), `${2n ** 64n - 1n}`)).toBe(2n ** 64n - 1n)
  expect(read(gasPrice(uint), `${2n ** 64n}`)).toBe('gasPrice must be below 2^64 wei')
})

test('a count lies between its bounds', () => {
  expect(read(smallInteger('n', 1, 8), '1')).toBe(1)
  expect(read(smallInteger('n', 1, 8), '8')).toBe(8)
  for (const wrong of ['0', '9', '', '1.0', '-1', '1e0', '1'.repeat(16)])
    expect(read(smallInteger('n', 1, 8), wrong), wrong).toBe('n must be an integer from 1 to 8')
})

test('percent have up to four decimals, and become whole parts per million', () => {
  expect(['0', '0.5', '0.0001', '12.3456', '100'].map((sent) => read(percent('p'), sent))).toEqual([
    ...[0n, 5_000n, 1n, 123_456n, 1_000_000n],
  ])
  for (const wrong of ['', '.5', '5.', '0.00001', '-1', '1e1', '1,5'])
    expect(read(percent('p'), wrong), wrong).toBe('p must be a number of percent with at most 4 decimals')
})

test('slippage is below 100, or auto', () => {
  expect(read(slippage, 'auto')).toBe('auto')
  expect(read(slippage, '99.9999')).toBe(999_999n)
  expect(read(slippage, '100')).toBe('slippage must be below 100')
  expect(read(slippage, 'Auto')).toBe('slippage must be a number of percent with at most 4 decimals')
})

test('calldata are whole bytes, and not too many', () => {
  expect(read(hexData('d', 2), '0x')).toBe('0x')
  expect(read(hexData('d', 2), '0xaBcd')).toBe('0xaBcd')
  expect(read(hexData('d', 2), '0xabcd01')).toBe('d must be at most 2 bytes')
  expect(read(hexData('d', 2), '')).toBe('d must be provided')
  for (const wrong of ['0xabc', 'abcd', '0xgg'])
    expect(read(hexData('d', 2), wrong), wrong).toBe('d must be 0x-prefixed hex of whole bytes')
})

test('a list has as many items as allowed, each of which can be read', () => {
  const digits = list('l', 2, (sent) => (/^\d$/.test(sent) ? Number(sent) : undefined), 'digits')
  expect(read(digits, '1')).toEqual([1])
  expect(read(digits, ' 1 , 2 ')).toEqual([1, 2])
  expect(read(digits, '1,2,3')).toBe('l must list at most 2')
  expect(read(digits, '1,x')).toBe('l must be digits, separated by commas')
  expect(read(digits, '')).toBe('l must be digits, separated by commas')
})

test('the maximum in the message of an integer is accepted, and the next one is refused', () => {
  const schema = smallInteger('x', 0, MAX_INTEGER)
  expect(read(schema, String(MAX_INTEGER))).toBe(MAX_INTEGER)
  expect(read(schema, String(MAX_INTEGER + 1))).toBe(`x must be an integer from 0 to ${MAX_INTEGER}`)
})
