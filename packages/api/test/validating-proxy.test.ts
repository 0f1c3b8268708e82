/**
 * Tests the service behind a proxy that validates requests and responses by /openapi.json, as gateways do: every request that the
 * service accepts, and every response, must pass.
 */
import type { AddressInfo } from 'node:net'
import express, { type ErrorRequestHandler } from 'express'
import { middleware } from 'express-openapi-validator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { localService } from './src/devnet.ts'
import { type Answer, ask } from './src/service.ts'

const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const service = localService()
let url: string
let close: () => void

beforeAll(async () => {
  const document = JSON.parse((await ask(`${service.server.url}/openapi.json`)).text)
  const proxy = express()
  proxy.use(express.json({ strict: false }))
  proxy.use(
    middleware({
      apiSpec: document,
      validateRequests: { allowUnknownQueryParameters: false },
      validateResponses: true,
      validateApiSpec: true,
    }),
  )
  proxy.use(async (request, response) => {
    const { method, originalUrl } = request
    const body = method === 'POST' ? JSON.stringify(request.body) : undefined
    const headers = { 'content-type': 'application/json' }
    const answer = await ask(service.server.url + originalUrl, { method, ...(body && { body, headers }) })
    response.status(answer.status).json(JSON.parse(answer.text))
  })
  const violations: ErrorRequestHandler = (error, _request, response, _next) => {
    response.status(599).json({ violation: error.message, errors: error.errors })
  }
  proxy.use(violations)
  const server = proxy.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  close = () => server.close()
})
afterAll(() => close?.())

const token = (symbol: string) => service.devnet.info.tokens[symbol]!.address
const account = () => service.devnet.info.accounts[0]!.address
const pair = () => ({ src: token('WETH'), dst: token('USDC'), amount: '1000000000000000000' })
const query = (path: string, parameters: Readonly<Record<string, string>>) =>
  ask(`${url}${path}?${new URLSearchParams(parameters)}`)
const post = (path: string, body: unknown) =>
  ask(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
const expectStatus = (answer: Answer, status: number) => expect(answer.status, answer.text.slice(0, 2_000)).toBe(status)

test('every GET endpoint passes, in all its forms', async () => {
  const from = account()
  const list = [NATIVE, token('WETH'), token('USDC'), account()].join()
  const requests: [string, Record<string, string>][] = [
    ['/chains', {}],
    ['/aggregator/31337', { ...pair(), from }],
    ['/aggregator/31337', { ...pair(), from, calls: '1', slippage: 'auto', maxHops: '2', gasPrice: '1000000000' }],
    ['/aggregator/31337', { ...pair(), src: NATIVE, from, convenienceFee: '0.25', convenienceFeeRecipient: from }],
    ['/aggregator/31337', { src: token('WETH'), dst: NATIVE, amount: '5', from }],
    ['/quote/31337', pair()],
    ['/quote/31337', { ...pair(), excludeSources: 'uniswap-v3,uniswap-v2', intermediates: 'any' }],
    ['/quote/31337', { src: token('USDC'), dst: token('WETH'), amountOut: '1000000000000000' }],
    ['/prices/31337', { token: list }],
    ['/prices/31337', { token: list, detail: '1' }],
    ['/liquidity/31337', { token: list }],
    ['/liquidity/31337', { token: list, curve: '1' }],
    ['/tokens/31337', { token: [token('TAXED'), token('LINK'), account()].join() }],
    ['/tokenlist/31337', { limit: '20' }],
    ['/tokenlist/31337', { q: 'usd' }],
    ['/permit/31337', { ...without(pair(), 'dst'), from }],
    ['/stats/31337', {}],
  ]
  for (const [path, parameters] of requests) expectStatus(await query(path, parameters), 200)
})

test('bodies pass in the types of JSON that are documented', async () => {
  const { src, dst } = pair()
  const swap = JSON.parse((await query('/aggregator/31337', { ...pair(), from: account() })).text)
  const call = { from: swap.tx.from, to: swap.tx.to, data: swap.tx.data, tokenIn: src, tokenOut: dst }
  const bodies: [string, unknown][] = [
    ['/simulate/31337', { ...call, amountIn: pair().amount }],
    ['/simulate/31337', { ...call, amountIn: 1_000_000, gas: null, block: 'latest', gasPrice: 0 }],
    ['/simulate/31337', { ...call, amountIn: '0x10', block: swap.simulationBlock }],
    ['/prices/31337', { token: [src, dst], detail: 1 }],
    ['/prices/31337', { token: [src, dst], detail: true, block: null }],
    ['/prices/31337', { token: [src, dst], detail: '0' }],
    [
      '/quotes/31337',
      {
        quotes: [
          pair(),
          { ...pair(), amount: 1_000_000_000_000_000, slippage: 0.5, maxHops: 2, from: null },
          { ...pair(), includeSources: ['uniswap-v2'], excludePools: [], calls: false },
          { src, dst, amount: null, amountOut: '1000000', calls: 1, from: account() },
        ],
      },
    ],
  ]
  for (const [path, body] of bodies) expectStatus(await post(path, body), 200)
})

test('refusals pass as responses', async () => {
  const from = account()
  const refused: [string, Record<string, string>, number][] = [
    ['/aggregator/31337', { ...pair(), amount: '0', from }, 400],
    ['/aggregator/31337', { ...pair(), dst: pair().src, from }, 400],
    ['/aggregator/31337', { ...pair(), convenienceFee: '11', convenienceFeeRecipient: from, from }, 403],
    ['/aggregator/31337', { ...pair(), from, includeSources: 'nothing' }, 422],
    ['/quote/31337', { ...pair(), src: account() }, 422],
    ['/quote/999999', pair(), 404],
    ['/quote/31337', { ...pair(), minimumBlock: '99999999' }, 503],
  ]
  for (const [path, parameters, status] of refused) expectStatus(await query(path, parameters), status)
})

test('violations are detected', async () => {
  expectStatus(await query('/quote/31337', { ...pair(), amount: '1e18' }), 599)
  expectStatus(await query('/quote/31337', { ...pair(), unknown: '1' }), 599)
  expectStatus(await post('/prices/31337', { token: pair().src }), 599)
})

function without<T extends object, K extends keyof T>(fields: T, name: K): Omit<T, K> {
  const { [name]: _, ...rest } = fields
  return rest
}
