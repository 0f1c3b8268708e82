/** Tests which fields of a status a node proves, with the service and the node in memory. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { MemoryNode, word } from '../test/memory-node.ts'
import * as h from '../test/routes.ts'
import { getStatus, SluiceClient, type StatusOptions, type TransactionStatus } from './index.ts'

const hash = word(0xabn)
const { tx } = h.single.route
const swap = {
  ...{ src: h.WETH, dst: h.USDC, fromAmount: '1000000', minToAmount: '1990000', deadline: h.DEADLINE },
  ...{ spent: null, received: null },
}
const landed: TransactionStatus = {
  ...{ hash, status: 'landed', block: 100, blockHash: word(5), confirmations: 1, from: h.sender, to: h.guard },
  ...{ gasUsed: '100', gasCost: { native: '700', l1Fee: null }, swap, reason: null },
}
/** Node that has the transaction and its receipt. */
function nodeOf(change: { readonly transaction?: object | null; readonly receipt?: object | null } = {}): MemoryNode {
  const node = new MemoryNode()
  const transaction = { hash, from: h.sender, to: h.guard, input: tx.data, value: '0x0' }
  const receipt = {
    ...{ transactionHash: hash, status: '0x1', blockNumber: '0x64', blockHash: word(5), gasUsed: '0x64' },
    ...{ effectiveGasPrice: '0x7', logs: [] },
  }
  node.answers.set('eth_getTransactionByHash', () =>
    change.transaction === null ? null : { ...transaction, ...change.transaction },
  )
  node.answers.set('eth_getTransactionReceipt', () =>
    change.receipt === null ? null : { ...receipt, ...change.receipt },
  )
  return node
}
function ask(reported: unknown, options: StatusOptions = {}, of: string = hash) {
  const urls: string[] = []
  const fetch = async (input: unknown) => {
    urls.push(String(input))
    return Response.json(reported)
  }
  const client = new SluiceClient({ baseUrl: 'https://swap.example', retries: 0, fetch })
  return { urls, status: getStatus(client, h.CHAIN, of, options) }
}
const ofMined = ['status', 'block', 'blockHash', 'confirmations', 'gasUsed', 'gasCost', 'from', 'to', 'swap']

test('without a node, everything is reported and nothing proven', async () => {
  const { urls, status } = ask(landed, { toAmount: 5n }, hash.toUpperCase().replace('X', 'x'))
  expect(await status).toEqual({ ...landed, proven: [], contradicted: [], reported: landed })
  expect(urls).toEqual([`https://swap.example/status/1/${hash}?toAmount=5`])
})

test('an honest service agrees with the node in all fields', async () => {
  expect(await ask(landed, { node: nodeOf().wallet }).status).toEqual({
    ...{ ...landed, proven: ofMined, contradicted: [], reported: landed },
  })
})

test.each([
  ['status', { status: 'reverted', reason: 'x' }, ['status']],
  ['block', { block: 99, blockHash: word(6) }, ['block', 'blockHash']],
  ['gas', { gasUsed: '1', gasCost: { native: '1', l1Fee: '2' } }, ['gasUsed', 'gasCost.native', 'gasCost.l1Fee']],
  ['account', { from: h.untrusted }, ['from']],
  ['contract', { to: h.untrusted }, ['to']],
  ['order', { swap: { ...swap, dst: h.USDT, fromAmount: '1' } }, ['swap.dst', 'swap.fromAmount']],
  ['amount', { swap: { ...swap, received: '1' } }, ['swap.received']],
  ['confirmations, which may differ', { confirmations: 9 }, []],
  ['case of addresses', { from: h.sender.toUpperCase().replace('X', 'x') }, []],
] as const)('another %s is contradicted, and replaced by that of the node', async (_, change, contradicted) => {
  const { reported, ...status } = await ask({ ...landed, ...change }, { node: nodeOf().wallet }).status
  expect(status).toEqual({ ...landed, proven: ofMined, contradicted })
  expect(reported).toEqual({ ...landed, ...change })
})

test('the reason of a revert is the reported one, if the outcome agrees', async () => {
  const reverted = { ...landed, status: 'reverted', reason: 'Expired' } as const
  const node = nodeOf({ receipt: { status: '0x0' } }).wallet
  expect(await ask(reverted, { node }).status).toMatchObject({
    status: 'reverted',
    reason: 'Expired',
    contradicted: [],
  })
  expect(await ask({ ...landed, reason: 'x' }, { node }).status).toMatchObject({
    reason: null,
    contradicted: ['status'],
  })
})

test('a pending transaction proves its accounts and order only', async () => {
  const never = { block: null, blockHash: null, confirmations: null, gasUsed: null, gasCost: null }
  const pending = { ...landed, ...never, status: 'pending' } as const
  const node = nodeOf({ receipt: null }).wallet
  expect(await ask(pending, { node }).status).toMatchObject({
    ...pending,
    proven: ['from', 'to', 'swap'],
    contradicted: [],
  })
  // A service that is ahead of the node does not contradict what only a receipt proves.
  const ahead = { ...landed, swap: { ...swap, received: '7', spent: '8' } }
  expect(await ask(ahead, { node }).status).toMatchObject({ status: 'pending', contradicted: [] })
  const otherOrder = { ...pending, swap: { ...swap, dst: h.USDT, received: '7' } }
  expect((await ask(otherOrder, { node }).status).contradicted).toEqual(['swap.dst'])
  expect((await ask({ ...pending, from: h.untrusted }, { node }).status).contradicted).toEqual(['from'])
  // A service that is behind the node does not contradict what only a receipt proves.
  expect(await ask(pending, { node: nodeOf().wallet }).status).toMatchObject({ status: 'landed', contradicted: [] })
  // A service that knows nothing does not contradict.
  const unknown = { ...pending, status: 'unknown', from: null, to: null, swap: null }
  expect(await ask(unknown, { node: nodeOf().wallet }).status).toMatchObject({ status: 'landed', contradicted: [] })
})

test('the swap of another contract is the reported one only if the outcome agrees', async () => {
  const node = nodeOf({ transaction: { to: h.untrusted } }).wallet
  const reported = { ...landed, to: h.untrusted }
  expect(await ask(reported, { node }).status).toMatchObject({ swap, proven: ofMined.slice(0, -1) })
  expect((await ask({ ...reported, status: 'reverted' }, { node }).status).swap).toBeNull()
  expect((await ask(reported, { node, guard: h.untrusted.toUpperCase().replace('X', 'x') }).status).proven).toContain(
    'swap',
  )
})

describe('is refused', () => {
  test('for what is no hash and no amount, before any request', async () => {
    for (const of of ['', '0x12', `${hash}0`, `0x${hash}`, hash.slice(2)]) {
      const { urls, status } = ask(landed, {}, of)
      await expect(status).rejects.toMatchObject({ code: 'INVALID' })
      expect(urls).toEqual([])
    }
    for (const toAmount of ['', '1.5', '-1', '1'.repeat(79)])
      await expect(ask(landed, { toAmount }).status).rejects.toMatchObject({ code: 'INVALID' })
    await expect(ask({ ...landed, hash: word(1) }).status).rejects.toMatchObject({ code: 'BAD_ANSWER' })
  })

  test.each([
    { status: 'done' },
    { hash: 7 },
    { block: null },
    { block: 1.5 },
    { status: 'pending' },
    { confirmations: '1' },
    { blockHash: 7 },
    { gasUsed: '-1' },
    { gasCost: { native: 1, l1Fee: null } },
    { gasCost: { native: '1', l1Fee: 2 } },
    { gasCost: undefined },
    { from: 7 },
    { reason: undefined },
    { swap: undefined },
    { swap: { ...swap, src: 7 } },
    { swap: { ...swap, minToAmount: '-1' } },
    { swap: { ...swap, deadline: '7' } },
    { swap: { ...swap, spent: 7 } },
    { swap: { ...swap, received: '1.5' } },
  ])('as BAD_ANSWER with %o', async (change) => {
    await expect(ask({ ...landed, ...change }).status).rejects.toMatchObject({ code: 'BAD_ANSWER' })
  })

  test('if the node is on another chain, fails, or takes no JSON-RPC', async () => {
    const other = nodeOf()
    other.chain = 10
    const failing = nodeOf()
    failing.answers.set('eth_getTransactionReceipt', () => {
      throw new Error('down')
    })
    for (const node of [other.wallet, failing.wallet, { chainId: async () => 1 }])
      await expect(ask(landed, { node }).status).rejects.toMatchObject({ code: 'WALLET' })
    const signal = AbortSignal.abort()
    await expect(ask(landed, { node: nodeOf().wallet, signal }).status).rejects.toMatchObject({ code: 'ABORTED' })
  })
})

describe('a node at a URL', () => {
  const NODE_URL = 'https://node.example'
  /** Answers as the node does; the service has its own `fetch`. */
  const at = (answers: Readonly<Record<string, object>>) => {
    const bodies: { method: string }[] = []
    vi.stubGlobal('fetch', async (url: unknown, { body }: RequestInit) => {
      bodies.push({ url: String(url), ...JSON.parse(String(body)) })
      return Response.json(answers[bodies.at(-1)!.method])
    })
    return { bodies, status: ask(landed, { node: NODE_URL }).status }
  }
  const honest = {
    eth_chainId: { result: '0x1' },
    eth_blockNumber: { result: '0x64' },
    eth_getTransactionByHash: { result: { hash, from: h.sender, to: h.guard, input: tx.data, value: '0x0' } },
    eth_getTransactionReceipt: {
      result: {
        ...{ transactionHash: hash, status: '0x1', blockNumber: '0x64', blockHash: word(5), gasUsed: '0x64' },
        ...{ effectiveGasPrice: '0x7', logs: [] },
      },
    },
  }
  afterEach(() => void vi.unstubAllGlobals())

  test('is asked by JSON-RPC, for its chain first', async () => {
    const { bodies, status } = at(honest)
    expect(await status).toEqual({ ...landed, proven: ofMined, contradicted: [], reported: landed })
    const [first, ...others] = bodies
    expect(first).toEqual({ url: `${NODE_URL}/`, jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
    expect(others.map(({ method }) => method)).toEqual([
      ...['eth_getTransactionByHash', 'eth_getTransactionReceipt', 'eth_blockNumber'],
    ])
  })

  test('on another chain, or that answers with an error, is WALLET', async () => {
    const other = at({ ...honest, eth_chainId: { result: '0x2' } })
    await expect(other.status).rejects.toMatchObject({ code: 'WALLET', message: 'the node is on chain 2, not 1' })
    expect(other.bodies).toHaveLength(1)
    const failing = at({ ...honest, eth_blockNumber: { error: { message: 'too many requests' } } })
    await expect(failing.status).rejects.toMatchObject({
      ...{ code: 'WALLET', message: 'eth_blockNumber: too many requests' },
    })
  })

  test('that knows nothing of the transaction proves nothing', async () => {
    const { status } = at({
      ...honest,
      ...{ eth_getTransactionByHash: { result: null, error: null }, eth_getTransactionReceipt: {} },
    })
    expect(await status).toMatchObject({ status: 'unknown', proven: [], reason: null, swap: null })
  })
})

describe('a stream of quotes', () => {
  const stream = async (text: string, init: ResponseInit = {}, parameters: object = h.single.request) => {
    const fetch = async () => new Response(text, init)
    const client = new SluiceClient({ baseUrl: 'https://swap.example', fetch })
    const events: unknown[] = []
    for await (const event of client.streamQuote(1, parameters as never)) events.push(event)
    return events
  }
  const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

  test('yields quotes, blocks and refusals, and skips other events', async () => {
    const { route } = h.single
    const refusal = { error: 'none', code: 'NO_ROUTE' }
    const text = [
      event('quote', route),
      event('block', { simulationBlock: 1 }),
      event('x', 1),
      event('refused', refusal),
    ]
    expect(await stream(text.join(''))).toMatchObject([
      { event: 'quote', data: route },
      { event: 'block', data: { simulationBlock: 1 } },
      { event: 'refused', data: refusal, error: { code: 'NO_ROUTE', message: 'none' } },
    ])
  })

  test('ends with the reason of the service, or of the response', async () => {
    await expect(stream(event('end', { error: 'gone', code: 'RPC_FAILED' }))).rejects.toMatchObject({
      ...{ code: 'HTTP', message: 'gone', details: { serviceCode: 'RPC_FAILED' } },
    })
    const body = JSON.stringify({ error: 'busy', code: 'OVERLOADED' })
    await expect(stream(body, { status: 503 })).rejects.toMatchObject({ code: 'HTTP', message: 'busy' })
    await expect(stream('event: quote\ndata: {\n\n')).rejects.toMatchObject({ code: 'BAD_ANSWER' })
  })

  test('refuses a quote without its transaction, if one was requested', async () => {
    const { tx: _, ...quote } = h.single.route
    await expect(stream(event('quote', quote))).rejects.toMatchObject({ code: 'BAD_ANSWER' })
    const { from, ...unsigned } = h.single.request
    expect(await stream(event('quote', quote), {}, unsigned)).toMatchObject([{ event: 'quote' }])
  })
})
