/**
 * Tests calls from a page of another site in a real browser, since only browsers enforce CORS.
 *
 * @module-tag long
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startChain, startOver } from '@sluice/api/testing'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBrowser, launch } from './src/browser.ts'

const executable = findBrowser()

describe.skipIf(!executable)('a page of another origin', () => {
  let devnet: Awaited<ReturnType<typeof startChain>>
  let service: Awaited<ReturnType<typeof startOver>>
  let site: Server
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    devnet = await startChain()
    service = await startOver(devnet.url)
    site = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end('<!doctype html><title>another site</title>')
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => site.once('listening', resolve))
    browser = await launch(executable!)
    page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
  })
  afterAll(async () => {
    await browser?.close()
    site?.close()
    await service?.close()
    await devnet?.stop()
  })

  type Init = { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string }
  /** Calls `fetch` in the page. Returns the parts of the response that a script can read. */
  const fetchIn = (path: string, init: Init = {}) =>
    page.evaluate(
      async ([url, options]) => {
        const response = await fetch(url, options)
        return {
          status: response.status,
          headers: Object.fromEntries(response.headers),
          text: await response.text(),
        }
      },
      [service.url + path, init] as const,
    )
  const pair = () => `src=${token('WETH')}&dst=${token('USDC')}&amount=1000000000000000000`
  const token = (symbol: string) => devnet.info.tokens[symbol]!.address

  test.each([
    'Authorization',
    'If-None-Match',
    'Cache-Control',
    'Pragma',
    'X-Requested-With',
    'Last-Event-ID',
    'traceparent',
    'tracestate',
    'sentry-trace',
    'baggage',
    '0x-api-key',
    '0x-version',
    'X-Request-Id',
    'X-Fee-Exempt-Key',
    'x-a.b_c!#$%^`|~1',
  ])('may send %s', async (name) => {
    const { status } = await fetchIn('/chains', { headers: { [name]: 'a' } })
    expect(status).toBe(200)
  })

  test('may send many headers at once with a JSON body', async () => {
    const headers = { 'Content-Type': 'application/json', Authorization: 'Bearer x', traceparent: '00-1-1-01' }
    const body = JSON.stringify({ quotes: [{ src: token('WETH'), dst: token('USDC'), amount: 1e15, maxHops: 2 }] })
    const { status, text } = await fetchIn('/quotes/31337', { method: 'POST', headers, body })
    expect(status, text).toBe(200)
    expect(JSON.parse(text).quotes[0].toAmount).toMatch(/^[0-9]+$/)
  })

  test('may not send a header to a server that does not allow it', async () => {
    const { port } = site.address() as AddressInfo
    const call = page.evaluate(
      (url) => fetch(url, { headers: { Authorization: 'x' } }).then(({ status }) => status),
      `http://localhost:${port}/`,
    )
    await expect(call).rejects.toThrow(/Failed to fetch/)
  })

  test('reads the headers that are documented', async () => {
    const quote = await fetchIn(`/quote/31337?${pair()}`, { headers: { 'X-Request-Id': 'from-a-page' } })
    expect(quote.headers).toMatchObject({
      'x-request-id': 'from-a-page',
      'server-timing': expect.stringContaining('dur='),
    })
    const late = await fetchIn(`/quote/31337?${pair()}&minimumBlock=99999999`)
    expect(late.status).toBe(503)
    expect(late.headers).toMatchObject({ 'retry-after': expect.any(String), link: expect.stringContaining('help') })
    const deleted = await fetchIn('/chains', { method: 'POST' })
    expect(deleted.headers).toMatchObject({ allow: 'GET, HEAD' })
  })

  test('reads bodies that the browser has decompressed', async () => {
    const { text } = await fetchIn('/openapi.json')
    expect(JSON.parse(text).openapi).toBe('3.1.0')
    // Chromium reports transfer sizes only to allowed origins, so the header comes from a direct request.
    const direct = await fetch(`${service.url}/openapi.json`, { headers: { 'accept-encoding': 'br' } })
    expect(direct.headers.get('content-encoding')).toBe('br')
  })

  test('revalidates its ETag, and gets no body', async () => {
    const path = `/prices/31337?token=${token('WETH')}`
    let tag = ''
    // Prices settle shortly after the first request for the chain.
    for (let round = 0; round < 20; round++) {
      const { status, headers, text } = await fetchIn(path, { headers: tag ? { 'If-None-Match': tag } : {} })
      expect(headers).toHaveProperty('etag')
      if (status === 304) {
        expect(text).toBe('')
        return
      }
      tag = headers.etag!
    }
    expect.fail('no response stayed the same')
  })
})
