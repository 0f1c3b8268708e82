/** Tests parameters, methods, bodies and headers over HTTP, without a node. */
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningServer } from '../src/index.ts'
import { type Answer, ask, GUARD, startWithoutChain } from './src/service.ts'

const A = `0x${'aa'.repeat(20)}`
const B = `0x${'bb'.repeat(20)}`
const C = `0x${'cc'.repeat(20)}`
const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const good = { src: A, dst: B, amount: '1000', from: C }
const swapPath = (change: Record<string, string> = {}) =>
  `/aggregator/1?${new URLSearchParams({ ...good, ...change } as Record<string, string>)}`
const simulation = { from: C, to: B, data: '0x', tokenIn: A, amountIn: '1', tokenOut: B }

const json = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

type Case = [name: string, path: string, status: number, text: string | undefined, init?: RequestInit]
const cases: Case[] = [
  ['no amount', swapPath({ amount: '' }), 400, 'amount must be provided'],
  ['an amount in floating point', swapPath({ amount: '1e18' }), 400, 'amount must be a base-10 integer'],
  ['a short address', swapPath({ src: '0x12' }), 400, 'src and dst must be valid 0x... addresses'],
  ['no parameters at all', '/aggregator/1', 400, 'src and dst must be valid 0x... addresses'],
  ['a repeated parameter', `${swapPath()}&amount=2`, 400, 'amount must be given once'],
  ['a parameter in brackets', '/aggregator/1?src[]=1', 400, 'src and dst must be valid 0x... addresses'],
  ['a repeated parameter in brackets', `${swapPath()}&amount[]=2`, 400, 'amount must be given once'],
  [
    'an excluded pool in brackets that has no valid id',
    `${swapPath()}&excludePools%5B%5D=1`,
    400,
    'excludePools must be pool addresses or ids, separated by commas',
  ],
  [
    'a fee without recipient',
    swapPath({ convenienceFee: '1' }),
    400,
    'convenienceFeeRecipient must be provided when convenienceFee is non-zero',
  ],
  ['the Guard as sender', swapPath({ from: GUARD }), 400, 'from must not be the Guard or an Executor'],
  [
    'a fee of 10.0001',
    swapPath({ convenienceFee: '10.0001', convenienceFeeRecipient: C }),
    403,
    'convenienceFee must be at most 10',
  ],
  ['an unknown key', swapPath({ feeExemptKey: 'x' }), 403, 'feeExemptKey is not valid'],
  [
    'an unknown key in the header',
    swapPath(),
    403,
    'feeExemptKey is not valid',
    { headers: { 'x-fee-exempt-key': 'x' } },
  ],
  ['a chain id in hex', '/aggregator/0x1', 400, 'chain_id must be a base-10 integer'],
  ['a chain id in words', '/prices/one?token=1', 400, 'chain_id must be a base-10 integer'],
  ['a chain id that is no text', '/liquidity/%E0%A4%A', 400, 'the path is not valid percent-encoded text'],
  ['an unknown chain', `/aggregator/999999?${new URLSearchParams(good)}`, 404, undefined],
  ['an unknown chain and bad parameters', '/aggregator/999999?src=1', 404, undefined],
  ['an unknown chain of /simulate', '/simulate/999999', 404, undefined, json('{')],
  ['an unknown path', '/nothing', 404, undefined],
  ['no token', '/prices/1', 400, 'token must be provided'],
  [
    '__proto__ as token',
    '/liquidity/1?token=__proto__',
    400,
    'token must be valid 0x... addresses, separated by commas',
  ],
  [
    'NATIVE as tokenIn',
    '/simulate/1',
    400,
    'tokenIn must not be the native token',
    json({ ...simulation, tokenIn: NATIVE }),
  ],
  [
    'the same fields by GET',
    `/simulate/1?${new URLSearchParams({ ...simulation, tokenIn: NATIVE })}`,
    400,
    'tokenIn must not be the native token',
  ],
  ['an object as text', '/simulate/1', 400, 'gas must be a string', json({ ...simulation, gas: {} })],
  ['a body that is no JSON', '/simulate/1', 400, 'the body must be a JSON object', json('{"from":')],
  [
    'an array as body',
    '/simulate/1',
    400,
    'the body must be a JSON object with content-type application/json',
    json([]),
  ],
  [
    'no body',
    '/simulate/1',
    400,
    'the body must be a JSON object with content-type application/json',
    { method: 'POST' },
  ],
  [
    'a body of another type',
    '/simulate/1',
    400,
    'the body must be a JSON object with content-type application/json',
    { method: 'POST', body: 'from=1' },
  ],
  ['a body that is too large', '/simulate/1', 413, 'the body is too large', json({ data: '0'.repeat(300_000) })],
  ['another method', '/chains', 405, 'use GET, HEAD', { method: 'DELETE' }],
  [
    'a long target',
    `/prices/1?token=${'a'.repeat(17_000)}`,
    414,
    'path and query must be at most 16384 bytes; use POST for large calldata',
  ],
  ['a dead node', swapPath(), 502, 'no node of the chain answered'],
  ['a dead node behind /prices', `/prices/1?token=${A}`, 502, 'no node of the chain answered'],
  ['a dead node behind /simulate', '/simulate/1', 502, 'no node of the chain answered', json(simulation)],
]

const readError = ({ text }: Answer) => JSON.parse(text) as { error: string; code: string; requestId: string }

describe('version B', () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await startWithoutChain()
  })
  afterAll(() => server.close())

  test.each(cases)('%s', async (_name, path, status, text, init) => {
    const answer = await ask(server.url + path, init)
    expect(answer.status, answer.text).toBe(status)
    expect(answer.type).toBe('application/json')
    const { error, code, requestId } = readError(answer)
    if (text !== undefined) expect(error).toBe(text)
    expect(code).toMatch(/^[A-Z_]+$/)
    expect(requestId).toBe(answer.headers.get('x-request-id'))
    expect(answer.text).not.toMatch(/\.(ts|js):\d+|127\.0\.0\.1:9/)
  })

  test('the chain map lists the chains with their Guards, an overlaid one with its own', async () => {
    const { status, text } = await ask(`${server.url}/chains`)
    expect(status).toBe(200)
    const map = JSON.parse(text)
    expect(map[1]).toMatchObject({ ChainID: '1', ChainName: 'ethereum', RouterAddress: GUARD, Status: 'predicted' })
    expect(map[10].RouterAddress).not.toBe(GUARD)
  })

  test('any origin may call', async () => {
    const answer = await ask(`${server.url}/simulate/1`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-allow-methods')).toContain('POST')
    expect((await ask(`${server.url}/nothing`)).headers.get('access-control-allow-origin')).toBe('*')
  })

  test('a valid request id is echoed, and an invalid one is replaced', async () => {
    const idOf = async (sent: string) =>
      (await ask(`${server.url}/health`, { headers: { 'x-request-id': sent } })).headers.get('x-request-id')
    expect(await idOf('trace-1.a_B')).toBe('trace-1.a_B')
    for (const odd of ['a b', 'x'.repeat(65), '{}']) expect(await idOf(odd)).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('oversized headers get an error response', async () => {
    const { hostname, port } = new URL(server.url)
    const status = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(`GET /${'a'.repeat(300_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)
      })
      socket.once('data', (chunk) => resolve(String(chunk).split('\r\n')[0]!))
      socket.once('error', reject)
    })
    expect(status).toMatch(/^HTTP\/1\.1 4(14|31) /)
    expect((await ask(`${server.url}/health`)).status).toBe(200)
  })

  test('a failing chain is reported by /ready and counted in /metrics, while /health and other chains stay up', async () => {
    expect(JSON.parse((await ask(`${server.url}/health`)).text)).toMatchObject({ status: 'ok' })
    expect((await ask(server.url + swapPath())).status).toBe(502)
    const ready = await ask(`${server.url}/ready`)
    expect(ready.status).toBe(200)
    const failing = { state: 'failing', reason: 'the node does not answer as it should' }
    expect(JSON.parse(ready.text)).toMatchObject({ status: 'ready', chains: { 1: failing } })
    const chain = await ask(`${server.url}/ready/1`)
    expect(chain.status).toBe(503)
    expect(JSON.parse(chain.text)).toMatchObject({ status: 'not ready', chainId: 1, ...failing })
    const asleep = await ask(`${server.url}/ready/10`)
    expect([asleep.status, JSON.parse(asleep.text)]).toEqual([200, { status: 'ready', chainId: 10, state: 'asleep' }])
    expect((await ask(`${server.url}/ready/999999`)).status).toBe(404)
    const { text, type } = await ask(`${server.url}/metrics`)
    expect(type).toBe('text/plain')
    expect(text).toContain('sluice_chain_state{chain="1",state="failing"} 1')
    expect(text).toMatch(/sluice_requests_total\{endpoint="\/aggregator\/:chainId",status="502",code="RPC_FAILED"\} \d/)
  })
})

describe('version A', () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await startWithoutChain({ ERROR_VERSION: 'A' })
  })
  afterAll(() => server.close())

  test.each(cases)('%s', async (_name, path, status, text, init) => {
    const answer = await ask(server.url + path, init)
    expect(answer.status, answer.text).toBe(status)
    expect(answer.type).toBe(status === 404 ? 'text/html' : 'text/plain')
    if (status === 404) expect(answer.text).toMatch(/^<!DOCTYPE html>/)
    else if (text !== undefined) expect(answer.text).toBe(text)
  })
})
