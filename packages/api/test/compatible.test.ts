/** Tests the compatible endpoints on the local chain with requests from the documentation and clients of other services. */
import type { Devnet } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningServer } from '../src/index.ts'
import { foreignRequests } from './fixtures/compatible-requests.ts'
import { request, startChain, startOver } from './src/devnet.ts'
import { ask, warmUp } from './src/service.ts'

let devnet: Devnet
let server: RunningServer
beforeAll(async () => {
  devnet = await startChain()
  server = await startOver(devnet.url, { COMPATIBLE: '1' })
  for (const symbol of ['USDC', 'DAI'])
    await warmUp(server.url, `/quote/31337?src=${NATIVE}&dst=${token(symbol)}&amount=${10n ** 18n}`)
})
afterAll(async () => {
  await server?.close()
  await devnet?.stop()
})

const NATIVE = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
const token = (symbol: string) => devnet.info.tokens[symbol]!.address
async function get(path: string, query: Readonly<Record<string, string>> = {}) {
  const { status, text } = await ask(`${server.url}${path}?${new URLSearchParams(query)}`, {
    // Headers that clients of 0x and 1inch send.
    headers: { '0x-api-key': 'none', '0x-version': 'v2', authorization: 'Bearer none' },
  })
  return { status, body: JSON.parse(text) }
}
const send = (from: string, { to, data, value }: { to: string; data: string; value: string }) =>
  request<{ status: string }>(devnet.url, 'eth_sendTransactionSync', {
    ...{ from, to, data, gas: '0x1c9c380' },
    value: `0x${BigInt(value).toString(16)}`,
  })

test('0x: price and quote agree with the endpoints, and the transaction works', async () => {
  const taker = devnet.info.accounts[5]!.address
  const base = { chainId: '31337', sellToken: NATIVE, buyToken: token('USDC'), sellAmount: `${10n ** 18n}` }
  const price = await get('/compatible/0x/swap/allowance-holder/price', base)
  const query = { src: NATIVE, dst: token('USDC'), amount: `${10n ** 18n}`, slippage: '1' }
  const nativeAnswer = await get('/quote/31337', query)
  expect(price).toMatchObject({
    status: 200,
    body: {
      liquidityAvailable: true,
      buyAmount: nativeAnswer.body.toAmount,
      minBuyAmount: nativeAnswer.body.minToAmount,
      sellAmount: base.sellAmount,
      blockNumber: `${nativeAnswer.body.simulationBlock}`,
      issues: { allowance: null, balance: null },
    },
  })
  expect(price.body.transaction).toBeUndefined()
  const quote = await get('/compatible/0x/swap/allowance-holder/quote', { ...base, taker, slippageBps: '50' })
  expect(quote.body.transaction.to).toBe(quote.body.allowanceTarget)
  expect(BigInt(quote.body.transaction.gas)).toBeGreaterThan(BigInt(quote.body.gas))
  expect((await send(taker, quote.body.transaction)).status).toBe('0x1')
})

test('0x: a low allowance is an issue, a missing route is not an error, and an error names its parameter', async () => {
  const taker = devnet.info.accounts[5]!.address
  const path = '/compatible/0x/swap/allowance-holder/quote'
  const base = {
    chainId: '31337',
    sellToken: token('WETH'),
    buyToken: token('USDC'),
    sellAmount: `${10n ** 15n}`,
    taker,
  }
  const short = await get(path, base)
  expect(short.body.issues.allowance).toEqual({ actual: '0', spender: short.body.allowanceTarget })
  const none = await get(path, { ...base, buyToken: `0x${'77'.repeat(20)}` })
  expect(none).toEqual({ status: 200, body: { liquidityAvailable: false, zid: expect.any(String) } })
  const { taker: _, ...nobody } = base
  expect(await get(path, nobody)).toMatchObject({ status: 400, body: { message: 'taker must be provided' } })
  expect(await get(path, { ...base, chainId: '5' })).toMatchObject({ status: 404, body: { name: 'UNSUPPORTED_CHAIN' } })
  const fee = { swapFeeBps: '100', swapFeeRecipient: devnet.info.accounts[6]!.address.toLowerCase() }
  const charged = await get(path, { ...base, ...fee, swapFeeToken: token('USDC') })
  expect(BigInt(charged.body.buyAmount)).toBeLessThan(BigInt(short.body.buyAmount))
  expect((await get(path, { ...base, ...fee, swapFeeToken: token('WETH') })).body.message).toContain('swapFeeToken')
})

test('1inch: quote, spender and swap', async () => {
  const from = devnet.info.accounts[6]!.address
  const query = { src: NATIVE, dst: token('DAI'), amount: `${10n ** 18n}` }
  const base = '/compatible/1inch/swap/v6.0/31337'
  const nativeAnswer = await get('/quote/31337', query)
  expect(await get(`${base}/quote`, query)).toEqual({ status: 200, body: { dstAmount: nativeAnswer.body.toAmount } })
  const spender = (await get(`${base}/approve/spender`)).body.address
  const swap = await get(`${base}/swap`, { ...query, from, origin: from, slippage: '1' })
  expect(swap.body).toMatchObject({
    dstAmount: nativeAnswer.body.toAmount,
    tx: { from, to: spender, value: query.amount },
  })
  expect((await send(from, swap.body.tx)).status).toBe('0x1')
  const { error, description, statusCode } = (await get(`${base}/swap`, query)).body
  expect({ error, description, statusCode }).toEqual({
    error: 'Bad Request',
    description: 'from must be provided',
    statusCode: 400,
  })
})

test('1inch: allowances are those of the token, and the approval covers exactly the swap', async () => {
  const from = devnet.info.accounts[0]!.address
  const base = '/compatible/1inch/swap/v6.1/31337'
  const [src, dst, amount] = [token('UNI'), token('USDC'), `${10n ** 18n}`]
  const allowance = async () =>
    (await get(`${base}/approve/allowance`, { tokenAddress: src, walletAddress: from })).body.allowance
  const { status, body: approval } = await get(`${base}/approve/transaction`, { tokenAddress: src, amount })
  expect({ status, to: approval.to, value: approval.value }).toEqual({ status: 200, to: src, value: '0' })
  expect(BigInt(approval.gasPrice)).toBeGreaterThan(0n)
  expect((await send(from, approval)).status).toBe('0x1')
  expect(await allowance()).toBe(amount)
  const { tx } = (await get(`${base}/swap`, { src, dst, amount, from, slippage: '1' })).body
  expect((await send(from, tx)).status).toBe('0x1')
  expect(await allowance()).toBe('0')
  const ofNative = await get(`${base}/approve/allowance`, { tokenAddress: NATIVE, walletAddress: from })
  expect(ofNative.body.allowance).toBe((2n ** 256n - 1n).toString())
})

test('errors have the format of the imitated service', async () => {
  const base = '/compatible/1inch/swap/v6.0'
  const wrong = [
    [`${base}/31337/approve/transaction`, { tokenAddress: token('UNI') }, 400, 'amount must be provided'],
    [`${base}/31337/approve/allowance`, { tokenAddress: token('UNI') }, 400, 'walletAddress must be provided'],
    [
      `${base}/31337/approve/allowance`,
      { tokenAddress: devnet.info.accounts[0]!.address, walletAddress: token('UNI') },
      ...[400, 'tokenAddress is not an ERC-20 on this chain'],
    ],
    [`${base}/5/approve/spender`, {}, 404, expect.stringContaining('chain 5')],
    [`${base}/31337/liquidity-sources`, {}, 404, expect.stringContaining('docs/compatible.md')],
  ] as [string, Record<string, string>, number, unknown][]
  for (const [path, query, status, description] of wrong) {
    const answer = await get(path, query)
    expect(answer, path).toMatchObject({ status, body: { statusCode: status, description, meta: [] } })
    expect(Object.keys(answer.body).sort()).toEqual(['description', 'error', 'meta', 'requestId', 'statusCode'])
  }
  const unknown = await get('/compatible/0x/swap/permit2/quote')
  expect(unknown).toMatchObject({ status: 404, body: { name: 'NOT_FOUND', data: { zid: expect.any(String) } } })
})

test('requests from the reference of each service get its documented fields', async () => {
  const [account, other] = devnet.info.accounts.slice(5, 7).map(({ address }) => address.toLowerCase()) as [
    string,
    string,
  ]
  const all = foreignRequests({ weth: token('WETH'), usdc: token('USDC'), account, other })
  for (const { name, path, query, status, fields } of all) {
    const answer = await get(path, query)
    expect(answer.status, `${name}: ${JSON.stringify(answer.body)}`).toBe(status)
    for (const [field, type] of Object.entries(fields)) {
      // biome-ignore lint/suspicious/noExplicitAny: a body of any shape
      const value = field.split('.').reduce((of: any, key) => of?.[key], answer.body)
      expect(value === null ? 'null' : typeof value, `${name}: ${field}`).toBe(type)
    }
    // The transaction must call the router that the answer names.
    const tx = answer.body.tx ?? answer.body.transaction
    if (tx) expect(tx.to).toBe(devnet.info.guard)
  }
})

test('these paths exist only if they are enabled', async () => {
  const plain = await startOver(devnet.url)
  try {
    for (const path of ['/compatible/0x/swap/allowance-holder/price', '/compatible/1inch/swap/v6.0/31337/quote'])
      expect((await ask(plain.url + path)).status).toBe(404)
  } finally {
    await plain.close()
  }
  expect((await ask(`${server.url}/compatible/other`)).status).toBe(404)
})
