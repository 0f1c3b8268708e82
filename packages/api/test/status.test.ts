/** Tests outcomes of transactions against balances before and after their blocks. */
import { NATIVE, toAddress } from '@sluice/chains'
import { createBuilder, NodeProxy } from '@sluice/devnet'
import { beforeAll, describe, expect, test } from 'vitest'
import { localService, request, startOver } from './src/devnet.ts'
import { ask } from './src/service.ts'

const local = localService()
const WHOLE = 10n ** 18n
const UNKNOWN = `0x${'ab'.repeat(32)}`
let from: string
beforeAll(() => {
  from = local.devnet.info.accounts[0]!.address
})

type Route = {
  readonly toAmount: string
  readonly minToAmount: string
  readonly tx: { readonly to: string; readonly data: string; readonly value: string }
}
type Receipt = {
  readonly transactionHash: string
  readonly blockNumber: string
  readonly gasUsed: string
  readonly effectiveGasPrice: string
}

const rpc = <T>(method: string, ...params: unknown[]) => request<T>(local.devnet.url, method, ...params)
const token = (symbol: string) => local.devnet.info.tokens[symbol]!.address
const get = async (path: string, url = local.server.url) => {
  const { status, text } = await ask(`${url}${path}`)
  return { status, body: JSON.parse(text) }
}
const statusOf = async (hash: string, query = '') => (await get(`/status/31337/${hash}${query}`)).body

async function quote(query: Readonly<Record<string, string>>): Promise<Route> {
  const { status, body } = await get(`/aggregator/31337?${new URLSearchParams({ from, ...query })}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

const sentBy = ({ tx }: Route) => {
  const value = `0x${BigInt(tx.value).toString(16)}`
  return { from, to: tx.to, data: tx.data, value, gas: '0x1e8480' }
}

/** Sends a transaction and waits until it is mined. */
async function mined(transaction: object): Promise<string> {
  return (await rpc<Receipt>('eth_sendTransactionSync', transaction)).transactionHash
}

async function balance(token: string, block: number | 'latest'): Promise<bigint> {
  const at = block === 'latest' ? block : `0x${block.toString(16)}`
  if (token === NATIVE) return BigInt(await rpc<string>('eth_getBalance', from, at))
  const data = `0x70a08231${from.slice(2).padStart(64, '0')}`
  return BigInt(await rpc<string>('eth_call', { to: token, data }, at))
}

async function approve(token: string): Promise<void> {
  const builder = createBuilder(local.devnet.url, toAddress(from))
  await builder
    .contractAt(['function approve(address,uint256)'], token)
    .send('approve', [local.devnet.info.guard, 2n ** 200n])
}

describe('a mined swap', () => {
  test.each([
    ['UNI', 'USDC', {}],
    ['UNI', 'native', {}],
    ['native', 'USDC', {}],
    ['UNI', 'USDC', { convenienceFee: '1', convenienceFeeRecipient: `0x${'fe'.repeat(20)}` }],
    ['UNI', 'native', { convenienceFee: '1', convenienceFeeRecipient: `0x${'fe'.repeat(20)}` }],
  ] as const)('from %s to %s (%o): amounts from logs equal balance changes', async (source, target, more) => {
    const [src, dst] = [source, target].map((name) => (name === 'native' ? NATIVE : token(name))) as string[] as [
      string,
      string,
    ]
    if (src !== NATIVE) await approve(src)
    const route = await quote({ src, dst, amount: `${WHOLE}`, ...more })
    const hash = await mined(sentBy(route))
    const receipt = await rpc<Receipt>('eth_getTransactionReceipt', hash)
    const block = Number(receipt.blockNumber)
    const gas = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
    const grown = async (token: string) =>
      (await balance(token, block)) - (await balance(token, block - 1)) + (token === NATIVE ? gas : 0n)
    const [received, spent] = [await grown(dst), -(await grown(src))]
    expect(received).toBeGreaterThan(0n)
    const status = await statusOf(hash, `?toAmount=${route.toAmount}`)
    expect(status).toMatchObject({ hash, status: 'landed', block, from, to: local.devnet.info.guard, reason: null })
    expect(status.gasUsed).toBe(BigInt(receipt.gasUsed).toString())
    expect(status.gasCost.native).toBe(gas.toString())
    expect(status.confirmations).toBe(Number(await rpc<string>('eth_blockNumber')) - block + 1)
    expect({ ...status.swap, src: status.swap.src.toLowerCase(), dst: status.swap.dst.toLowerCase() }).toMatchObject({
      ...{ src: src.toLowerCase(), dst: dst.toLowerCase(), fromAmount: `${WHOLE}`, minToAmount: route.minToAmount },
      ...{ received: received.toString(), quoted: route.toAmount, spent: spent.toString() },
    })
    expect(status.swap.difference).toBeCloseTo(
      Number((received * 1_000_000n) / BigInt(route.toAmount)) / 10_000 - 100,
      3,
    )
  })
})

test('a reverted swap has its reason', async () => {
  await approve(token('UNI'))
  const late = await quote({ src: token('UNI'), dst: token('USDC'), amount: `${WHOLE}`, deadline: '1999999999' })
  // Replace the deadline in the calldata with one that has passed.
  const data = late.tx.data.replace((1_999_999_999).toString(16).padStart(64, '0'), '1'.padStart(64, '0'))
  const hash = await mined({ ...sentBy(late), data })
  const status = await statusOf(hash, `?toAmount=${late.toAmount}`)
  expect(status).toMatchObject({ status: 'reverted', reason: expect.stringContaining('Expired') })
  expect(status.swap).toMatchObject({ deadline: 1, received: null, spent: null, difference: null })
})

test('a transaction is pending, then mined, and pending or unknown again after a reorg', async () => {
  await approve(token('UNI'))
  const route = await quote({ src: token('UNI'), dst: token('USDC'), amount: `${WHOLE}` })
  await rpc('evm_setAutomine', false)
  try {
    const hash = await rpc<string>('eth_sendTransaction', sentBy(route))
    expect(await statusOf(hash)).toMatchObject({
      status: 'pending',
      block: null,
      gasUsed: null,
      swap: { received: null },
    })
    await rpc('evm_mine')
    expect(await statusOf(hash)).toMatchObject({ status: 'landed', confirmations: 1 })
    await rpc('anvil_reorg', 1, [])
    expect((await statusOf(hash)).status).toMatch(/^(pending|unknown)$/)
  } finally {
    await rpc('evm_setAutomine', true)
  }
})

test('other transactions have a status without a swap', async () => {
  const hash = await mined({ from, to: `0x${'12'.repeat(20)}`, value: '0x1' })
  expect(await statusOf(hash)).toMatchObject({ status: 'landed', swap: null, reason: null })
  const created = await mined({ from, data: '0x00' })
  expect(await statusOf(created)).toMatchObject({ status: 'landed', to: null, swap: null })
  expect(await statusOf(UNKNOWN)).toEqual({
    ...{ hash: UNKNOWN, status: 'unknown', block: null, blockHash: null, confirmations: null, from: null, to: null },
    ...{ gasUsed: null, gasCost: null, swap: null, reason: null },
  })
})

test('invalid parameters are named', async () => {
  for (const hash of ['0x12', UNKNOWN.slice(2), `${UNKNOWN}00`, '%00', UNKNOWN.replace('ab', 'zz')])
    expect(await get(`/status/31337/${hash}`)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_PARAMETER', error: expect.stringContaining('hash') },
    })
  expect(await get(`/status/31337/${UNKNOWN}?toAmount=1.5`)).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining('toAmount') },
  })
  expect((await get(`/status/424242/${UNKNOWN}`)).status).toBe(404)
})

test('a node that answers about something else is the node’s failure', async () => {
  const honest = await mined({ from, to: `0x${'12'.repeat(20)}`, value: '0x1' })
  const transaction = await rpc<object>('eth_getTransactionByHash', honest)
  const receipt = await rpc<object>('eth_getTransactionReceipt', honest)
  const answers: readonly object[] = [
    transaction,
    { ...transaction, hash: UNKNOWN, from: 'nobody' },
    { ...transaction, hash: UNKNOWN, value: '-1' },
    [],
  ]
  let answer: unknown
  const proxy = await NodeProxy.start(local.devnet.url, ({ method }) =>
    method === 'eth_getTransactionByHash' && answer !== undefined ? { result: answer } : undefined,
  )
  const server = await startOver(proxy.url)
  try {
    for (answer of answers)
      expect(await get(`/status/31337/${UNKNOWN}`, server.url)).toMatchObject({
        status: 502,
        body: { code: 'RPC_FAILED' },
      })
    answer = undefined
    expect((await get(`/status/31337/${honest}`, server.url)).body).toMatchObject({ status: 'landed' })
    expect(receipt).toBeDefined()
  } finally {
    await server.close()
    await proxy.stop()
  }
})
