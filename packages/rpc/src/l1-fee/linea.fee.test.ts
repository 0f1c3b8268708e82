import { type Hex, toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import type { BlockRef, Rpc } from '../types.ts'
import { decodePricing, estimateLineaFee, profitablePriorityFee } from './linea.ts'
import { serialize } from './transaction.ts'

const field = (kwei: number) => kwei.toString(16).padStart(8, '0')
// Fixed cost 2 kwei, variable cost 5,000,000 kwei.
const extraData: Hex = `0x01${field(2)}${field(5_000_000)}${field(9)}${'00'.repeat(19)}`
const pricing = { fixedCostWei: 2_000n, variableCostWei: 5_000_000_000n }
const transaction = { to: toAddress(`0x${'1'.repeat(40)}`), data: '0x1234', value: 0n, gas: 100_000n } as const

function feeOf(raw: object | null, gasPriceWei: bigint, block: BlockRef = 26, requests: unknown[] = []) {
  const rpc = {
    chainId: 59_144,
    request: async (...request: unknown[]) => {
      requests.push(request)
      return raw
    },
  } as unknown as Rpc
  return estimateLineaFee(rpc, { ...transaction, gasPriceWei }, block, { timeoutMs: 5 })
}

const priorityFee = (gasPriceWei: bigint) =>
  profitablePriorityFee(pricing, serialize({ ...transaction, gasPriceWei }, 59_144, 'signed'), transaction.gas)

test('the fee is the missing price of all gas', async () => {
  const missing = async (gasPriceWei: bigint, baseFee?: bigint) =>
    (await feeOf(
      { extraData, ...(baseFee !== undefined && { baseFeePerGas: `0x${baseFee.toString(16)}` }) },
      gasPriceWei,
    ))!
  const needed = priorityFee(1_000n) + 700n
  expect(needed).toBeGreaterThan(100_000n)
  expect(await missing(1_000n, 700n)).toBe((needed - 1_000n) * 100_000n)
  // Without a base fee only the priority fee is required.
  expect(await missing(1_000n)).toBe((needed - 700n - 1_000n) * 100_000n)
})

test('a price that is high enough leaves no fee', async () => {
  const price = 10n ** 9n
  const needed = priorityFee(price)
  const baseFee = (amount: bigint) => ({ extraData, baseFeePerGas: `0x${amount.toString(16)}` })
  expect(await feeOf(baseFee(price - needed), price)).toBe(0n)
  expect(await feeOf(baseFee(price - needed + 1n), price)).toBe(100_000n)
  expect(await feeOf(baseFee(0n), price)).toBe(0n)
})

test('the block is asked for by number, tag or hash', async () => {
  const blockHash: Hex = `0x${'a'.repeat(64)}`
  const requests: unknown[] = []
  for (const block of [26, 'latest', { blockHash }] as const) await feeOf({ extraData }, 1n, block, requests)
  expect(requests).toEqual([
    ['eth_getBlockByNumber', ['0x1a', false], { timeoutMs: 5 }],
    ['eth_getBlockByNumber', ['latest', false], { timeoutMs: 5 }],
    ['eth_getBlockByHash', [blockHash, false], { timeoutMs: 5 }],
  ])
})

test('without a block or its pricing the fee is not known', async () => {
  expect(await feeOf(null, 1n)).toBeNull()
  expect(await feeOf({}, 1n)).toBeNull()
  expect(await feeOf({ extraData: '0x' }, 1n)).toBeNull()
})

test('pricing needs a version byte of 1 at the front and 32 bytes', () => {
  expect(decodePricing(extraData)).toEqual({ fixedCostWei: 2_000n, variableCostWei: 5_000_000_000n })
  expect(decodePricing(`${extraData}abcd`)).toEqual({ fixedCostWei: 2_000n, variableCostWei: 5_000_000_000n })
  expect(decodePricing(extraData.toUpperCase().replace('0X', '0x') as Hex)).toEqual(pricing)
  expect(decodePricing(extraData.slice(0, -1) as Hex)).toBeNull()
  expect(decodePricing(`0x02${extraData.slice(4)}`)).toBeNull()
  expect(decodePricing(`0x00${extraData}` as Hex)).toBeNull()
})

test('the compressed size counts at its cost, spread over the gas', () => {
  const perByte = { fixedCostWei: 0n, variableCostWei: 1_000n }
  const zeros: Hex = `0x${'00'.repeat(500)}`
  const size = profitablePriorityFee({ fixedCostWei: 0n, variableCostWei: 1n }, zeros, 1n)
  expect(size).toBeLessThan(20n)
  expect(profitablePriorityFee(perByte, zeros, 1n)).toBe(1_000n * size)
  expect(profitablePriorityFee({ ...perByte, fixedCostWei: 3n }, zeros, 7n)).toBe((1_000n * size) / 7n + 3n)
})
