import { type Hex, ZERO_ADDRESS } from '@sluice/chains'
import { type BlockHeader, type RequestOptions, type Rpc, RpcError } from '@sluice/rpc'
import { afterEach, expect, test, vi } from 'vitest'
import { FeeReader } from './fees.ts'

afterEach(() => void vi.useRealTimers())

const headerOf = (digit: string, baseFeePerGas: bigint | null = 3n): BlockHeader => ({
  number: 100,
  hash: `0x${digit.repeat(64)}`,
  parentHash: `0x${'f'.repeat(64)}`,
  timestamp: 1_000,
  gasLimit: 30_000_000n,
  baseFeePerGas,
  miner: ZERO_ADDRESS,
})

type Node = { price: bigint | Error; history: unknown }
type Sent = { readonly method: string; readonly params: unknown; readonly options: RequestOptions | undefined }

function nodeOf(node: Node) {
  const sent: Sent[] = []
  const rpc = {
    gasPrice: async (options?: RequestOptions) => {
      sent.push({ method: 'gasPrice', params: undefined, options })
      if (node.price instanceof Error) throw node.price
      return node.price
    },
    request: async (method: string, params: unknown, options?: RequestOptions) => {
      sent.push({ method, params, options })
      if (node.history instanceof Error) throw node.history
      return node.history
    },
  } as unknown as Rpc
  return { rpc, sent, methods: () => sent.map(({ method }) => method) }
}

const historyOf = (...fees: readonly Hex[]) => ({ baseFeePerGas: fees })

test.each([
  ['the price of the network', 9n, historyOf('0x3', '0x7'), 3n, 9n],
  ['the next base fee above that', 5n, historyOf('0x3', '0x7'), 3n, 7n],
  ['the base fee of the block where the next is not known', 2n, null, 3n, 3n],
  ['the price where the next base fee is not in the answer', 4n, historyOf('0x9'), 3n, 4n],
  ['the price where the answer has no fees', 4n, {}, 3n, 4n],
  ['the price before EIP-1559', 1n, historyOf('0x3', '0x7'), null, 1n],
])('gas costs %s', async (_, price, history, baseFee, expected) => {
  const { rpc } = nodeOf({ price, history })
  expect(await new FeeReader().gasPrice(rpc, headerOf('1', baseFee))).toBe(expected)
})

test('the next base fee is the second of the history at the block, asked for without the signal of the caller', async () => {
  const { rpc, sent } = nodeOf({ price: 1n, history: historyOf('0x3', '0x1f') })
  const options = { signal: new AbortController().signal, timeoutMs: 77, priority: 'quote' } as const
  expect(await new FeeReader().nextBaseFee(rpc, headerOf('1'), options)).toBe(31n)
  expect(sent).toEqual([
    { method: 'eth_feeHistory', params: ['0x1', '0x64', []], options: { timeoutMs: 77, priority: 'quote' } },
  ])
  await new FeeReader().gasPrice(rpc, headerOf('1'), options)
  expect(sent[1]).toEqual({ method: 'gasPrice', params: undefined, options: { timeoutMs: 77, priority: 'quote' } })
})

test('without a base fee no node is asked for the next one', async () => {
  const { rpc, sent } = nodeOf({ price: 1n, history: historyOf('0x3', '0x7') })
  expect(await new FeeReader().nextBaseFee(rpc, headerOf('1', null))).toBeUndefined()
  expect(sent).toEqual([])
})

test('each block is asked for once, together or one after the other', async () => {
  const { rpc, methods } = nodeOf({ price: 9n, history: historyOf('0x3', '0x7') })
  const fees = new FeeReader()
  const first = headerOf('1')
  expect(await Promise.all([fees.gasPrice(rpc, first), fees.gasPrice(rpc, first)])).toEqual([9n, 9n])
  expect(await fees.nextBaseFee(rpc, first)).toBe(7n)
  expect(methods()).toEqual(['gasPrice', 'eth_feeHistory'])
  await fees.gasPrice(rpc, headerOf('2'))
  expect(methods()).toHaveLength(4)
  await fees.gasPrice(rpc, first)
  expect(methods()).toHaveLength(4)
})

test('a price that no node reports is an error, and is asked for again', async () => {
  const node: Node = { price: new RpcError('UNREACHABLE', 'no connection'), history: historyOf('0x3', '0x7') }
  const { rpc } = nodeOf(node)
  const fees = new FeeReader()
  await expect(fees.gasPrice(rpc, headerOf('1'))).rejects.toMatchObject({ code: 'UNREACHABLE' })
  node.price = 8n
  expect(await fees.gasPrice(rpc, headerOf('1'))).toBe(8n)
})

test('a next base fee that no node reports is absent, and is not asked for again at that block', async () => {
  const node: Node = { price: 1n, history: new RpcError('UNSUPPORTED', 'no such method') }
  const { rpc, methods } = nodeOf(node)
  const fees = new FeeReader()
  expect(await fees.nextBaseFee(rpc, headerOf('1'))).toBeUndefined()
  node.history = historyOf('0x3', '0x7')
  expect(await fees.nextBaseFee(rpc, headerOf('1'))).toBeUndefined()
  expect(methods()).toEqual(['eth_feeHistory'])
})

const past = (baseFeePerGas: readonly Hex[], ...tips: readonly Hex[]) => ({ baseFeePerGas, reward: [tips] })

test.each([
  ['the base fee of the block after it and the median tip', past(['0x3', '0x7'], '0x2'), 3n, 9n],
  ['the base fee alone if the block has no tips', { baseFeePerGas: ['0x3', '0x7'], reward: null }, 3n, 7n],
  ['its own base fee if no node tells the next one', new RpcError('PRUNED', 'gone'), 3n, 3n],
  ['what it costs today on a chain without base fees', past(['0x3', '0x7'], '0x2'), null, 50n],
])('gas of a past block costs %s', async (_, history, baseFee, expected) => {
  const { rpc, sent } = nodeOf({ price: 50n, history })
  expect(await new FeeReader().pastGasPrice(rpc, headerOf('1', baseFee))).toBe(expected)
  if (baseFee !== null) expect(sent).toMatchObject([{ params: ['0x1', '0x64', [50]] }])
})

test('a caller who gave up is not told a price', async () => {
  const controller = new AbortController()
  controller.abort(new Error('gone'))
  const { rpc } = nodeOf({ price: 1n, history: new RpcError('ABORTED', 'aborted') })
  const gasPrice = new FeeReader().pastGasPrice(rpc, headerOf('1'), { signal: controller.signal })
  await expect(gasPrice).rejects.toMatchObject({ code: 'ABORTED' })
})

test('the price of a pending block without a hash is read each time', async () => {
  const node = { price: 9n, history: historyOf('0x3', '0x4') }
  const { rpc } = nodeOf(node)
  const fees = new FeeReader()
  expect(await fees.gasPrice(rpc, headerOf('0'))).toBe(9n)
  node.price = 5n
  expect(await fees.gasPrice(rpc, headerOf('0'))).toBe(5n)
})

test.each([null, '0x', 'none', {}])(
  'a past price without a number of the node, but %o, is that of the block',
  async (fee) => {
    const { rpc } = nodeOf({ price: 9n, history: { baseFeePerGas: ['0x3', fee], reward: [[fee]] } })
    expect(await new FeeReader().pastGasPrice(rpc, headerOf('1'))).toBe(3n)
  },
)

test('a history that takes long delays only the first block, until the node is fast again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const answers: ((history: unknown) => void)[] = []
  const rpc = { request: () => new Promise((resolve) => answers.push(resolve)) } as unknown as Rpc
  const fees = new FeeReader()
  const first = fees.nextBaseFee(rpc, headerOf('1'))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await first).toBeUndefined()
  expect(await fees.nextBaseFee(rpc, headerOf('2'))).toBeUndefined()
  // A late answer does not count as fast; an answer in time does.
  answers[0]!(historyOf('0x3', '0x7'))
  await vi.advanceTimersByTimeAsync(0)
  expect(await fees.nextBaseFee(rpc, headerOf('3'))).toBeUndefined()
  answers[2]!(historyOf('0x3', '0x7'))
  await vi.advanceTimersByTimeAsync(0)
  const fast = fees.nextBaseFee(rpc, headerOf('4'))
  answers[3]!(historyOf('0x3', '0x8'))
  expect(await fast).toBe(8n)
})
