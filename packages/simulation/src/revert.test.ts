import { IGuard__factory, IRouterErrors__factory } from '@sluice/bindings'
import type { Hex } from '@sluice/chains'
import { AbiCoder } from 'ethers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeRevert } from './revert.ts'
import { sanitizeText } from './text.ts'

const guard = IGuard__factory.createInterface()
const routers = IRouterErrors__factory.createInterface()
const errorOf = (text: string) => `0x08c379a0${AbiCoder.defaultAbiCoder().encode(['string'], [text]).slice(2)}` as Hex

test('text comes back as it was, as far as it can be shown', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme' }), (text) => {
      expect(decodeRevert(errorOf(text))).toBe(sanitizeText(text, 1_000) || 'reverted with an empty reason')
    }),
  )
  expect(decodeRevert(errorOf('STF: pay \u202e0x00\u0007\u0000 now'))).toBe('STF: pay 0x00 now')
})

test('a revert that is passed on as text, or in an error of unknown arguments, is opened', () => {
  const inner = errorOf('TRANSFER_FROM_FAILED')
  const asText = `0x08c379a0${AbiCoder.defaultAbiCoder().encode(['bytes'], [inner]).slice(2)}` as Hex
  expect(decodeRevert(asText)).toBe('TRANSFER_FROM_FAILED')
  const unknown = AbiCoder.defaultAbiCoder().encode(
    ['uint256', 'address', 'bytes'],
    [3n, `0x${'11'.repeat(20)}`, asText],
  )
  expect(decodeRevert(`0xdeadbeef${unknown.slice(2)}`)).toBe('custom error 0xdeadbeef: TRANSFER_FROM_FAILED')
  const panic = `0x4e487b71${'12'.padStart(64, '0')}` as Hex
  expect(decodeRevert(`0x08c379a0${AbiCoder.defaultAbiCoder().encode(['bytes'], [panic]).slice(2)}`)).toBe(
    'Panic(0x12): division by zero',
  )
})

test('of the arguments of an unknown error, the first bytes that hold a revert are opened, three deep at most', () => {
  const wrap = (...bytes: readonly string[]) => {
    const types = bytes.map(() => 'bytes')
    return `0xdeadbeef${AbiCoder.defaultAbiCoder().encode(types, bytes).slice(2)}` as Hex
  }
  const revert = errorOf('STF')
  expect(decodeRevert(wrap('0x1234567890', revert))).toBe('custom error 0xdeadbeef: STF')
  // Neither the selector alone, nor a length that no arguments have.
  for (const bytes of ['0x', '0x1234', '0xdeadbeef', `${revert}00`, revert.slice(0, -2)])
    expect(decodeRevert(wrap(bytes))).toBe('custom error 0xdeadbeef')
  const text = (bytes: string) => `0x08c379a0${AbiCoder.defaultAbiCoder().encode(['bytes'], [bytes]).slice(2)}` as Hex
  expect(decodeRevert(text(text(text(revert))))).toBe('STF')
  expect(decodeRevert(text(text(text(text(revert)))))).not.toBe('STF')
  expect(decodeRevert(wrap(text(text(revert))))).toBe('custom error 0xdeadbeef: STF')
  expect(decodeRevert(wrap(text(text(text(revert)))))).not.toContain(': STF')
  const outer = (bytes: Hex) => routers.encodeErrorResult('ExecutionFailed', [3n, bytes]) as Hex
  expect(decodeRevert(outer(outer(outer(revert)))).match(/ExecutionFailed/g)).toHaveLength(3)
  expect(decodeRevert(outer(outer(outer(revert))))).toContain('message: STF')
  expect(decodeRevert(outer(outer(outer(outer(revert)))))).not.toContain('STF')
})

test('a panic says what it means', () => {
  expect(decodeRevert(`0x4e487b71${'11'.padStart(64, '0')}`)).toBe('Panic(0x11): arithmetic overflow or underflow')
})

test('a known custom error comes with its values, and what it wraps is opened', () => {
  const inner = guard.encodeErrorResult('OutputTooLow', [7n, 9n]) as Hex
  expect(decodeRevert(inner)).toMatch(/^OutputTooLow\(\w+: 7, \w+: 9\)$/)
  const outer = routers.encodeErrorResult('ExecutionFailed', [3n, inner]) as Hex
  expect(decodeRevert(outer)).toMatch(/^ExecutionFailed\(commandIndex: 3, message: OutputTooLow\(\w+: 7, \w+: 9\)\)$/)
})

test('an unknown error is its selector, and nothing is nothing', () => {
  expect(decodeRevert('0xdeadbeef')).toBe('custom error 0xdeadbeef')
  expect(decodeRevert('0x')).toBe('reverted without a reason')
})

test('no bytes make it throw, or answer at length', () => {
  const selectors = ['08c379a0', '4e487b71', guard.getError('OutputTooLow')!.selector.slice(2), 'deadbeef', '']
  fc.assert(
    fc.property(fc.constantFrom(...selectors), fc.uint8Array({ maxLength: 400 }), (selector, bytes) => {
      const text = decodeRevert(`0x${selector}${Buffer.from(bytes).toString('hex')}`)
      expect(text.length).toBeGreaterThan(0)
      expect(text.length).toBeLessThanOrEqual(1_000)
    }),
    { numRuns: 500 },
  )
})
