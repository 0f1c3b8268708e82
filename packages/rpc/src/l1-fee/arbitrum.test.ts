import { IArbitrumNodeInterface__factory } from '@sluice/bindings'
import { type Hex, toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import { RpcError } from '../errors.ts'
import type { CallRequest, Rpc } from '../types.ts'
import { estimateArbitrumFee } from './arbitrum.ts'

const abi = IArbitrumNodeInterface__factory.createInterface()
const to = toAddress(`0x${'1'.repeat(40)}`)
const transaction = { to, data: '0x1234', value: 0n, gas: 200_000n, gasPriceWei: 10n } as const

async function feeOf(respond: () => Hex, calls: unknown[] = []) {
  const rpc = {
    call: async ({ to, data }: CallRequest, block: unknown) => {
      calls.push(to, abi.decodeFunctionData('gasEstimateL1Component', data).toArray(), block)
      return respond()
    },
  } as unknown as Rpc
  return estimateArbitrumFee(rpc, transaction, 9)
}
const answer = (...values: readonly bigint[]) =>
  abi.encodeFunctionResult('gasEstimateL1Component', values as never) as Hex

test('the fee is the gas at the base fee, less a tenth of price margin, a hundredth and 256 units of padding', async () => {
  const calls: unknown[] = []
  // 111,100 × 1,000,000 wei / 1.1 / 1.01 = 100,000,000,000 wei, less 256 units of 7 wei.
  const fee = await feeOf(() => answer(111_100n, 1_000_000n, 7n), calls)
  expect(fee).toEqual({ feeWei: 100_000_000_000n - 256n * 7n, gas: 111_100n })
  expect(calls).toEqual(['0x00000000000000000000000000000000000000c8', [to, false, '0x1234'], 9])
})

test('divisions round down one after the other', async () => {
  // 1,001 × 10 = 10,010; / 1.1 = 9,100; / 1.01 = 9,009.9
  expect(await feeOf(() => answer(1_001n, 10n, 0n))).toEqual({ feeWei: 9_009n, gas: 1_001n })
  // 12 / 1.1 = 10.9; 10 / 1.01 = 9.9
  expect(await feeOf(() => answer(12n, 1n, 0n))).toEqual({ feeWei: 9n, gas: 12n })
})

test('a fee below the padding is none', async () => {
  const feeWei = async (unitPrice: bigint) => (await feeOf(() => answer(111_100n, 256n, unitPrice)))?.feeWei
  expect(await feeWei(99_999n)).toBe(256n)
  expect(await feeWei(100_000n)).toBe(0n)
  expect(await feeWei(100_001n)).toBe(0n)
})

test('without the contract the fee is not known, and a failure of the node is an error', async () => {
  const failing = (code: 'REVERTED' | 'TIMEOUT') => () => {
    throw new RpcError(code, 'no')
  }
  expect(await feeOf(() => '0x')).toBeNull()
  expect(await feeOf(failing('REVERTED'))).toBeNull()
  await expect(feeOf(failing('TIMEOUT'))).rejects.toMatchObject({ code: 'TIMEOUT' })
})
