/** Tests of a node that answers in the middle of a block. */
import { type Address, type Hex, toAddress } from '@sluice/chains'
import type { CallOptions, CallRequest, Rpc } from '@sluice/rpc'
import { expect, test } from 'vitest'
import { midBlockRpc } from './mid-block.ts'

const [A, B] = ['1', '2'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [Address, Address]
const parent = { number: 7, hash: '0x07' } as never
const earlierCalls = [
  { to: A, data: '0x01', gas: 5n },
  { to: B, data: '0x02' },
] as unknown as CallRequest[]

function nodeOf(results: readonly { readonly success: boolean; readonly returnData: Hex }[]) {
  const simulations: { calls: readonly CallRequest[]; block: unknown; options: CallOptions | undefined }[] = []
  const reads: unknown[] = []
  const rpc = {
    simulateV1: async (calls: readonly CallRequest[], block: unknown, options?: CallOptions) => {
      simulations.push({ calls, block, options })
      return results
    },
    getBlock: async (block: unknown) => ['block', block],
    getCode: async (...of: unknown[]) => {
      reads.push(of.slice(0, 2))
      return '0xc0de'
    },
  } as unknown as Rpc
  const environment = { number: 8, timestamp: 80, gasLimit: 1n } as never
  return { rpc: midBlockRpc(rpc, { parent, earlierCalls, environment }), simulations, reads }
}
const ok = (returnData: Hex) => ({ success: true, returnData })

test('a call runs after the earlier transactions, on the parent block, in the environment of the block', async () => {
  const { rpc, simulations } = nodeOf([ok('0x01'), ok('0x02'), ok('0x03')])
  const call = { to: B, data: '0x55' } as never
  expect(await rpc.call(call, 'latest', { timeoutMs: 9, blockOverrides: { number: 9 } })).toBe('0x03')
  expect(simulations).toEqual([
    {
      calls: [...earlierCalls, { to: B, data: '0x55', gas: 100_000_000n }],
      block: { blockHash: '0x07' },
      options: { timeoutMs: 9, blockOverrides: { number: 9, timestamp: 80, gasLimit: 1_000_000_000n } },
    },
  ])
})

test('a call keeps its own gas limit and overrides, and comes with the parent as the head', async () => {
  const { rpc, simulations } = nodeOf([ok('0x01'), ok('0x02'), ok('0x03')])
  const overrides = { [A]: { balance: 1n } } as never
  const { answer, head } = await rpc.callWithHead({ to: B, data: '0x', gas: 3n } as never, 'latest', { overrides })
  expect([answer, head]).toEqual(['0x03', parent])
  expect(simulations[0]!.calls.at(-1)).toMatchObject({ gas: 3n })
  expect(simulations[0]!.options).toMatchObject({ overrides })
})

test('several calls have the results of their own, without those of the earlier transactions', async () => {
  const { rpc } = nodeOf([ok('0x01'), ok('0x02'), ok('0x03'), ok('0x04')])
  const calls = [{ to: A }, { to: B }] as never
  expect(await rpc.simulateV1(calls, 'latest')).toEqual([ok('0x03'), ok('0x04')])
})

test('a failed call reverts with its data, and a missing result is a fault of the node', async () => {
  const reverted = nodeOf([ok('0x01'), ok('0x02'), { success: false, returnData: '0xdead' }]).rpc
  await expect(reverted.call({} as never, 'latest')).rejects.toMatchObject({ code: 'REVERTED', data: '0xdead' })
  const short = nodeOf([ok('0x01'), ok('0x02')]).rpc
  await expect(short.call({} as never, 'latest')).rejects.toMatchObject({ code: 'BAD_ANSWER' })
})

test('the newest block is the parent, for blocks and code', async () => {
  const { rpc, reads } = nodeOf([])
  expect(await rpc.getBlock('latest')).toBe(parent)
  expect(await rpc.getBlock(7)).toBe(parent)
  expect(await rpc.getBlock(6)).toEqual(['block', 6])
  await rpc.getCode(A as never, 'latest')
  await rpc.getCode(A as never, 3)
  expect(reads).toEqual([
    [A, 7],
    [A, 3],
  ])
})
