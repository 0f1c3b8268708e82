/** Tests responses on the wire, with a client that does not decompress them or add headers. */
import { type IncomingHttpHeaders, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { localService } from './src/devnet.ts'

const service = localService()
const token = (symbol: string) => service.devnet.info.tokens[symbol]!.address

type WireAnswer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer }

function ask(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const call = request(service.server.url + path, { method, headers }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('error', reject)
      response.on('end', () => {
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(parts) })
      })
    })
    call.on('error', reject).end()
  })
}

describe('preflight', () => {
  const preflight = (names: string) =>
    ask(
      '/aggregator/31337',
      { origin: 'https://a.example', 'access-control-request-method': 'GET', 'access-control-request-headers': names },
      'OPTIONS',
    )

  test.each([
    'authorization',
    'if-none-match,cache-control',
    'x-requested-with, last-event-id',
    'traceparent,sentry-trace,baggage',
    '0x-api-key,0x-version',
  ])('allows %s', async (names) => {
    const { status, headers } = await preflight(names)
    expect(status).toBe(204)
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': names,
      vary: 'Access-Control-Request-Headers',
    })
    expect(headers['access-control-allow-methods']).toContain('POST')
  })

  test('does not echo an invalid list of header names', async () => {
    const { headers } = await preflight('a: b; c="d"')
    expect(headers['access-control-allow-headers']).toBe('Content-Type, X-Request-Id, X-Fee-Exempt-Key')
  })
})

test('scripts can read every header that the service sends and CORS does not allow by itself', async () => {
  // https://fetch.spec.whatwg.org/#cors-safelisted-response-header-name
  const safe = ['cache-control', 'content-language', 'content-length', 'content-type', 'expires', 'last-modified']
  const ofTransport = /^(connection|keep-alive|date|transfer-encoding|vary|pragma|content-encoding)$/
  const ofPolicy =
    /^(access-control-|cross-origin-|content-security-|strict-transport-|x-(?!request-id)|referrer-|origin-agent)/
  const pair = `src=${token('WETH')}&dst=${token('USDC')}&amount=1000000000000000000`
  const paths = ['/chains', `/quote/31337?${pair}`, `/prices/31337?token=${token('WETH')}`, '/quote/31337', '/nothing']
  for (const path of [...paths, `/quote/31337?${pair}&minimumBlock=99999999`]) {
    const { headers } = await ask(path)
    const exposed = String(headers['access-control-expose-headers']).toLowerCase().split(', ')
    const hidden = Object.keys(headers).filter(
      (name) => !safe.includes(name) && !ofTransport.test(name) && !ofPolicy.test(name) && !exposed.includes(name),
    )
    expect(hidden, path).toEqual([])
  }
})

describe('compression', () => {
  const decoders = { gzip: gunzipSync, br: brotliDecompressSync } as const

  test.each(['/openapi.json', '/docs/api.md', '/chains'])('shrinks %s, and changes nothing of it', async (path) => {
    const plain = await ask(path)
    expect(plain.headers['content-encoding']).toBeUndefined()
    for (const accepted of ['gzip', 'gzip, deflate, br', 'br;q=0, gzip']) {
      const { headers, body } = await ask(path, { 'accept-encoding': accepted })
      const encoding = headers['content-encoding'] as keyof typeof decoders
      expect(headers).toMatchObject({ vary: 'Accept-Encoding', 'content-length': String(body.length) })
      expect(body.length).toBeLessThan(plain.body.length / 3)
      expect(decoders[encoding](body).equals(plain.body)).toBe(true)
    }
  })

  test('is skipped for small responses and clients that refuse it', async () => {
    const small = await ask(`/prices/31337?token=${token('WETH')}`, { 'accept-encoding': 'gzip, br' })
    expect(small.headers['content-encoding']).toBeUndefined()
    const refused = await ask('/openapi.json', { 'accept-encoding': 'gzip;q=0, br;q=0' })
    expect(refused.headers['content-encoding']).toBeUndefined()
    expect(JSON.parse(refused.body.toString()).openapi).toBe('3.1.0')
  })

  test('HEAD has the Content-Length of GET', async () => {
    const accept = { 'accept-encoding': 'gzip' }
    for (const path of ['/openapi.json', '/chains']) {
      const [head, get] = [await ask(path, accept, 'HEAD'), await ask(path, accept)]
      expect(head.headers['content-length']).toBe(String(get.body.length))
      expect(head.body.length).toBe(0)
    }
  })
})

test.each(['no-cache', 'max-age=0'])('If-None-Match works with Cache-Control: %s', async (control) => {
  const list = ['WETH', 'USDC', 'DAI', 'LINK', 'UNI', 'WBTC', 'TBTC', 'AAVE', 'CRV'].map(token).join()
  const path = `/prices/31337?detail=1&token=${list}`
  // Prices may change for a moment after the chain starts.
  for (const accept of [{}, { 'accept-encoding': 'gzip' }])
    for (let round = 0; ; round++) {
      const { headers, body } = await ask(path, accept)
      expect(body.length).toBeGreaterThan('accept-encoding' in accept ? 0 : 1_024)
      const tag = headers.etag!
      const again = await ask(path, { ...accept, 'if-none-match': tag, 'cache-control': control, pragma: 'no-cache' })
      if (again.status === 304) {
        expect(again.body.length).toBe(0)
        const other = await ask(path, { ...accept, 'if-none-match': `"another", ${tag}`, 'cache-control': control })
        expect(other.status).toBe(304)
        expect((await ask(path, { ...accept, 'if-none-match': '"another"' })).status).toBe(200)
        break
      }
      expect(round, 'no response stayed the same').toBeLessThan(20)
    }
})
