import { IL1FeeOracle__factory } from '@sluice/bindings'
import { type Hex, type L1FeeModel, toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import { RpcError } from '../errors.ts'
import type { CallRequest, Rpc } from '../types.ts'
import { estimateL1Fee, estimateL1FeePerByte, type FeeTransaction } from './index.ts'
import { compressForScroll } from './scroll.ts'
import { serialize } from './transaction.ts'

const abi = IL1FeeOracle__factory.createInterface()
const word = (value: bigint | number): Hex => `0x${value.toString(16).padStart(64, '0')}`
const OP_STACK = '0x420000000000000000000000000000000000000f'
const SCROLL = '0x5300000000000000000000000000000000000002'
const MORPH = '0x530000000000000000000000000000000000000f'

type Oracle = Partial<Record<'getL1Fee' | 'getOperatorFee' | 'isArsia' | 'isGalileo' | 'tokenRatio', unknown>>

/** A fake chain with an oracle at `address` that returns a number per function, or computes it from the given bytes. */
function chain(address: string, oracle: Oracle) {
  const calls: string[] = []
  const rpc = {
    chainId: 10,
    call: async ({ to, data }: CallRequest, block: unknown) => {
      const { name, args } = abi.parseTransaction({ data })!
      calls.push(name)
      if (to !== address || block !== 9) return '0x'
      const answer = oracle[name as keyof Oracle]
      if (answer === undefined) throw new RpcError('REVERTED', 'no such function')
      if (answer instanceof Error) throw answer
      return word(typeof answer === 'function' ? answer(args[0]) : (answer as number))
    },
  } as unknown as Rpc
  return { rpc, calls }
}

const transaction: FeeTransaction = {
  ...{ to: toAddress(`0x${'1'.repeat(40)}`), data: `0x${'ab'.repeat(300)}`, value: 1n, gas: 200_000n, gasPriceWei: 7n },
}
const feeOf = (model: L1FeeModel, { rpc }: { rpc: Rpc }) => estimateL1Fee(rpc, model, transaction, 9)
const length = (bytes: string) => bytes.length / 2 - 1

test('chains without a data fee have none, and unknown models have an unknown fee', async () => {
  const { rpc, calls } = chain(OP_STACK, { getL1Fee: 5 })
  expect(await feeOf('none', { rpc })).toEqual({ feeWei: 0n, gas: 0n })
  expect(await feeOf('zksync', { rpc })).toBeNull()
  expect(await feeOf('unknown', { rpc })).toBeNull()
  expect(calls).toEqual([])
})

test('on the OP Stack the operator fee for the gas is added, where there is one', async () => {
  const bytes = length(serialize(transaction, 10, 'unsigned'))
  const byLength = chain(OP_STACK, { getL1Fee: length, getOperatorFee: (gas: bigint) => gas })
  expect(await feeOf('op-stack', byLength)).toEqual({ feeWei: BigInt(bytes) + 200_000n, gas: 0n })
  expect(await feeOf('op-stack', chain(OP_STACK, { getL1Fee: 50 }))).toEqual({ feeWei: 50n, gas: 0n })
  expect(await feeOf('op-stack', chain(OP_STACK, { getOperatorFee: 5 }))).toBeNull()
  expect(await feeOf('op-stack', chain(OP_STACK, { getL1Fee: 0 }))).toEqual({ feeWei: 0n, gas: 0n })
  expect(await feeOf('op-stack', chain(MORPH, { getL1Fee: 5 }))).toBeNull()
})

test('on Mantle the fee is in tokens, since its upgrade', async () => {
  const all = { isArsia: 1, getL1Fee: 50, tokenRatio: 3, getOperatorFee: 7 }
  expect(await feeOf('mantle', chain(OP_STACK, all))).toEqual({ feeWei: 157n, gas: 0n })
  expect(await feeOf('mantle', chain(OP_STACK, { isArsia: 1, getL1Fee: 50, tokenRatio: 3 }))).toEqual({
    ...{ feeWei: 150n, gas: 0n },
  })
  for (const without of ['isArsia', 'getL1Fee', 'tokenRatio'] as const)
    expect(await feeOf('mantle', chain(OP_STACK, { ...all, [without]: undefined }))).toBeNull()
  expect(await feeOf('mantle', chain(OP_STACK, { ...all, isArsia: 0 }))).toBeNull()
})

test('on Scroll the signed transaction is counted, compressed since its upgrade', async () => {
  const signed = serialize(transaction, 10, 'signed')
  const compressed = compressForScroll(signed)
  expect(compressed).not.toBe(signed)
  expect(await feeOf('scroll', chain(SCROLL, { getL1Fee: length }))).toEqual({
    ...{ feeWei: BigInt(length(signed)), gas: 0n },
  })
  expect(await feeOf('scroll', chain(SCROLL, { getL1Fee: length, isGalileo: 1 }))).toEqual({
    ...{ feeWei: BigInt(length(compressed)), gas: 0n },
  })
  expect(await feeOf('scroll', chain(SCROLL, {}))).toBeNull()
})

test.each([
  ['metis', OP_STACK, 'legacy'],
  ['morph', MORPH, 'signed'],
] as const)('on %s the oracle alone decides', async (model, address, form) => {
  const { rpc, calls } = chain(address, { getL1Fee: length, getOperatorFee: 9 })
  const feeWei = BigInt(length(serialize(transaction, 10, form)))
  expect(await feeOf(model, { rpc })).toEqual({ feeWei, gas: 0n })
  expect(calls).toEqual(['getL1Fee'])
})

test('a failure of the node is an error and no fee', async () => {
  const failing = chain(OP_STACK, { getL1Fee: new RpcError('TIMEOUT', 'late') })
  await expect(feeOf('op-stack', failing)).rejects.toMatchObject({ code: 'TIMEOUT' })
})

const perByte = (model: L1FeeModel, { rpc }: { rpc: Rpc }) => estimateL1FeePerByte(rpc, model, 5n, 9)

test('the price of a byte is the difference of the fees of two transactions that do not compress', async () => {
  // From 256 bytes of calldata on, the length fields of the RLP have a constant size.
  const expensive = chain(MORPH, { getL1Fee: (bytes: string) => 3 * length(bytes) })
  expect(await perByte('morph', expensive)).toBe(3)
  const fees: number[] = []
  const packed = chain(SCROLL, {
    isGalileo: 1,
    getL1Fee: (bytes: string) => {
      fees.push(length(bytes))
      return 2 * length(bytes)
    },
  })
  expect(await perByte('scroll', packed)).toBeGreaterThan(1.9)
  expect(Math.min(...fees)).toBeGreaterThan(400)
  expect(Math.max(...fees)).toBeGreaterThan(1_200)
})

test('a byte costs nothing if the fee is unknown, zero, or constant', async () => {
  expect(await perByte('none', chain(MORPH, {}))).toBe(0)
  expect(await perByte('morph', chain(MORPH, {}))).toBe(0)
  expect(await perByte('morph', chain(MORPH, { getL1Fee: 8 }))).toBe(0)
  expect(await perByte('morph', chain(MORPH, { getL1Fee: (bytes: string) => 5_000 - length(bytes) }))).toBe(0)
})
