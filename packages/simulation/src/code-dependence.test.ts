import type { Hex } from '@sluice/chains'
import { expect, test } from 'vitest'
import { mayDependOnOtherCode } from './code-dependence.ts'

/** EXTCODESIZE, EXTCODECOPY, EXTCODEHASH, CALL, CALLCODE, DELEGATECALL, STATICCALL. */
const ASKING = [0x3b, 0x3c, 0x3f, 0xf1, 0xf2, 0xf4, 0xfa]
const isPush = (byte: number) => byte >= 0x60 && byte <= 0x7f
const hexOf = (...bytes: readonly number[]): Hex => `0x${Buffer.from(bytes).toString('hex')}`

test('of all instructions only those that read or call other code may ask', () => {
  const opcodes = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => mayDependOnOtherCode(hexOf(byte)))
  expect(opcodes).toEqual(ASKING)
})

test('an instruction behind other instructions is found, and code without one does not ask', () => {
  expect(mayDependOnOtherCode('0x')).toBe(false)
  expect(mayDependOnOtherCode(hexOf(0x5f, 0x5f, 0xf3))).toBe(false)
  expect(mayDependOnOtherCode(hexOf(0x5f, 0x5f, 0x3b))).toBe(true)
})

test('operands of every PUSH are data, and the byte behind them is an instruction', () => {
  for (let byte = 0x5f; byte <= 0x80; byte++) {
    const size = isPush(byte) ? byte - 0x5f : 0
    const operand = Array.from({ length: size }, () => 0xf1)
    expect(mayDependOnOtherCode(hexOf(byte, ...operand)), `operand of 0x${byte.toString(16)}`).toBe(false)
    expect(mayDependOnOtherCode(hexOf(byte, ...operand, 0xfa)), `behind 0x${byte.toString(16)}`).toBe(true)
  }
})
