/** Tests that error messages name the mistake, with a fitting status and cure. */
import { NATIVE } from '@sluice/chains'
import { type Interceptor, NodeProxy } from '@sluice/devnet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningServer } from '../src/index.ts'
import { localService, startOver } from './src/devnet.ts'
import { ask } from './src/service.ts'

const local = localService()
let proxy: NodeProxy
let behind: RunningServer

beforeAll(async () => {
  proxy = await NodeProxy.start(local.devnet.url)
  behind = await startOver(proxy.url)
})
afterAll(async () => {
  await behind?.close()
  await proxy?.stop()
})

const token = (symbol: string) => (symbol === 'NATIVE' ? NATIVE : local.devnet.info.tokens[symbol]!.address)
async function get(path: string, server = local.server) {
  const { status, text } = await ask(server.url + path)
  return { status, body: JSON.parse(text) }
}
const swap = (query: Record<string, string>) =>
  `/aggregator/31337?${new URLSearchParams({ from: local.devnet.info.accounts[0]!.address, ...query })}`

describe('amounts', () => {
  test.each([
    ['WETH', 'USDC'],
    ['NATIVE', 'WBTC'],
    ['PEPE', 'GUSD'],
    ['DAI', 'USDT'],
    ['WETH', 'GUSD'],
  ])('one unit of %s buys no unit of %s: too small, with an amount that routes', async (sold, bought) => {
    const pair = { src: token(sold), dst: token(bought), maxPriceImpact: '100' }
    const { status, body } = await get(swap({ ...pair, amount: '1' }))
    expect({ status, code: body.code }, body.error).toEqual({ status: 422, code: 'AMOUNT_TOO_SMALL' })
    expect(body.cure).toContain('minRoutableAmount')
    const more = await get(swap({ ...pair, amount: body.minRoutableAmount }))
    expect(more.status, more.body.error).toBe(200)
    // The minimum is not a hundred times too large.
    const less = await get(swap({ ...pair, amount: `${BigInt(body.minRoutableAmount) / 100n || 1n}` }))
    expect(less.body.code).toBe('AMOUNT_TOO_SMALL')
  })

  test.each([`${2n ** 256n - 1n}`, `${2n ** 128n}`])('an amount of %s wei is refused', async (amount) => {
    const { status, body } = await get(swap({ src: NATIVE, dst: token('WETH'), amount }))
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'INVALID_PARAMETER' })
    const bought = await get(swap({ src: token('WETH'), dst: NATIVE, amountOut: amount }))
    expect({ status: bought.status, error: bought.body.error }).toEqual({
      status: 400,
      error: expect.stringContaining('amountOut must be below 2^128'),
    })
    // The limit applies to the native token only.
    const { status: other } = await get(swap({ src: token('WETH'), dst: token('USDC'), amount }))
    expect(other).toBe(422)
  })

  test('more than is wrapped cannot be unwrapped, and the error states how much can', async () => {
    const unwrap = { src: token('WETH'), dst: NATIVE }
    for (const amount of [`${10n ** 30n}`, `${2n ** 256n - 1n}`]) {
      const { status, body } = await get(swap({ ...unwrap, amount }))
      expect({ status, code: body.code }, body.error).toEqual({ status: 422, code: 'INSUFFICIENT_LIQUIDITY' })
      const max = BigInt(body.maxRoutableAmount)
      expect((await get(swap({ ...unwrap, amount: `${max}` }))).body.toAmount).toBe(`${max}`)
      expect((await get(swap({ ...unwrap, amount: `${max + 1n}` }))).body.code).toBe('INSUFFICIENT_LIQUIDITY')
    }
    const bought = await get(swap({ ...unwrap, amountOut: `${10n ** 30n}` }))
    expect(bought.body.code, bought.body.error).toBe('INSUFFICIENT_LIQUIDITY')
    expect((await get(swap({ ...unwrap, amountOut: bought.body.maxRoutableAmount }))).status).toBe(200)
    const wrapped = await get(swap({ src: NATIVE, dst: token('WETH'), amountOut: `${2n ** 200n}` }))
    expect(wrapped.body.code, wrapped.body.error).toBe('INSUFFICIENT_LIQUIDITY')
  })

  test('without a path between the tokens, the error is NO_ROUTE', async () => {
    const { body } = await get(
      swap({ src: token('WETH'), dst: token('USDC'), amount: '1000000', includeSources: 'none' }),
    )
    expect(body.code).toBe('NO_ROUTE')
  })
})

/** Returns an interceptor that imitates a node with state of only the newest blocks. */
const prunes =
  (head: number): Interceptor =>
  ({ method, params }) => {
    const block = params[1]
    const isOld = typeof block === 'string' && block.startsWith('0x') && Number(block) < head - 5
    return isOld && (method === 'eth_call' || method === 'eth_getCode' || method === 'eth_simulateV1')
      ? { error: { code: -32000, message: 'missing trie node 1234 (path ) state is not available' } }
      : undefined
  }

test('missing state is 422 NO_STATE for every endpoint', async () => {
  const head = Number(((await (await fetch(local.devnet.url, blockNumber)).json()) as { result: string }).result)
  proxy.intercept = prunes(head)
  try {
    const fields = new URLSearchParams({
      ...{
        from: `0x${'fc'.repeat(20)}`,
        to: local.devnet.info.guard,
        data: '0x',
        tokenIn: token('WETH'),
        amountIn: '1',
      },
      ...{ tokenOut: token('USDC'), block: '10' },
    })
    for (const path of [`/simulate/31337?${fields}`, `/prices/31337?token=${token('WETH')}&block=10`]) {
      const { status, body } = await get(path, behind)
      expect({ path, status, code: body.code }, body.error).toEqual({ path, status: 422, code: 'NO_STATE' })
    }
  } finally {
    proxy.intercept = () => undefined
  }
})
const blockNumber = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }),
}

test.each([
  [
    'a node of another chain',
    ({ method }) => (method === 'eth_chainId' ? { result: '0x7a69a' } : undefined),
    /named a node of this chain/,
  ],
  [
    'a node that cannot override state',
    ({ method, params }) =>
      method === 'eth_call' && params.length > 2
        ? { error: { code: -32602, message: 'too many arguments' } }
        : undefined,
    /overrides state/,
  ],
] as readonly (readonly [string, Interceptor, RegExp])[])('%s: the cure is not to retry', async (_, answer, cure) => {
  const wrong = await NodeProxy.start(local.devnet.url, answer)
  const server = await startOver(wrong.url, { REQUEST_TIMEOUT_MS: '30000' })
  try {
    const { status, body } = await get(
      swap({ src: token('WETH'), dst: token('USDC'), amount: `${10n ** 18n}` }),
      server,
    )
    expect(status, JSON.stringify(body)).toBe(502)
    expect(body.cure).toMatch(cure)
    expect(body.cure).toMatch(/Retrying does not help/)
  } finally {
    await server.close()
    await wrong.stop()
  }
})
