import type { Hex } from '@sluice/chains'
import { expect, test } from 'vitest'
import { floorGas, intrinsicGas, maxIntrinsicGas } from './gas.ts'

test('calldata costs 4 gas for a zero byte and 16 for another, asked for the first time or again', () => {
  const datas = Array.from({ length: 12 }, (_, k): Hex => `0x${'00'.repeat(k)}${'a0'.repeat(12 - k)}`)
  for (const _ of [1, 2]) {
    for (const [k, data] of datas.entries()) {
      expect(intrinsicGas(data)).toBe(21_000n + BigInt(4 * k + 16 * (12 - k)))
      expect(intrinsicGas(data)).toBe(21_000n + BigInt(4 * k + 16 * (12 - k)))
    }
  }
})

test('the most that it may cost is what it costs without a zero byte', () => {
  expect(maxIntrinsicGas('0x')).toBe(21_000n)
  expect(maxIntrinsicGas('0x0000')).toBe(intrinsicGas('0xa0a0'))
})

test('the calldata floor counts 10 gas per zero byte and 40 per nonzero byte', () => {
  expect(floorGas('0x')).toBe(21_000n)
  expect(floorGas(`0x${'00'.repeat(10)}${'ff'.repeat(5)}`)).toBe(21_000n + 100n + 200n)
})
