/** Tests traces as an OpenTelemetry collector receives them, by OTLP over HTTP. */
import { execFile } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import type { Devnet } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningServer } from '../src/index.ts'
import { startChain, startOver } from './src/devnet.ts'
import { ask } from './src/service.ts'

type Value = { readonly stringValue?: string; readonly intValue?: string; readonly boolValue?: boolean }
type Span = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: Value }[]
  readonly status: { readonly code: number }
}
type Body = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Span['attributes'] }
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[]
  }[]
}

const [SERVER, CLIENT] = [2, 3]
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

let devnet: Devnet
let collector: Server
let server: RunningServer
const bodies: Body[] = []
const requests: { readonly path: string; readonly key: unknown }[] = []

beforeAll(async () => {
  devnet = await startChain()
  collector = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      requests.push({ path: request.url!, key: request.headers['x-key'] })
      bodies.push(JSON.parse(Buffer.concat(chunks).toString()))
      response.setHeader('Content-Type', 'application/json').end('{}')
    })
  })
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  server = await startOver(devnet.url, {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b',
    OTEL_SERVICE_NAME: 'swaps',
  })
})
afterAll(async () => {
  await server?.close()
  await new Promise((resolve) => collector?.close(resolve))
  await devnet?.stop()
})

const spans = () =>
  bodies.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  )
const attribute = (of: Pick<Span, 'attributes'>, name: string) => {
  const value = of.attributes.find(({ key }) => key === name)?.value
  return value?.stringValue ?? value?.intValue
}
const requestSpan = (id: string) =>
  expect
    .poll(() => spans().find((span) => attribute(span, 'sluice.request_id') === id), { timeout: 10_000 })
    .toBeDefined()
const swapPath = () => {
  const { tokens, accounts } = devnet.info
  const query = {
    src: tokens.WETH!.address,
    dst: tokens.USDC!.address,
    amount: '1000000000000000',
    from: accounts[0]!.address,
  }
  return `/aggregator/31337?${new URLSearchParams(query)}`
}

test('a quote shows discovery, search, simulation and calls to the node within the request of that id', async () => {
  const headers = { 'X-Request-Id': 'quote-1', traceparent: `00-${TRACE}-${PARENT}-01` }
  expect((await ask(server.url + swapPath(), { headers })).status).toBe(200)
  await requestSpan('quote-1')
  const trace = spans().filter(({ traceId }) => traceId === TRACE)
  const root = trace.find(({ kind }) => kind === SERVER)!
  expect(root).toMatchObject({ name: 'GET /aggregator/:chainId', parentSpanId: PARENT, status: { code: 0 } })
  expect(attribute(root, 'http.response.status_code')).toBe('200')
  expect(attribute(root, 'sluice.chain_id')).toBe('31337')
  expect(attribute(root, 'url.path')).toBe('/aggregator/31337')
  for (const name of ['discovery', 'search', 'simulation']) expect(trace.map((span) => span.name)).toContain(name)

  const byId = new Map(trace.map((span) => [span.spanId, span]))
  const simulation = trace.find(({ name }) => name === 'simulation')!
  const calls = trace.filter(({ kind }) => kind === CLIENT)
  expect(calls.filter(({ parentSpanId }) => parentSpanId === simulation.spanId).length).toBeGreaterThan(0)
  for (const span of trace) {
    expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano))
    if (span !== root) expect(byId.has(span.parentSpanId!), span.name).toBe(true)
  }
  for (const call of calls) expect(call.name).toMatch(/^node /)
  expect(attribute(bodies[0]!.resourceSpans[0]!.resource, 'service.name')).toBe('swaps')
  expect(requests[0]).toEqual({ path: '/v1/traces', key: 'a b' })
})

test('a refusal is recorded with its code; a request whose caller opts out is not recorded', async () => {
  const unwanted = { 'X-Request-Id': 'quiet', traceparent: `00-${'ab'.repeat(16)}-${PARENT}-00` }
  await ask(server.url + swapPath(), { headers: unwanted })
  await ask(`${server.url}/aggregator/31337?src=1&key=secret`, {
    headers: { 'X-Request-Id': 'bad', traceparent: 'nonsense' },
  })
  await requestSpan('bad')
  const span = spans().find((span) => attribute(span, 'sluice.request_id') === 'bad')!
  expect(attribute(span, 'error.type')).toBe('INVALID_PARAMETER')
  expect(span.parentSpanId).toBeUndefined()
  expect(spans().filter((span) => attribute(span, 'sluice.request_id') === 'quiet')).toEqual([])
  expect(JSON.stringify(bodies)).not.toContain('secret')
})

test('new blocks without a request are not traced', async () => {
  await ask(server.url + swapPath(), { headers: { 'X-Request-Id': 'before' } })
  await requestSpan('before')
  const { traceId } = spans().find((span) => attribute(span, 'sluice.request_id') === 'before')!
  const count = () => spans().filter((span) => span.traceId === traceId).length
  const before = count()
  await fetch(devnet.url, {
    method: 'POST',
    body: '{"jsonrpc":"2.0","id":1,"method":"anvil_mine","params":["0x3"]}',
    headers: { 'Content-Type': 'application/json' },
  })
  await ask(server.url + swapPath(), { headers: { 'X-Request-Id': 'after' } })
  await requestSpan('after')
  expect(count()).toBe(before)
})

test('an unreachable collector loses spans, and fails no request', async () => {
  const alone = await startOver(devnet.url, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })
  expect((await ask(alone.url + swapPath())).status).toBe(200)
  await alone.close()
})

test.each([
  { set: '', loads: false },
  { set: 'http://127.0.0.1:9', loads: true },
])('the recorder is loaded only if a collector is configured ($set)', { tags: 'long' }, async ({ set, loads }) => {
  const script = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    const { loadConfig, startServer } = await import('@sluice/api')
    await (await startServer(loadConfig({ PORT: '0', LOG_LEVEL: 'silent', OTEL_EXPORTER_OTLP_ENDPOINT: '${set}' }))).close()
    console.log(loaded.filter((url) => /tracing.src.(recorder|exporter|otlp)/.test(url)).length, loaded.length > 100)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
  })
  expect(stdout.trim()).toBe(`${loads ? 3 : 0} true`)
})
