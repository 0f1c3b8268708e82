/** Tests quotes through proxies that imitate the limits and quirks of RPC providers. */
import { type Devnet, type Interceptor, NodeProxy } from '@sluice/devnet'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { RunningServer } from '../src/index.ts'
import { request, startChain, startOver } from './src/devnet.ts'
import { ask } from './src/service.ts'

let devnet: Devnet
const stops: (() => Promise<void>)[] = []
beforeAll(async () => {
  devnet = await startChain()
})
afterAll(() => devnet?.stop())
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function node(answer?: Interceptor): Promise<NodeProxy> {
  const proxy = await NodeProxy.start(devnet.url, answer)
  stops.push(() => proxy.stop())
  return proxy
}
async function serve(...urls: string[]): Promise<RunningServer> {
  const server = await startOver(urls.join(','))
  stops.push(() => server.close())
  return server
}
const token = (symbol: string) => devnet.info.tokens[symbol]!.address
type Body = { readonly toAmount: string; readonly code?: string; readonly swaps: readonly { readonly pool: string }[] }
async function quote(server: RunningServer, overrides: Readonly<Record<string, string>> = {}) {
  const from = devnet.info.accounts[0]!.address
  const pair = { src: token('WETH'), dst: token('USDC') }
  const swap = new URLSearchParams({ ...pair, amount: '1000000000000000000', from, ...overrides })
  const { status, text, headers } = await ask(`${server.url}/aggregator/31337?${swap}`)
  return { status, headers, body: JSON.parse(text) as Body }
}

test('a body limit of 64 kB: requests are made smaller, and quotes come', async () => {
  const proxy = await node()
  let refused = 0
  proxy.injectFault = (calls) => {
    const isLarge = JSON.stringify(calls).length > 64_000
    if (isLarge) refused++
    return isLarge ? { status: 413, body: '<html>413 Request Entity Too Large</html>' } : undefined
  }
  const server = await serve(proxy.url)
  const limited = await quote(server)
  expect(limited.status, JSON.stringify(limited.body)).toBe(200)
  expect(refused).toBeGreaterThan(0)
  const plain = await quote(await serve(devnet.url))
  expect(limited.body.toAmount).toBe(plain.body.toAmount)
})

async function expectLessGas(message: string, code: number): Promise<void> {
  let refused = 0
  const proxy = await node(({ method, params }) => {
    const gas = method === 'eth_call' ? Number((params[0] as { gas?: string }).gas ?? 0) : 0
    if (gas <= 10_000_000) return undefined
    refused++
    return { error: { code, message } }
  })
  const server = await serve(proxy.url)
  const first = await quote(server)
  expect(first.status, JSON.stringify(first.body)).toBe(200)
  expect(refused).toBeGreaterThan(0)
}
const asksForLess = 'a node that refuses calls above 10 million gas with "%s": calls ask for less'
test.each([['eth_call gas limit exceeded', -32005]] as const)(asksForLess, expectLessGas)
test.each([
  ['intrinsic gas too high', -32000],
  ['provided gas limit is too high (can be up to 10x the block gas limit)', -32000],
] as const)(asksForLess, { tags: 'long' }, expectLessGas)

test('without eth_gasPrice, the gas price is base fee plus tip', async () => {
  const missing = ({ method }: { method: string }) =>
    method === 'eth_gasPrice'
      ? { error: { code: -32601, message: 'the method eth_gasPrice does not exist/is not available' } }
      : undefined
  const { status, body } = await quote(await serve((await node(missing)).url))
  expect(status, JSON.stringify(body)).toBe(200)
})

test('hashes in upper case, in blocks but not in logs', async () => {
  const proxy = await node()
  const upper = (value: unknown): unknown => {
    if (typeof value === 'string') return /^0x[0-9a-f]{64}$/.test(value) ? `0x${value.slice(2).toUpperCase()}` : value
    if (Array.isArray(value)) return value.map(upper)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, upper(inner)]))
  }
  // Do not change results of calls, which are bytes returned by contracts.
  proxy.rewriteAnswers = (answers) =>
    answers.map((answer) => {
      const { result } = answer as { result?: unknown }
      return typeof result === 'object' && !Array.isArray(result) ? { ...answer, result: upper(result) } : answer
    })
  const server = await serve(proxy.url)
  for (let block = 0; block < 3; block++) {
    const { status, body } = await quote(server, { includeSources: 'uniswap-v2' })
    expect(status, JSON.stringify(body)).toBe(200)
    // `sync()` of a Uniswap V2 pair logs its reserves.
    await request(devnet.url, 'eth_sendTransaction', {
      from: devnet.info.accounts[0]!.address,
      to: body.swaps[0]!.pool,
      data: '0xfff6cae9',
    })
    await request(devnet.url, 'evm_mine')
  }
})

test('NODE_PAUSED: a Retry-After beyond the request timeout fails at once, or another endpoint is used', async () => {
  const proxy = await node()
  const alone = await serve(proxy.url)
  expect((await quote(alone)).status).toBe(200)
  proxy.injectFault = () => ({ status: 429, body: '{"error":"slow down"}', headers: { 'retry-after': '60' } })
  await expect.poll(async () => (await quote(alone)).body.code, { timeout: 30_000 }).toBe('NODE_PAUSED')
  const paused = await quote(alone)
  expect(paused.status).toBe(503)
  expect(Number(paused.headers.get('retry-after'))).toBeGreaterThan(10)
  expect((await quote(await serve(proxy.url, devnet.url))).status).toBe(200)
})
