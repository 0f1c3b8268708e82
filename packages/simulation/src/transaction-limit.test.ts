import { type Hex, loadRegistry, ZERO_ADDRESS } from '@sluice/chains'
import { type BlockHeader, NO_HASH, type Rpc, RpcError } from '@sluice/rpc'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { osakaLimitOf, TransactionLimit } from './transaction-limit.ts'

const OSAKA_LIMIT = 16_777_216n
const ACTIVE: Hex = `0x${'100'.padStart(64, '0')}`

const headerOf = (number: number): BlockHeader => ({
  number,
  hash: `0x${number.toString(16).padStart(64, '0')}`,
  parentHash: `0x${'f'.repeat(64)}`,
  timestamp: 1_000,
  gasLimit: 30_000_000n,
  baseFeePerGas: 3n,
  miner: ZERO_ADDRESS,
})

function limitOf(node: { answer: Hex | Error }) {
  const calls: unknown[][] = []
  const rpc = {
    call: async (...args: unknown[]) => {
      calls.push(args)
      if (node.answer instanceof Error) throw node.answer
      return node.answer
    },
  } as unknown as Rpc
  const limit = new TransactionLimit()
  return { calls, at: (number: number) => limit.limitAt(rpc, headerOf(number), { timeoutMs: 5 }), rpc, limit }
}

let now = 0
beforeEach(() => {
  now = 10_000_000
  vi.spyOn(performance, 'now').mockImplementation(() => now)
})
afterEach(() => {
  vi.restoreAllMocks()
})

test('the node runs the instruction of Osaka at the block, without the signal of the caller', async () => {
  const { rpc, limit, calls } = limitOf({ answer: ACTIVE })
  const { signal } = new AbortController()
  expect(await limit.limitAt(rpc, headerOf(100), { signal, timeoutMs: 5 })).toBe(OSAKA_LIMIT)
  const probe = '0x5177ce0000000000000000000000000000000007'
  // PUSH0 CLZ PUSH0 MSTORE PUSH1 32 PUSH0 RETURN
  const overrides = { [probe]: { code: '0x5f1e5f5260205ff3' } }
  expect(calls).toEqual([[{ to: probe, data: '0x' }, { blockHash: headerOf(100).hash }, { timeoutMs: 5, overrides }]])
})

test('the limit at a pending block without a hash is read at that block', async () => {
  const { rpc, limit, calls } = limitOf({ answer: ACTIVE })
  expect(await limit.limitAt(rpc, { ...headerOf(100), hash: NO_HASH }, {})).toBe(OSAKA_LIMIT)
  expect(calls[0]![1]).toBe('pending')
})

test('a chain that has the limit has it from that block on, and earlier blocks are asked for', async () => {
  const node = { answer: ACTIVE as Hex }
  const { at, calls } = limitOf(node)
  expect(await at(100)).toBe(OSAKA_LIMIT)
  expect(await at(100)).toBe(OSAKA_LIMIT)
  expect(await at(101)).toBe(OSAKA_LIMIT)
  expect(calls).toHaveLength(1)
  expect(await at(90)).toBe(OSAKA_LIMIT)
  expect(calls).toHaveLength(2)
  expect(await at(95)).toBe(OSAKA_LIMIT)
  expect(calls).toHaveLength(2)
  node.answer = '0x'
  expect(await at(89)).toBeUndefined()
  expect(await at(90)).toBe(OSAKA_LIMIT)
  expect(calls).toHaveLength(3)
})

test.each<[string, Hex | Error]>([
  ['nothing', '0x'],
  ['another number', `0x${'0'.repeat(64)}`],
  ['255', `0x${'ff'.padStart(64, '0')}`],
  ['the right number in too few bytes', '0x0100'],
  ['a revert', new RpcError('REVERTED', 'invalid opcode')],
  ['a refusal', new RpcError('REJECTED', 'opcode 0x1e not defined')],
])('a node that answers with %s knows no limit, and is asked again ten minutes later', async (_, answer) => {
  const node = { answer }
  const { at, calls } = limitOf(node)
  expect(await at(100)).toBeUndefined()
  node.answer = ACTIVE
  now += 599_999
  expect(await at(200)).toBeUndefined()
  expect(calls).toHaveLength(1)
  now += 1
  expect(await at(100)).toBeUndefined()
  expect(await at(99)).toBeUndefined()
  expect(calls).toHaveLength(1)
  expect(await at(101)).toBe(OSAKA_LIMIT)
  expect(calls).toHaveLength(2)
})

test.each([
  ['a failed connection', new RpcError('UNREACHABLE', 'no connection')],
  ['a failure that is not of the node', new TypeError('broken')],
])('%s is no answer, and the node is asked again at once', async (_, error) => {
  const node: { answer: Hex | Error } = { answer: error }
  const { at, calls } = limitOf(node)
  expect(await at(100)).toBeUndefined()
  node.answer = ACTIVE
  expect(await at(100)).toBe(OSAKA_LIMIT)
  expect(calls).toHaveLength(2)
})

test('callers at the same time share one question', async () => {
  const { at, calls } = limitOf({ answer: ACTIVE })
  expect(await Promise.all([at(100), at(90), at(110)])).toEqual([OSAKA_LIMIT, OSAKA_LIMIT, OSAKA_LIMIT])
  expect(calls).toHaveLength(1)
})

test('a check of a past block decides neither about a later block nor about one that is checked at once', async () => {
  const answers = new Map<Hex, Hex>([[headerOf(30_000).hash, ACTIVE]])
  const rpc = {
    call: async (_: unknown, { blockHash }: { blockHash: Hex }) => answers.get(blockHash) ?? '0x',
  } as unknown as Rpc
  const limits = async (...numbers: readonly number[]) => {
    const limit = new TransactionLimit()
    return Promise.all(numbers.map((number) => limit.limitAt(rpc, headerOf(number), {})))
  }
  expect(await limits(30_000, 100)).toEqual([OSAKA_LIMIT, undefined])
  expect(await limits(100, 30_000)).toEqual([undefined, OSAKA_LIMIT])
  const limit = new TransactionLimit()
  expect(await limit.limitAt(rpc, headerOf(100), {})).toBeUndefined()
  expect(await limit.limitAt(rpc, headerOf(30_000), {})).toBe(OSAKA_LIMIT)
})

test.each([
  [1, OSAKA_LIMIT],
  [8453, OSAKA_LIMIT],
  [137, 32_000_000n],
  [143, 30_000_000n],
  [42161, 32_000_000n],
] as const)('chain %d of the registry has the limit %d', async (chainId, expected) => {
  const limit = new TransactionLimit(osakaLimitOf(loadRegistry().chain(chainId)!))
  const { rpc } = limitOf({ answer: ACTIVE })
  expect(await limit.limitAt(rpc, headerOf(100), {})).toBe(expected)
  expect(await limit.limitAt(rpc, headerOf(101), {})).toBe(expected)
})
