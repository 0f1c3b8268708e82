/** Tests the HTTP client's requests, retries, and refusals of malformed responses, without a server. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { MemoryNode, word } from '../test/memory-node.ts'
import { single } from '../test/routes.ts'
import { amountOf, formatNumber, toPpm } from './amounts.ts'
import { selectors } from './calls.ts'
import type { HttpOptions } from './http.ts'
import { atPrice, gasLimit, pricedBy, quotedBy, SluiceClient } from './index.ts'
import { minOutputFrom } from './witness.ts'

type Step = Response | Error
/** Client of a service that answers in order; its requests. */
function clientOf(steps: readonly (() => Step)[], options: Partial<HttpOptions> = {}) {
  const requests: { readonly url: string; readonly init: RequestInit }[] = []
  const fetch = async (input: unknown, init?: RequestInit) => {
    requests.push({ url: String(input), init: init! })
    const step = steps[Math.min(requests.length, steps.length) - 1]!()
    if (step instanceof Error) throw step
    return step
  }
  return { requests, client: new SluiceClient({ baseUrl: 'https://swap.example/', fetch, ...options }) }
}
const json = (body: unknown, init?: ResponseInit) => () => Response.json(body, init)
const getSwap = (answer: () => Step, request: object = single.request) =>
  clientOf([answer], { retries: 0 }).client.getSwap(1, request as never)

describe('requests', () => {
  test('carry parameters as decimal text, lists by commas, and the referer', async () => {
    const { client, requests } = clientOf([json(single.route)], { referer: 'https://app.example' })
    await client.getSwap(1, {
      ...single.request,
      slippage: 0.1 + 0.2,
      excludePools: ['a', 'b'],
      recipient: undefined as never,
    })
    const { url, init } = requests[0]!
    const { pathname, searchParams } = new URL(url)
    expect([pathname, init.method, init.headers, init.redirect]).toEqual([
      '/aggregator/1',
      'GET',
      { referer: 'https://app.example' },
      'error',
    ])
    expect(Object.fromEntries(searchParams)).toMatchObject({ amount: '1000000', slippage: '0.3', excludePools: 'a,b' })
    expect(searchParams.has('recipient')).toBe(false)
  })

  test('with a body are a POST of JSON', async () => {
    const { client, requests } = clientOf([json({ quotes: [single.route] })])
    await client.getQuotes(1, [{ ...single.request, amount: 5n }])
    const { method, headers, body } = requests[0]!.init
    expect([method, headers]).toEqual(['POST', { 'content-type': 'application/json' }])
    expect(JSON.parse(String(body)).quotes[0]).toMatchObject({ amount: '5' })
  })

  test('to no URL are INVALID', () =>
    expect(clientOf([json({})], { baseUrl: 'nowhere' }).client.chains()).rejects.toMatchObject({ code: 'INVALID' }))
})

describe('the URL of a request', () => {
  afterEach(() => void vi.unstubAllGlobals())
  const urlWith = async (baseUrl: string) => {
    const { client, requests } = clientOf([json({})], { baseUrl })
    await client.chains()
    return requests[0]!.url
  }

  test('has one slash after the base', async () => {
    for (const baseUrl of ['https://swap.example/v1', 'https://swap.example/v1/', 'https://swap.example/v1///'])
      expect(await urlWith(baseUrl)).toBe('https://swap.example/v1/chains')
  })

  test('may be relative to the page', async () => {
    vi.stubGlobal('location', { href: 'https://page.example/app/' })
    expect(await urlWith('/api')).toBe('https://page.example/api/chains')
    expect(await urlWith('https://swap.example')).toBe('https://swap.example/chains')
  })

  test('that is malformed is refused as INVALID, and the message quotes up to 200 characters', async () => {
    const { client, requests } = clientOf([json({})], { baseUrl: 'x'.repeat(300) })
    await expect(client.chains()).rejects.toMatchObject({
      ...{ code: 'INVALID', message: expect.stringMatching(/^baseUrl x{200}: /) },
    })
    expect(requests).toEqual([])
  })
})

describe('retries', () => {
  const counted = async (steps: readonly (() => Step)[], options: Partial<HttpOptions> = {}) => {
    vi.useFakeTimers()
    try {
      const { client, requests } = clientOf(steps, options)
      const from = Date.now()
      const outcome = client.chains().then(
        () => 'ok',
        (error) => error.code,
      )
      await vi.runAllTimersAsync()
      return [await outcome, requests.length, Date.now() - from]
    } finally {
      vi.useRealTimers()
    }
  }
  const status = (code: number, headers = {}) => json({ error: 'x', code: 'Y' }, { status: code, headers })

  test('wait 250 ms, then twice as long, two times', async () => {
    expect(await counted([() => new Error('down'), status(503), json({})])).toEqual(['ok', 3, 750])
    expect(await counted([() => new Error('down')])).toEqual(['NETWORK', 3, 750])
    expect(await counted([status(502)], { retries: 3 })).toEqual(['HTTP', 4, 1_750])
  })

  test('wait as long as the service asks, up to 10 seconds', async () => {
    expect(await counted([status(503, { 'retry-after': '10' }), json({})])).toEqual(['ok', 2, 10_000])
    expect(await counted([status(503, { 'retry-after': '11' }), json({})])).toEqual(['HTTP', 1, 0])
  })

  test('are not made after a refusal, a malformed response, or a timeout of the search', async () => {
    for (const code of [400, 422, 429, 500]) expect((await counted([status(code)]))[1]).toBe(1)
    expect(await counted([() => new Response('<html>')])).toEqual(['BAD_ANSWER', 1, 0])
    expect((await counted([json({ error: 'x', code: 'ROUTE_TIMEOUT' }, { status: 504 })]))[1]).toBe(1)
  })
})

describe('the signal of the caller', () => {
  test('ends a request, and keeps its reason', async () => {
    const controller = new AbortController()
    const fetch = (_: unknown, { signal }: RequestInit) =>
      new Promise<Response>((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)))
    const client = new SluiceClient({ baseUrl: 'https://swap.example', fetch: fetch as never })
    const outcome = expect(client.chains(controller.signal)).rejects.toMatchObject({ code: 'ABORTED', cause: 'enough' })
    controller.abort('enough')
    await outcome
  })

  test('ends the wait before a retry', async () => {
    vi.useFakeTimers()
    try {
      const controller = new AbortController()
      const { client, requests } = clientOf([() => new Error('down')])
      const outcome = expect(client.chains(controller.signal)).rejects.toMatchObject({
        code: 'ABORTED',
        cause: 'enough',
      })
      await vi.advanceTimersByTimeAsync(100)
      controller.abort('enough')
      await outcome
      expect([requests.length, vi.getTimerCount()]).toEqual([1, 0])
    } finally {
      vi.useRealTimers()
    }
  })

  test('is not listened to after the wait, and is seen if it aborted during the attempt', async () => {
    vi.useFakeTimers()
    try {
      const { signal } = new AbortController()
      const [added, removed] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')]
      const { client } = clientOf([() => new Error('down'), json({})])
      const outcome = client.chains(signal)
      await vi.runAllTimersAsync()
      await outcome
      const listener = added.mock.calls.find(([, , options]) => options === undefined)![1]
      expect(removed.mock.calls.map(([, removedListener]) => removedListener)).toContain(listener)
      const controller = new AbortController()
      const aborting = clientOf([
        () => {
          controller.abort('late')
          return Response.json({}, { status: 503 })
        },
      ])
      const late = expect(aborting.client.chains(controller.signal)).rejects.toMatchObject({ code: 'ABORTED' })
      await vi.advanceTimersByTimeAsync(0)
      await late
      expect(aborting.requests).toHaveLength(1)
    } finally {
      vi.useRealTimers()
    }
  })

  test('that never aborts leaves the timeout of an attempt', async () => {
    const signals: AbortSignal[] = []
    const fetch = async (_: unknown, { signal }: RequestInit) => {
      signals.push(signal!)
      return Response.json({})
    }
    const timeout = vi.spyOn(AbortSignal, 'timeout')
    const client = (options: Partial<HttpOptions>) =>
      new SluiceClient({ baseUrl: 'https://swap.example', fetch: fetch as never, ...options })
    await client({}).chains()
    await client({ timeoutMs: 7 }).chains()
    expect(timeout.mock.calls).toEqual([[15_000], [7]])
    timeout.mockRestore()
  })
})

describe('a response', () => {
  test('with an error status is HTTP or NO_ROUTE, with the details of the service', async () => {
    const body = { error: 'too large', code: 'PRICE_IMPACT', requestId: 'r1' }
    await expect(getSwap(json(body, { status: 422, headers: { 'retry-after': '3' } }))).rejects.toMatchObject({
      ...{ code: 'NO_ROUTE', message: 'too large', retryable: false },
      details: { status: 422, serviceCode: 'PRICE_IMPACT', requestId: 'r1', retryAfter: 3, body },
    })
    await expect(getSwap(json({}, { status: 500, statusText: 'Oops' }))).rejects.toMatchObject({
      code: 'HTTP',
      message: 'Oops',
    })
    await expect(getSwap(() => new Response('plain', { status: 400 }))).rejects.toMatchObject({ message: 'plain' })
    await expect(
      getSwap(() => new Response('', { status: 400, headers: { 'content-type': 'text/html' } })),
    ).rejects.toMatchObject({
      message: 'status 400',
    })
  })

  test('that redirects is refused', async () => {
    await expect(getSwap(() => new Response('', { status: 302 }))).rejects.toThrow('redirects to another address')
    await expect(
      getSwap(() => Object.defineProperty(Response.json(single.route), 'redirected', { value: true })),
    ).rejects.toThrow('redirects to another address')
  })

  test.each([300, 399])('with status %i redirects', (status) =>
    // `Response` refuses some of these numbers.
    expect(
      getSwap(() => Object.defineProperty(Response.json(single.route), 'status', { value: status })),
    ).rejects.toMatchObject({ code: 'BAD_ANSWER', details: { status } }),
  )

  test.each([299, 400])('with status %i does not', async (status) => {
    const answer = () => Object.defineProperty(Response.json(single.route), 'status', { value: status })
    expect((await getSwap(answer)).toAmount).toBe('2000001')
  })

  test.each(['', 'null', '7', '"text"', '{'])('with the body %j is BAD_ANSWER', (body) =>
    expect(getSwap(() => new Response(body))).rejects.toMatchObject({
      ...{ code: 'BAD_ANSWER', message: '/aggregator/1 answered with no JSON object' },
    }),
  )

  test('without a body is BAD_ANSWER', () =>
    expect(getSwap(() => new Response(null))).rejects.toMatchObject({ code: 'BAD_ANSWER' }))

  test('is not read further once it is too large', async () => {
    let isCanceled = false
    const endless = () =>
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(4 * 1024 * 1024)),
        cancel() {
          isCanceled = true
        },
      })
    await expect(getSwap(() => new Response(endless()))).rejects.toMatchObject({ code: 'BAD_ANSWER' })
    expect(isCanceled).toBe(true)
  })

  test('may divide a character between chunks', async () => {
    const bytes = new TextEncoder().encode(JSON.stringify({ ...single.route, note: 'é' }))
    const at = bytes.indexOf(0xc3) + 1
    const body = () =>
      new ReadableStream({
        start(controller) {
          for (const chunk of [bytes.slice(0, at), bytes.slice(at)]) controller.enqueue(chunk)
          controller.close()
        },
      })
    expect(await getSwap(() => new Response(body()))).toMatchObject({ note: 'é' })
  })

  test('of more than 16 MiB is refused, and of 16 MiB is read', async () => {
    const size = 16 * 1024 * 1024
    const padded = (bytes: number) => () => new Response(`${JSON.stringify(single.route)}`.padEnd(bytes))
    expect((await getSwap(padded(size))).toAmount).toBe('2000001')
    await expect(getSwap(padded(size + 1))).rejects.toThrow(`more than ${size} bytes`)
  })

  test('without a route is NO_ROUTE', async () => {
    for (const change of [{ tx: undefined }, { toAmount: '0' }, { toAmount: undefined }, { swaps: undefined }])
      await expect(getSwap(json({ ...single.route, ...change }))).rejects.toMatchObject({ code: 'NO_ROUTE' })
  })

  test.each([
    ['no number of gas', { gasEstimate: 'x' }],
    ['a number instead of text', { toAmount: 7 }],
    ['a negative amount', { fromAmount: '-1' }],
    ['an amount of 79 digits', { toAmount: '1'.repeat(79) }],
    ['no block', { simulationBlock: '5' }],
    ['legs that are no list', { swaps: {} }],
    ['more than 1,000 legs', { swaps: Array(1_001).fill(single.route.swaps[0]) }],
    ['a leg without a pool', { swaps: [{ tokenIn: 'a', tokenOut: 'b' }] }],
    ['a transaction without data', { tx: { ...single.route.tx, data: undefined } }],
    ['a list', []],
  ] as const)('with %s is BAD_ANSWER', async (_, change) => {
    const body = Array.isArray(change) ? ['x'] : { ...single.route, ...change }
    await expect(getSwap(json(body))).rejects.toMatchObject({ code: Array.isArray(change) ? 'NO_ROUTE' : 'BAD_ANSWER' })
  })

  test('with 1,000 legs is read', async () => {
    const swaps = Array(1_000).fill(single.route.swaps[0])
    expect((await getSwap(json({ ...single.route, swaps }))).swaps).toHaveLength(1_000)
  })

  test('with calls that approve more than the request is UNSAFE at once', async () => {
    const { to, data, value } = single.route.tx
    const approve = (amount: bigint) => ({
      ...{ to: single.request.src, value: '0' },
      data: `0x095ea7b3${to.slice(2).padStart(64, '0')}${word(amount).slice(2)}`,
    })
    const route = (amount: bigint) => json({ ...single.route, calls: [approve(amount), { to, data, value }] })
    expect((await getSwap(route(1_000_000n))).calls).toHaveLength(2)
    await expect(getSwap(route(1_000_001n))).rejects.toMatchObject({ code: 'UNSAFE' })
    // The request limits an exact input, not the input that the route states; an exact output has the input of the route.
    const stated = (amount: bigint) => async () => ({ ...(await route(amount)().json()), fromAmount: String(amount) })
    const larger = await stated(1_000_001n)()
    await expect(getSwap(json(larger))).rejects.toMatchObject({ code: 'UNSAFE' })
    const { amount, ...rest } = single.request
    expect((await getSwap(json(larger), { ...rest, amountOut: 5n })).calls).toHaveLength(2)
    // Routes of batches and streams are checked too, and a quote without a transaction has no calls.
    const [sound, robbing] = [await route(1_000_000n)().json(), await route(1_000_001n)().json()]
    const getQuotes = (answer: object, request: object = single.request) =>
      clientOf([json({ quotes: [answer] })]).client.getQuotes(1, [request as never])
    expect(await getQuotes(sound)).toEqual([sound])
    await expect(getQuotes(robbing)).rejects.toMatchObject({ code: 'UNSAFE' })
    const { tx: _, ...unsigned } = robbing
    const { from: __, ...senderless } = single.request
    await expect(getQuotes(unsigned, senderless)).rejects.toMatchObject({ code: 'UNSAFE' })
    const nextEvent = (answer: object) => {
      const { client } = clientOf([() => new Response(`event: quote\ndata: ${JSON.stringify(answer)}\n\n`)])
      return client.streamQuote(1, single.request).next()
    }
    expect(await nextEvent(sound)).toMatchObject({ value: { event: 'quote', data: sound } })
    await expect(nextEvent(robbing)).rejects.toMatchObject({ code: 'UNSAFE' })
  })

  test('to several quotes has one result per request', async () => {
    const { tx, ...quote } = single.route
    const { from, ...unsigned } = single.request
    const ask = (quotes: unknown, requests: readonly object[] = [unsigned, single.request, unsigned]) =>
      clientOf([json({ quotes })]).client.getQuotes(1, requests as never)
    const results = await ask([quote, single.route, { error: 'none', code: 'NO_ROUTE' }])
    expect(results.slice(0, 2)).toEqual([quote, single.route])
    expect(results[2]).toMatchObject({ code: 'NO_ROUTE', message: 'none', details: { status: 422 } })
    expect(await ask([{ error: 7, code: 'TIMEOUT' }], [unsigned])).toMatchObject([
      { code: 'HTTP', message: 'no quote' },
    ])
    for (const quotes of [undefined, [quote], [quote, quote, quote], [quote, null, quote], [5, single.route, quote]])
      await expect(ask(quotes)).rejects.toMatchObject({ code: 'BAD_ANSWER' })
  })
})

test('percentages have at most four decimals and are below 100', () => {
  for (const [percent, ppm] of [
    [0, 0n],
    ['0.0001', 1n],
    ['0.5', 5_000n],
    [0.1 + 0.2, 3_000n],
    ['99.9999', 999_999n],
    [7, 70_000n],
  ] as const)
    expect(toPpm(percent)).toBe(ppm)
  for (const percent of ['100', '-1', '0.00001', 1e-5, '', '1.', '.5', 'x', '1e1', Number.NaN, '1 '])
    expect(() => toPpm(percent), String(percent)).toThrow(expect.objectContaining({ code: 'UNSAFE' }))
  const messageOf = (act: () => unknown) => {
    try {
      return String(act())
    } catch (error) {
      return (error as Error).message
    }
  }
  expect(messageOf(() => toPpm('9'.repeat(200)))).toMatch(/^9{100} is not/)
  expect(messageOf(() => amountOf('x'.repeat(200), 'amount'))).toMatch(/not x{100}$/)
  expect([formatNumber(2e21), formatNumber(0.30000000000000004), formatNumber(0.00001)]).toEqual([
    '2e+21',
    '0.3',
    '0.00001',
  ])
})

test('the gas limit is 20 % above the estimate, rounded up', () => {
  expect([gasLimit({ gasEstimate: '10' }), gasLimit({ gasEstimate: '11' }), gasLimit({ gasEstimate: '0' })]).toEqual([
    12n,
    14n,
    0n,
  ])
  for (const gasEstimate of ['', '-1', '1.5', '1'.repeat(21)])
    expect(() => gasLimit({ gasEstimate })).toThrow(expect.objectContaining({ code: 'BAD_ANSWER' }))
})

describe('a witness', () => {
  const [src, dst] = [`0x${'11'.repeat(20)}`, `0x${'22'.repeat(20)}`]
  const request = { src, dst, amount: 1_500_000n, from: src }
  const walletOf = (...decimals: readonly [number, number]) => {
    const node = new MemoryNode()
    node.answers.set('eth_call', ([call]) => {
      const { to, data } = call as { to: string; data: string }
      expect(data).toBe(selectors.decimals)
      return word(to === src ? decimals[0] : decimals[1])
    })
    return node.wallet
  }

  test('at a price converts decimals in both directions, exactly', async () => {
    expect(await atPrice(2450.5)(request, walletOf(6, 18))).toBe(3_675_750_000_000_000_000_000n)
    expect(await atPrice('0.001')({ ...request, amount: '2999' }, walletOf(6, 6))).toBe(2n)
    expect(await atPrice(2)({ ...request, amount: 5n * 10n ** 18n }, walletOf(18, 6))).toBe(10_000_000n)
    const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
    expect(await atPrice(3)({ ...request, src: NATIVE, amount: 10n ** 18n }, walletOf(6, 6))).toBe(3_000_000n)
  })

  test('of prices divides one by the other', async () => {
    const prices = (body: object) => pricedBy(clientOf([json(body)]).client, 1)(request, walletOf(6, 8))
    expect(await prices({ [src]: 3, [dst]: 2 })).toBe(225_000_000n)
    await expect(prices({ [src]: 3, [dst]: null })).rejects.toThrow(`no price of ${dst}`)
    await expect(prices({ [src]: null, [dst]: 2 })).rejects.toThrow(`no price of ${src}`)
  })

  test('of another service is its output', async () => {
    expect(await quotedBy(clientOf([json(single.route)]).client, 1)(single.request, walletOf(6, 6))).toBe(2_000_001n)
  })

  test('refuses a price of zero and a token without decimals', async () => {
    for (const price of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 'x'])
      await expect((async () => atPrice(price)(request, walletOf(6, 6)))()).rejects.toMatchObject({ code: 'UNSAFE' })
    expect(await atPrice(1)({ ...request, amount: 1n }, walletOf(0, 255))).toBe(10n ** 255n)
    await expect(atPrice(1)(request, walletOf(256, 6))).rejects.toMatchObject({ code: 'UNSAFE' })
  })

  test('bounds the minimum by its tolerance and then the slippage, rounding down', () => {
    expect(minOutputFrom(1_000_000n, {})).toBe(985_050n)
    expect(minOutputFrom(1_000_000n, { slippage: 1 }, 2)).toBe(970_200n)
    expect(minOutputFrom(1_000_000n, { slippage: 'auto' }, 0)).toBe(970_000n)
    expect(minOutputFrom(199n, { slippage: 0 }, 1)).toBe(197n)
  })
})

test('an error body that is no JSON object is not in the details', async () => {
  for (const [body, message] of [
    ['null', 'Oops'],
    ['7', 'Oops'],
    ['"down"', 'Oops'],
    ['{"error":"down"}', 'down'],
  ] as const) {
    const response = () =>
      new Response(body, { status: 500, statusText: 'Oops', headers: { 'content-type': 'application/json' } })
    const error = await getSwap(response).catch((thrown) => thrown)
    expect([error.message, Object.keys(error.details)]).toEqual([
      message,
      message === 'down' ? ['status', 'body'] : ['status'],
    ])
  }
  const long = json({ error: 'x'.repeat(2_001) }, { status: 500 })
  await expect(getSwap(long)).rejects.toMatchObject({ message: 'x'.repeat(2_000) })
})

describe('a list or statistics of another form is BAD_ANSWER', () => {
  const stats = { blocks: [], families: [], brands: [], pools: [], withdrawing: [] }
  test.each([
    ...[{}, { tokens: {} }, { tokens: 'x' }].map((body) => ['tokenList', body] as const),
    ...Object.keys(stats).map((name) => ['stats', { ...stats, [name]: {} }] as const),
  ])('%s %o', async (method, body) => {
    await expect(clientOf([json(body)]).client[method](1)).rejects.toMatchObject({ code: 'BAD_ANSWER' })
  })

  test('others are returned', async () => {
    expect(await clientOf([json({ tokens: [1] })]).client.tokenList(1)).toEqual([1])
    expect(await clientOf([json(stats)]).client.stats(1)).toEqual(stats)
  })
})

test('each endpoint has its path and parameters', async () => {
  const { client, requests } = clientOf([json({ tokens: [] })])
  await client.prices(5, ['a', 'b'])
  await client.liquidity(5, ['a'])
  await client.tokenList(5, { q: 'usd', limit: 7 } as never)
  await client.simulate(5, { from: 'a', amountIn: 7n, tokenIn: undefined } as never)
  await client.chains()
  await client.get('/health', { n: 1 })
  expect(requests.map(({ url, init }) => `${init.method} ${url.slice('https://swap.example'.length)}`)).toEqual([
    ...['GET /prices/5?token=a%2Cb', 'GET /liquidity/5?token=a', 'GET /tokenlist/5?q=usd&limit=7'],
    ...['POST /simulate/5', 'GET /chains', 'GET /health?n=1'],
  ])
  expect(JSON.parse(String(requests[3]!.init.body))).toEqual({ from: 'a', amountIn: '7' })
})

test('a quote without a transaction is checked as a route is', async () => {
  const { tx: _, ...quote } = single.route
  const ask = (body: object) => clientOf([json(body)]).client.getQuote(1, single.request)
  expect(await ask(quote)).toEqual(quote)
  for (const change of [{ toAmount: '0' }, { toAmount: undefined }, { swaps: undefined }])
    await expect(ask({ ...quote, ...change })).rejects.toMatchObject({ code: 'NO_ROUTE', details: { status: 200 } })
  await expect(ask({ ...quote, gasEstimate: 5 })).rejects.toMatchObject({ code: 'BAD_ANSWER' })
})

test('a stream that ends without a reason is an error of the client', async () => {
  const { client } = clientOf([() => new Response('event: end\ndata: null\n\n')])
  await expect(client.streamQuote(1, single.request).next()).rejects.toMatchObject({
    code: 'HTTP',
    message: 'no quote',
  })
})

test('permits that are no list are refused', async () => {
  const parameters = { src: single.request.src, from: single.request.from, amount: 5n }
  for (const permits of ['text', { length: 0 }, 5, null, undefined]) {
    const { client } = clientOf([json({ permits })], { retries: 0 })
    await expect(client.getPermits(1, parameters as never)).rejects.toMatchObject({ code: 'BAD_ANSWER' })
  }
  expect(await clientOf([json({ permits: [] })]).client.getPermits(1, parameters as never)).toEqual([])
})

test('an error without a type and a text has its status as the message', async () => {
  const answered = (response: () => Response) => getSwap(response)
  const bare = () => new Response(new Uint8Array(), { status: 500 })
  await expect(answered(bare)).rejects.toMatchObject({ code: 'HTTP', message: 'status 500' })
  const plain = () =>
    new Response('x'.repeat(600), { status: 500, headers: { 'content-type': 'text/plain; charset=utf-8' } })
  await expect(answered(plain)).rejects.toMatchObject({ message: 'x'.repeat(500) })
  const html = () => new Response('<p>', { status: 502, statusText: 'Bad', headers: { 'content-type': 'text/html' } })
  await expect(answered(html)).rejects.toMatchObject({ message: 'Bad' })
})
