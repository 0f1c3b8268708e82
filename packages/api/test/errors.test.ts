/** Tests every error code over HTTP: status, cure, documentation link, request id, and `Retry-After`. */
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type Devnet, NodeProxy } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiErrorCode } from '../src/error-table.ts'
import { errorTable, type RunningServer } from '../src/index.ts'
import { startChain, startOver } from './src/devnet.ts'
import { EventReader } from './src/event-source.ts'
import { type Answer, ask, warmUp } from './src/service.ts'

const root = join(import.meta.dirname, '../../..')
const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
let devnet: Devnet
let server: RunningServer
/** Service with minimum limits: one request at a time, no queue, and one stream per caller. */
let narrow: RunningServer
let proxy: NodeProxy

beforeAll(async () => {
  devnet = await startChain()
  proxy = await NodeProxy.start(devnet.url)
  server = await startOver(devnet.url)
  const limits = { MAX_CONCURRENT: '1', MAX_QUEUED: '0', MAX_STREAMS_PER_CALLER: '1', REQUEST_TIMEOUT_MS: '2000' }
  narrow = await startOver(proxy.url, limits)
  for (const { url } of [server, narrow])
    for (let round = 0; round < 20 && (await ask(url + swap())).status !== 200; round++);
})
afterAll(async () => {
  await server?.close()
  await narrow?.close()
  await proxy?.stop()
  await devnet?.stop()
})

const token = (symbol: string) => devnet.info.tokens[symbol]!.address
const account = () => devnet.info.accounts[0]!.address
function swap(change: Record<string, string> = {}): string {
  const query = { src: token('WETH'), dst: token('USDC'), amount: `${10n ** 18n}`, from: account(), ...change }
  return `/aggregator/31337?${new URLSearchParams(query)}`
}
const post = (body: string): RequestInit => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body })
const simulation = () => ({
  ...{ from: account(), to: devnet.info.guard, data: '0x', tokenIn: token('WETH'), amountIn: '1' },
  tokenOut: token('USDC'),
})

/** Sends raw bytes and returns the response. */
function raw(text: string): Promise<Answer> {
  const { hostname, port } = new URL(server.url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text))
    let answer = ''
    socket.on('data', (chunk) => {
      answer += String(chunk)
    })
    socket.on('error', reject)
    socket.on('close', () => {
      const [head = '', body = ''] = answer.split('\r\n\r\n')
      const [status = '', ...lines] = head.split('\r\n')
      const headers = new Headers(lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]))
      resolve({ status: Number(status.split(' ')[1]), type: '', text: body, headers })
    })
  })
}

/** Runs a task while the node does not answer. */
async function heldBack<T>(work: () => Promise<T>): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  proxy.intercept = () => promise
  try {
    return await work()
  } finally {
    proxy.intercept = () => undefined
    resolve(undefined)
  }
}

const onServer = (path: () => string, init?: RequestInit) => () => ask(server.url + path(), init)

/** Request that causes each code, or the path of the test file that causes it. */
const causes: Readonly<Record<ApiErrorCode, (() => Promise<Answer>) | string>> = {
  INVALID_PARAMETER: onServer(() => swap({ amount: '-1' })),
  INVALID_BODY: onServer(() => '/simulate/31337', post('{"from":')),
  UNKNOWN_SLOTS: 'packages/simulation/test/behaviour.test.ts',
  BAD_SLOT: () => ask(`${server.url}/simulate/31337`, post(JSON.stringify({ ...simulation(), balanceSlot: '12345' }))),
  BAD_TOKEN: () => ask(`${server.url}/simulate/31337`, post(JSON.stringify({ ...simulation(), tokenOut: account() }))),
  BAD_PERMIT: onServer(() => swap({ permit: `permit2:${10n ** 18n}:0:4000000000:0x12` })),
  NATIVE_UNSUPPORTED: 'test/three-chains.test.ts',
  FEE_TOO_HIGH: onServer(() => swap({ convenienceFee: '11' })),
  INVALID_FEE_EXEMPT_KEY: onServer(() => swap({ feeExemptKey: 'x' })),
  UNSUPPORTED_CHAIN: onServer(() => '/aggregator/999999'),
  NOT_FOUND: onServer(() => '/nothing'),
  METHOD_NOT_ALLOWED: onServer(() => '/chains', { method: 'DELETE' }),
  MALFORMED_REQUEST: () => raw('GET / HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n'),
  REQUEST_TIMEOUT: 'packages/api/test/slow-clients.test.ts',
  HEADERS_TOO_LARGE: () => raw(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(300_000)}\r\n\r\n`),
  BODY_TOO_LARGE: onServer(() => '/simulate/31337', post(JSON.stringify({ data: '0'.repeat(300_000) }))),
  TARGET_TOO_LONG: onServer(() => `/prices/31337?token=${'a'.repeat(17_000)}`),
  NO_STATE: onServer(() => '/prices/31337?token=0x0000000000000000000000000000000000000001&block=99999999'),
  UNKNOWN_TOKEN: onServer(() => swap({ dst: `0x${'77'.repeat(20)}` })),
  NO_ROUTE: onServer(() => swap({ includeSources: 'nothing' })),
  AMOUNT_TOO_SMALL: onServer(() => swap({ amount: '1' })),
  INSUFFICIENT_LIQUIDITY: onServer(() => swap({ amount: `${10n ** 60n}`, maxPriceImpact: '100' })),
  ROUTE_REVERTED: 'packages/api/test/statuses.test.ts',
  PRICE_IMPACT: onServer(() => swap({ amount: `${10n ** 24n}` })),
  VALUE_LOSS: 'packages/api/test/statuses.test.ts',
  GUARD_NOT_DEPLOYED: 'packages/api/test/statuses.test.ts',
  INTERNAL: 'packages/api/test/bug.test.ts',
  RPC_FAILED: 'packages/api/test/statuses.test.ts',
  NODE_PAUSED: 'packages/api/test/providers.test.ts',
  BEHIND: onServer(() => swap({ minimumBlock: '99999999' })),
  OVERLOADED: () =>
    heldBack(async () => {
      const before = proxy.requestCount
      const first = ask(narrow.url + swap({ amount: '1000' })).catch(() => {})
      await expect.poll(() => proxy.requestCount, { timeout: 60_000 }).toBeGreaterThan(before)
      const answers = await Promise.all([1, 2, 3].map((k) => ask(narrow.url + swap({ amount: `${2_000 + k}` }))))
      await first
      return answers.find(({ text }) => text.includes('OVERLOADED'))!
    }),
  NOT_READY: 'packages/api/test/stream.test.ts',
  TIMEOUT: () => heldBack(() => ask(narrow.url + swap({ amount: '3000' }))),
  ROUTE_TIMEOUT: 'packages/api/test/route-timeout.test.ts',
  CLIENT_CLOSED: 'packages/api/test/load.test.ts',
}

const producedHere = Object.entries(causes).flatMap(([code, cause]) =>
  typeof cause === 'string' ? [] : [[code, cause] as const],
)

test.each(producedHere)('%s', async (code, cause) => {
  const row = errorTable[code as ApiErrorCode]
  const { status, headers, text } = await cause()
  const body = JSON.parse(text)
  expect({ status, code: body.code }, text).toEqual({ status: row.status, code })
  expect(body).toMatchObject({
    cure: row.cure,
    docs: `/docs/errors.html#${code}`,
    requestId: headers.get('x-request-id'),
  })
  expect(headers.get('link')).toBe(`</docs/errors.html#${code}>; rel="help"`)
  expect(headers.get('cache-control')).toBe('no-store')
  if (status === 503) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  if (code === 'OVERLOADED') expect(headers.get('ratelimit')).toMatch(/^"share";r=0;t=\d+$/)
})

test('the documentation has a section for each error', async () => {
  const pages = [(await ask(`${server.url}/docs/errors.html`)).text, readFileSync(join(root, 'docs/errors.md'), 'utf8')]
  for (const code of Object.keys(errorTable)) for (const page of pages) expect(page).toContain(`id="${code}"`)
})

test('a stream reports the remaining quota, and a further stream is refused with Retry-After', async () => {
  const query = new URLSearchParams({ src: token('WETH'), dst: token('USDC'), amount: `${10n ** 18n}` })
  const reader = new EventReader(`${narrow.url}/stream/31337?${query}`)
  await reader.until((events) => events.length > 0)
  expect(reader.headers.get('ratelimit-policy')).toBe('"streams";q=1')
  expect(reader.headers.get('ratelimit')).toBe('"streams";r=0')
  const { status, headers } = await ask(`${narrow.url}/stream/31337?${query}`)
  expect(status).toBe(503)
  expect(headers.get('retry-after')).toBe('10')
  expect(headers.get('ratelimit')).toBe('"streams";r=0;t=10')
  reader.close()
})

test('a request that had to wait gets the RateLimit header', async () => {
  const patient = { MAX_WAIT_MS: '60000' }
  const queued = await startOver(proxy.url, { MAX_CONCURRENT: '1', MAX_QUEUED: '50', ...patient })
  try {
    await warmUp(queued.url, swap())
    proxy.delayMs = 150
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, k) => ask(queued.url + swap({ amount: `${10n ** 18n + BigInt(k)}` }))),
    )
    const limits = answers.filter(({ status }) => status === 200).map(({ headers }) => headers.get('ratelimit'))
    expect(limits).toContainEqual(expect.stringMatching(/^"share";r=0;t=[1-9]\d*$/))
    proxy.delayMs = 0
    expect((await ask(queued.url + swap())).headers.get('ratelimit')).toBeNull()
  } finally {
    proxy.delayMs = 0
    await queued.close()
  }
})

test('every response has the id of its request', async () => {
  const id = { 'x-request-id': 'trace-9' }
  const paths = [
    '/',
    '/docs',
    '/docs/',
    '/docs/errors.md',
    '/openapi.json',
    '/chains',
    '/health',
    '/ready',
    '/metrics',
    '/nothing',
  ]
  const all = [
    ...paths,
    swap(),
    swap({ src: NATIVE, amount: '0' }),
    `/prices/31337?token=${token('WETH')}`,
    '/permit/1',
  ]
  for (const path of all)
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'DELETE'])
      expect((await ask(server.url + path, { method, headers: id })).headers.get('x-request-id'), path).toBe('trace-9')
  const head = `GET /prices/31337?token=${token('WETH')} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Request-Id: trace-9\r\n`
  let tag = ''
  // Prices may change for a moment after the chain starts.
  for (let round = 0; round < 20; round++) {
    const { status, headers } = await raw(`${head}${tag && `If-None-Match: ${tag}\r\n`}\r\n`)
    expect(headers.get('x-request-id')).toBe('trace-9')
    tag = headers.get('etag')!
    if (status === 304) return
  }
  expect.fail('no answer stays the same')
})
