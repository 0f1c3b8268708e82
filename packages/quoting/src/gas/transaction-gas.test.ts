import type { Hex } from '@sluice/chains'
import { expect, test } from 'vitest'
import { larger, transactionGas } from './transaction-gas.ts'

/** Calldata with the given numbers of zero and nonzero bytes. */
const data = (zeros: number, others: number): Hex => `0x${'00'.repeat(zeros)}${'ff'.repeat(others)}`

test('a transaction costs 21,000 gas, 4 per zero byte, 16 per nonzero byte, and its execution', () => {
  expect(transactionGas('0x', 0n)).toBe(21_000n)
  expect(transactionGas(data(10, 5), 100_000n)).toBe(21_000n + 40n + 80n + 100_000n)
})

test('the higher of execution and floor counts', () => {
  const calldata = data(0, 1_000)
  // 16,000 gas of calldata with a floor of 40,000: the floor applies below 24,000 gas of execution.
  expect(transactionGas(calldata, 23_999n)).toBe(61_000n)
  expect(transactionGas(calldata, 24_001n)).toBe(61_001n)
  expect([larger(2n, 1n), larger(1n, 2n), larger(2n, 2n)]).toEqual([2n, 2n, 2n])
})
