import { expect, test } from 'vitest'
import { decodePricing, profitablePriorityFee } from './linea.ts'

// Version 1, fixed cost 100 kwei, variable cost 200,000 kwei, gas price 50,000 kwei.
const extraData = `0x01${'00000064'}${'00030d40'}${'0000c350'}${'00'.repeat(19)}` as const

test('pricing is read from the extra data of a block', () => {
  expect(decodePricing(extraData)).toEqual({ fixedCostWei: 100_000n, variableCostWei: 200_000_000n })
})

test('extra data of another version or of another client is not read as pricing', () => {
  expect(decodePricing('0x')).toBeNull()
  expect(decodePricing('0x02000000640003')).toBeNull()
  expect(decodePricing(extraData.replace('0x01', '0x02') as `0x${string}`)).toBeNull()
})

test('the priority fee is the fixed cost plus the compressed size spread over the gas', () => {
  const pricing = { fixedCostWei: 100_000n, variableCostWei: 200_000_000n }
  const noise = `0x${'8f3a61c5d2e97b04'.repeat(2)}` as const
  const fee = profitablePriorityFee(pricing, noise, 100_000n)
  expect(fee).toBe(100_000n + (200_000_000n * compressed(noise)) / 100_000n)
  expect(compressed(noise)).toBeLessThan(16n + 1n)
  expect(profitablePriorityFee(pricing, noise, 50_000n) - 100_000n).toBe(2n * (fee - 100_000n))
})

/** Deflate's stored size of eight bytes repeated once, counted from the fee at one wei per byte and one gas. */
const compressed = (text: `0x${string}`) => profitablePriorityFee({ fixedCostWei: 0n, variableCostWei: 1n }, text, 1n)
