/** Tests of routing and error handling with a fake live chain. */
import { tmpdir } from 'node:os'
import { type Address, NATIVE } from '@sluice/chains'
import { QuotingError, type StreamUpdate } from '@sluice/quoting'
import { describe, expect, test } from 'vitest'
import { account, ONE, served, TWO } from '../test/src/in-memory.ts'
import { NATIVE_TEXT } from './requests.ts'

describe('paths without a chain', () => {
  const paths = [
    '/openapi.json',
    '/llms.txt',
    '/llms-full.txt',
    '/docs/',
    '/docs/index.md',
    '/chains',
    '/health',
    '/ready',
    '/metrics',
  ]

  test.each(paths)('%s answers GET and HEAD, and refuses all else', async (path) => {
    const { ask } = served()
    const { status, body } = await ask(path)
    expect(status).toBe(200)
    expect(body).not.toBe('')
    expect(await ask(path, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' })
    const refused = await ask(path, { method: 'DELETE' })
    expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD'])
    expect(JSON.parse(refused.body)).toMatchObject({ code: 'METHOD_NOT_ALLOWED', error: 'use GET, HEAD' })
  })

  test('have the types of what they are', async () => {
    const { ask } = served()
    const types = await Promise.all(paths.map(async (path) => (await ask(path)).headers['content-type']))
    const [json, text, html, markdown] = ['application/json', 'text/plain', 'text/html', 'text/markdown'].map(
      (type) => `${type}; charset=utf-8`,
    )
    expect(types.slice(0, 8)).toEqual([json, text, text, html, markdown, json, json, json])
  })

  test('send from /docs to /docs/ by a relative address, whatever is in front of the service', async () => {
    const { status, headers } = await served().ask('/docs')
    expect([status, headers.location]).toEqual([301, 'docs/'])
  })

  test('say that the documentation was not built, if it was not', async () => {
    const { ask } = served({}, { DOCS_DIR: tmpdir() })
    for (const path of ['/docs', '/docs/', '/docs/guides/quote.html', '/llms.txt', '/llms-full.txt']) {
      const { status, body } = await ask(path)
      expect(status).toBe(404)
      expect(JSON.parse(body).error).toContain('started without its documentation')
    }
  })

  test('that are not there are refused, with a hint', async () => {
    const { status, body } = await served().ask('/nothing')
    expect(status).toBe(404)
    expect(JSON.parse(body)).toMatchObject({ code: 'NOT_FOUND' })
  })

  test('are those of operators alone where the process only indexes', async () => {
    const { ask } = served({}, { REDIS_URL: 'redis://r', ROLE: 'indexer' })
    expect((await ask('/health')).status).toBe(200)
    for (const path of ['/docs', '/chains', '/openapi.json', `/prices/1?token=${ONE}`])
      expect((await ask(path)).status).toBe(404)
  })

  test('leave metrics to their own port if there is one', async () => {
    const { ask, metricsListener } = served({}, { METRICS_PORT: '9464' })
    expect((await ask('/metrics')).status).toBe(404)
    expect((await ask('/metrics', {}, metricsListener)).body).toContain('sluice_requests_total')
    expect((await ask('/health', {}, metricsListener)).status).toBe(404)
    expect((await ask('/metrics', { method: 'POST' }, metricsListener)).status).toBe(405)
  })
})

describe('paths of a chain', () => {
  test.each([
    ['/aggregator/1', 'GET, HEAD'],
    ['/quote/1', 'GET, HEAD'],
    ['/quotes/1', 'POST'],
    ['/simulate/1', 'GET, HEAD, POST'],
    ['/prices/1', 'GET, HEAD, POST'],
    ['/liquidity/1', 'GET, HEAD'],
    ['/history/1', 'GET, HEAD'],
    ['/tokens/1', 'GET, HEAD'],
    ['/stream/1', 'GET'],
    ['/permit/1', 'GET, HEAD'],
    ['/tokenlist/1', 'GET, HEAD'],
    [`/status/1/0x${'1'.repeat(64)}`, 'GET, HEAD'],
    ['/stats/1', 'GET, HEAD'],
    ['/ready/1', 'GET, HEAD'],
  ])('%s take %s and no other method', async (path, methods) => {
    const { status, headers } = await served().ask(path, { method: 'PUT' })
    expect([status, headers.allow]).toEqual([405, methods])
  })

  test('are refused for chains that are not served, and for what is no chain id', async () => {
    const { ask } = served()
    expect(JSON.parse((await ask('/stats/2')).body)).toMatchObject({ code: 'UNSUPPORTED_CHAIN' })
    expect((await ask('/stats/mainnet')).status).toBe(400)
  })

  test('are counted by their pattern and not by what is in it', async () => {
    const { ask, metrics } = served()
    await ask('/ready/1')
    await ask('/ready/2')
    await ask('/nothing/at/all')
    metrics.backgroundQueue.flush()
    const counts = (await metrics.requests.get()).values.map(({ labels, value }) => [...Object.values(labels), value])
    expect(counts).toEqual([
      ['/ready/:chainId', 200, '', 1],
      ['/ready/:chainId', 404, 'UNSUPPORTED_CHAIN', 1],
      ['other', 404, 'NOT_FOUND', 1],
    ])
  })

  test('that answered the same request at this block answer it again', async () => {
    const { ask } = served({ recentResponse: (url: string) => `{"${url.length}":1}` })
    const path = `/prices/1?token=${ONE}`
    const { status, body, headers } = await ask(path)
    expect([status, body]).toEqual([200, `{"${path.length}":1}`])
    expect((await ask(path, { headers: { 'if-none-match': headers.etag! } })).status).toBe(304)
  })

  test('tell nothing of an unexpected error but its place in the log', async () => {
    const { ask } = served({
      drift: () => {
        throw new Error('secret')
      },
    })
    const { status, body } = await ask('/stats/1', { headers: { 'x-request-id': 'mine' } })
    expect(status).toBe(500)
    expect(body).not.toContain('secret')
    expect(body).toContain('mine')
  })
})

describe('requests at the edge', () => {
  test('with a target that is too long are refused', async () => {
    const { ask } = served()
    const long = (bytes: number) => `/health?${'x'.repeat(bytes - '/health?'.length)}`
    expect((await ask(long(16_384))).status).toBe(200)
    expect(JSON.parse((await ask(long(16_385))).body)).toMatchObject({ code: 'TARGET_TOO_LONG' })
  })

  test('of browsers that ask first may send the headers that they name', async () => {
    const preflight = (headers: Readonly<Record<string, string>>) =>
      served().ask('/quotes/1', { method: 'OPTIONS', headers })
    const { status, headers, body } = await preflight({ 'access-control-request-headers': 'traceparent, x-mine' })
    expect([status, body, headers['access-control-allow-headers']]).toEqual([204, '', 'traceparent, x-mine'])
    expect(headers).toMatchObject({ 'access-control-allow-origin': '*', 'access-control-max-age': '86400' })
    for (const requestHeaders of [{}, { 'access-control-request-headers': 'x; y' }] as Readonly<
      Record<string, string>
    >[])
      expect((await preflight(requestHeaders)).headers['access-control-allow-headers']).toBe(
        'Content-Type, X-Request-Id, X-Fee-Exempt-Key',
      )
  })
})

describe('reports of tokens', () => {
  const report = {
    ...{ symbol: 'TKN', decimals: 18, rebasing: false, needsApprovalReset: true, transferTaxPpm: null },
    ...{ surchargePpm: 0, buyTaxPpm: 10_000, sellTaxPpm: 25_000, sellable: true, sizeLimited: false },
  }
  const pool = { id: 'pool', family: 'uniswap-v2', dex: 'Uniswap' }

  test('need the pools of each token with the hubs, and are told by the token as it was sent', async () => {
    const letters = account('a')
    const groups: unknown[] = []
    const { ask } = served({
      views: {
        retryOnReorg: async (request: unknown, _signal: unknown, work: (view: object) => Promise<unknown>) => {
          groups.push(request)
          return work({ snapshot: {} })
        },
      },
      tokens: {
        report: async (token: Address) =>
          token === letters
            ? [
                { pool, report },
                { pool: undefined, report },
              ]
            : null,
        trustTracker: { standingOf: () => ({ standing: 'stranger', reason: 'not seen yet' }) },
      },
      senderCodeChecks: {
        mayCheckCode: () => Promise.reject(new Error('node failure')),
        dependsOnSenderCode: () => false,
      },
    })
    const upper = letters.toUpperCase().replace('X', 'x')
    const { status, body } = await ask(`/tokens/1?token=${[letters, upper, TWO, NATIVE_TEXT].join()}`)
    expect(status).toBe(200)
    expect(groups).toEqual([[[letters], [TWO]]])
    expect(NATIVE_TEXT.toLowerCase()).toBe(NATIVE)
    const tokenReport = {
      ...{ symbol: 'TKN', decimals: 18, rebasing: false, needsApprovalReset: true, transferTax: null, surcharge: 0 },
      pools: [
        {
          ...{ pool: 'pool', protocol: 'uniswap-v2', dex: 'Uniswap' },
          ...{ buyTax: 1, sellTax: 2.5, sellable: true, sizeLimited: false },
        },
      ],
      ...{ standing: 'stranger', reason: 'not seen yet', asksForCode: null, walletsDiffer: false },
    }
    expect(JSON.parse(body)).toEqual({ [letters]: tokenReport, [upper]: tokenReport, [TWO]: null, [NATIVE_TEXT]: null })
  })
})

describe('streams of quotes', () => {
  const path = `/stream/1?src=${ONE}&dst=${TWO}&amount=1000`
  const block = { number: 8, hash: '0x08' }
  const refused: StreamUpdate = { kind: 'refused', error: new QuotingError('NO_ROUTE', 'no route'), block: undefined }
  const streamOf = (...updates: readonly StreamUpdate[]) =>
    served({
      streams: {
        open: (_request: unknown, listener: (update: StreamUpdate) => void) => {
          const [first, ...laterUpdates] = updates
          listener(first!)
          setImmediate(() => {
            for (const update of laterUpdates) listener(update)
          })
          return { firstUpdate: Promise.resolve(), close: () => {} }
        },
      },
    })

  test('send each update as an event, and count it', async () => {
    const ended: StreamUpdate = { kind: 'end', error: new Error('the node is gone') }
    const { ask, metrics } = streamOf(refused, { kind: 'block', block } as unknown as StreamUpdate, ended)
    const { status, headers, body } = await ask(path)
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8'])
    expect(headers).toMatchObject({ 'ratelimit-policy': '"streams";q=2', ratelimit: '"streams";r=1' })
    const events = body.split('\n\n').filter(Boolean)
    expect(events.map((event) => event.split('\n')[0])).toEqual(['event: refused', 'event: block', 'event: end'])
    expect(events[0]).toContain('"code":"NO_ROUTE"')
    expect(events[1]).toBe('event: block\nid: 8\ndata: {"simulationBlock":8,"blockHash":"0x08"}')
    expect(body).not.toContain('the node is gone')
    const counts = (await metrics.streamEvents.get()).values.map(({ labels, value }) => [
      labels.chain,
      labels.event,
      value,
    ])
    expect(counts).toEqual([
      [1, 'refused', 1],
      [1, 'block', 1],
      [1, 'end', 1],
    ])
  })

  test('have each quote as /quote answers it, for all listeners to one update', async () => {
    const quote = {
      ...{ route: { tokenIn: ONE, tokenOut: TWO, amountIn: 1_000n, amountOut: 900n, gas: 5, legs: [] } },
      ...{ amountOut: 900n, minOutput: 899n, gasEstimate: 5n, gasCharged: 4n, gasChargedAtDeadline: 4n, block },
      ...{ id: 'q', expiresAtBlock: 9, priceImpactPpm: null, gasCostWei: 1n, gasCostUsd: null, l1FeeWei: null },
      ...{ netAmountOut: null, poolsPending: false, warnings: [], swap: { to: ONE, data: '0x', value: 0n } },
    }
    const update = { kind: 'quote', quote } as unknown as StreamUpdate
    const end: StreamUpdate = { kind: 'end', error: new Error('the node is gone') }
    const { ask } = streamOf(update, update, end)
    const events = (await ask(path)).body.split('\n\n').filter(Boolean)
    expect(events).toHaveLength(3)
    expect(events[0]).toMatch(/^event: quote\nid: 8\ndata: \{/)
    expect(events[1]).toBe(events[0])
    const body = JSON.parse(events[0]!.split('data: ')[1]!)
    expect(body).toMatchObject({ src: ONE, dst: TWO, fromAmount: '1000', toAmount: '900', simulationBlock: 8 })
    const from = account('6')
    const swapped = (await streamOf(update, end).ask(`${path}&from=${from}`)).body
    expect(JSON.parse(swapped.split('data: ')[1]!.split('\n')[0]!)).toMatchObject({ toAmount: '900', tx: { from } })
  })

  test('that end before their first answer are errors', async () => {
    const { ask, metrics } = streamOf({ kind: 'end', error: new QuotingError('BEHIND', 'the chain is behind') })
    const { body } = await ask(path)
    expect(JSON.parse(body)).toMatchObject({ code: 'BEHIND', error: 'the chain is behind' })
    expect((await metrics.streamEvents.get()).values).toEqual([])
  })

  test('that fail after their first bytes are broken off, so that no client takes them for whole', async () => {
    const { ask } = streamOf({ kind: 'quote', quote: {} } as unknown as StreamUpdate)
    await expect(ask(path)).rejects.toThrow('aborted')
  })

  test('are for GET alone, and need a whole request', async () => {
    const { ask } = streamOf(refused)
    expect((await ask(path, { method: 'HEAD' })).status).toBe(405)
    expect((await ask(`/stream/1?src=${ONE}`)).status).toBe(400)
  })
})
