/** Tests of responses: compression, entity tags, headers, and errors. */
import { createServer, type IncomingHttpHeaders, request as send } from 'node:http'
import { duplexPair } from 'node:stream'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import express, { type RequestHandler } from 'express'
import { describe, expect, test, vi } from 'vitest'
import { ApiError, overloadError } from '../errors.ts'
import { silentLog } from '../services.ts'
import { FixedBytes } from './compress.ts'
import { attach, contextOf, RequestContext } from './context.ts'
import {
  beginStream,
  errorReply,
  rateLimit,
  rawReply,
  reply,
  replyBytes,
  replyError,
  replyJson,
  replyTagged,
} from './reply.ts'
import { hasTag, tagOf, weakTag } from './tags.ts'

type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer }

/** Returns the response of a handler to one request over an in-memory connection. */
async function answerOf(handler: RequestHandler, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const app = express()
  app.set('etag', false)
  app.use(handler)
  const server = createServer((request, response) => {
    attach(new RequestContext(request, silentLog(), 60_000), response, () => {})
    app(request, response)
  })
  const [ours, theirs] = duplexPair()
  server.emit('connection', theirs)
  return new Promise((resolve, reject) => {
    const sent = send({ createConnection: () => ours as never, headers: { 'x-request-id': 'id', ...headers } })
    sent.once('error', reject)
    sent.once('response', (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.once('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(parts) }),
      )
    })
    sent.end()
  })
}

const gzip = { 'accept-encoding': 'gzip' }
const small = 'x'.repeat(1_023)
const large = 'y'.repeat(1_024)
const huge = 'z'.repeat(20_000)
const tagged =
  (body: string): RequestHandler =>
  (request, response) =>
    replyTagged(request, response, contextOf(response), body)

describe('a body', () => {
  const plain =
    (body: string): RequestHandler =>
    (_request, response) =>
      reply(response, { type: 'text', body })

  test.each([
    ['small', small, gzip, undefined, undefined],
    ['large', large, {}, undefined, 'Accept-Encoding'],
    ['large', large, gzip, 'gzip', 'Accept-Encoding'],
    ['huge', huge, gzip, 'gzip', 'Accept-Encoding'],
  ] as const)('that is %s is compressed for clients that accept it', async (_size, body, headers, encoding, vary) => {
    const answer = await answerOf(plain(body), headers)
    expect(answer.headers['content-encoding']).toBe(encoding)
    expect(answer.headers.vary).toBe(vary)
    expect((encoding ? gunzipSync(answer.body) : answer.body).toString()).toBe(body)
    expect(answer.headers['content-length']).toBe(String(answer.body.length))
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(answer.headers['x-request-id']).toBe('id')
    expect(answer.status).toBe(200)
  })

  test('with non-ASCII characters has its length in bytes', async () => {
    const { headers, body } = await answerOf(plain('§5 – é'))
    expect(body.toString()).toBe('§5 – é')
    expect(headers['content-length']).toBe('10')
  })

  test('keeps its status and headers, compressed or not', async () => {
    for (const headers of [{}, gzip]) {
      const answer = await answerOf(
        (_request, response) => reply(response, { status: 418, type: 'css', body: large, headers: ['X-Other', 'one'] }),
        headers,
      )
      expect([answer.status, answer.headers['x-other']]).toEqual([418, 'one'])
      expect(answer.headers['content-type']).toBe('text/css; charset=utf-8')
      expect(answer.headers['x-content-type-options']).toBe('nosniff')
    }
  })

  test('with its own fixed headers has none of the default ones', async () => {
    const fixed = ['X-Fixed', 'mine']
    for (const [body, headers] of [
      [small, {}],
      [large, gzip],
    ] as const) {
      const answer = await answerOf(
        (_request, response) => reply(response, { type: 'html', body, constantHeaders: fixed }),
        headers,
      )
      expect(answer.headers['x-fixed']).toBe('mine')
      expect(answer.headers).not.toHaveProperty('x-content-type-options')
    }
  })
})

describe('an entity tag', () => {
  test('is strong for a body as it is, and weak for its compressed form', async () => {
    for (const body of [small, large]) expect((await answerOf(tagged(body))).headers.etag).toBe(tagOf(body))
    const { headers, body } = await answerOf(tagged(large), gzip)
    expect(headers.etag).toBe(`W/${tagOf(large)}`)
    expect(gunzipSync(body).toString()).toBe(large)
    expect(headers['cache-control']).toBe('no-cache')
    expect(headers['server-timing']).toBe('')
  })

  test('is the only header that compression changes, besides the encoding', async () => {
    const headers = ['X-First', 'ETag', 'ETag', '"tag"', 'X-Last', 'last']
    const answer = await answerOf((_request, response) => reply(response, { type: 'text', body: large, headers }), gzip)
    expect(answer.headers).toMatchObject({ 'x-first': 'ETag', etag: 'W/"tag"', 'x-last': 'last' })
  })

  test('in If-None-Match is answered without a body, in both forms', async () => {
    for (const tag of [tagOf(large), weakTag(tagOf(large)), '*', `"other", ${tagOf(large)}`]) {
      const { status, headers, body } = await answerOf(tagged(large), {
        'if-none-match': tag,
        'cache-control': 'no-cache',
      })
      expect([status, body.length, headers.etag]).toEqual([304, 0, tagOf(large)])
      expect(headers).toMatchObject({ 'cache-control': 'no-cache', 'x-request-id': 'id', vary: 'Accept-Encoding' })
      const compressed = await answerOf(tagged(large), { 'if-none-match': tag, ...gzip })
      expect(compressed.headers).toMatchObject({ etag: weakTag(tagOf(large)), vary: 'Accept-Encoding' })
    }
    for (const tag of ['"other"', tagOf(large).slice(1, -1), `X/${tagOf(large)}`])
      expect((await answerOf(tagged(large), { 'if-none-match': tag })).status).toBe(200)
  })

  test('depends on every byte of the body, and has 22 characters', () => {
    expect(tagOf(large)).toMatch(/^"[\w-]{22}"$/)
    expect(tagOf(large)).not.toBe(tagOf(`${large}y`))
    expect(tagOf(Buffer.from(large))).toBe(tagOf(large))
    expect(hasTag({ headers: {} } as never, tagOf(large))).toBe(false)
  })
})

test('a computed response is not cached, and its headers report the time of each stage and a wait for admission', async () => {
  const json = (isSlowed: boolean) =>
    answerOf((_request, response) => {
      const context = contextOf(response)
      context.stages.set('route', 1.25).set('simulate', 3)
      context.hasQueued = isSlowed
      replyJson(response, context, '{}')
    })
  const { headers, body } = await json(false)
  expect(headers).toMatchObject({
    'server-timing': 'route;dur=1.3, simulate;dur=3.0',
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
  })
  expect(headers).not.toHaveProperty('ratelimit')
  expect(body.toString()).toBe('{}')
  expect((await json(true)).headers.ratelimit).toBe('"share";r=0;t=1')
})

test('the body has the encoding of its headers', async () => {
  const fixed = new FixedBytes(Buffer.from(large))
  const image = new FixedBytes(Buffer.from(large), false)
  const sendAs =
    (bytes: FixedBytes): RequestHandler =>
    async (request, response) =>
      replyBytes(response, { status: 202, type: 'css', ...(await bytes.bodyFor(request)) })
  const both = await answerOf(sendAs(fixed), { 'accept-encoding': 'gzip, br' })
  expect(both.headers).toMatchObject({ 'content-encoding': 'br', vary: 'Accept-Encoding' })
  expect(brotliDecompressSync(both.body).toString()).toBe(large)
  expect(both.status).toBe(202)
  const reply = await answerOf(sendAs(fixed), gzip)
  expect(reply.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(reply.body).toString()).toBe(large)
  const none = await answerOf(sendAs(fixed))
  expect([none.headers['content-encoding'], none.headers.vary]).toEqual([undefined, 'Accept-Encoding'])
  for (const other of [image, new FixedBytes(Buffer.from(small))]) {
    const { headers } = await answerOf(sendAs(other), gzip)
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined])
  }
})

test('a body that never changes is compressed once for each encoding', async () => {
  const fixed = new FixedBytes(Buffer.from(large))
  const accepting = { acceptsEncodings: (encoding: string) => encoding } as never
  expect((await fixed.bodyFor(accepting)).bytes).toBe((await fixed.bodyFor(accepting)).bytes)
})

test('a compression that failed is tried again at the next request', async () => {
  const body = Buffer.from(large)
  const fixed = new FixedBytes(body)
  const accepting = { acceptsEncodings: (encoding: string) => encoding } as never
  Object.defineProperty(body, 'length', {
    configurable: true,
    get: () => {
      throw new Error('out of memory')
    },
  })
  await expect(fixed.bodyFor(accepting)).rejects.toThrow('out of memory')
  Reflect.deleteProperty(body, 'length')
  expect(brotliDecompressSync((await fixed.bodyFor(accepting)).bytes).toString()).toBe(large)
})

test('a stream of events is sent at once, with headers against caching and buffering by proxies', async () => {
  let flushes = 0
  const { status, headers, body } = await answerOf((_request, response) => {
    const flush = vi.spyOn(response, 'flushHeaders')
    beginStream(response, ['X-More', 'more'])
    flushes = flush.mock.calls.length
    response.end('event: end\n\n')
  })
  // Without it, the headers would wait for the first event.
  expect([status, flushes]).toEqual([200, 1])
  expect(headers).toMatchObject({
    ...{ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no', 'x-more': 'more' },
    ...{ 'cache-control': 'no-store, no-transform', 'x-request-id': 'id', 'x-content-type-options': 'nosniff' },
  })
  expect(body.toString()).toBe('event: end\n\n')
})

describe('an error', () => {
  const headersOf = (error: ApiError) => errorReply(error, 'id', 'B').headers!

  test('is JSON with code, cure and id in version B', () => {
    const error = new ApiError('NO_ROUTE', 'no route', { details: { block: 7 } })
    const { status, type, body } = errorReply(error, 'id', 'B')
    expect([status, type]).toEqual([error.status, 'json'])
    expect(JSON.parse(body)).toMatchObject({
      ...{ error: 'no route', code: 'NO_ROUTE', block: 7, requestId: 'id', docs: '/docs/errors.html#NO_ROUTE' },
      cure: expect.any(String),
    })
  })

  test('is text in version A, and a page where nothing was found', () => {
    expect(errorReply(new ApiError('NO_ROUTE', 'no route'), 'id', 'A')).toMatchObject({
      type: 'text',
      body: 'no route',
    })
    const { type, body } = errorReply(new ApiError('NOT_FOUND', 'no such path'), 'id', 'A')
    expect(type).toBe('html')
    expect(body).toContain('<h1>404 Not Found</h1>')
    expect(errorReply(new ApiError('NOT_FOUND', 'no such path'), 'id', 'B').type).toBe('json')
  })

  test('that is unexpected contains the id of the request', () => {
    expect(errorReply(new ApiError('INTERNAL', 'a bug'), 'id', 'A').body).toBe('a bug id')
    expect(JSON.parse(errorReply(new ApiError('INTERNAL', 'a bug'), 'id', 'B').body).error).toBe('a bug id')
  })

  test('is not cached, links to its documentation, and has Retry-After', () => {
    expect(headersOf(new ApiError('NO_ROUTE', 'no route'))).toEqual([
      ...['Cache-Control', 'no-store', 'Link', '</docs/errors.html#NO_ROUTE>; rel="help"'],
    ])
    expect(headersOf(overloadError(3))).toEqual([
      ...['Cache-Control', 'no-store', 'Retry-After', '3', 'Link', '</docs/errors.html#OVERLOADED>; rel="help"'],
      ...['RateLimit', '"share";r=0;t=3'],
    ])
  })

  test('is recorded in the context of the request, and sent with its additional headers', async () => {
    let code: string | undefined
    const { status, headers } = await answerOf((_request, response) => {
      replyError(response, new ApiError('METHOD_NOT_ALLOWED', 'use GET'), 'B', ['Allow', 'GET'])
      code = contextOf(response).errorCode
    })
    expect([status, headers.allow, headers['cache-control'], code]).toEqual([
      405,
      'GET',
      'no-store',
      'METHOD_NOT_ALLOWED',
    ])
  })
})

test('a RateLimit header contains the remaining quota, and the seconds until reset if known', () => {
  expect(rateLimit('streams', 4)).toBe('"streams";r=4')
  expect(rateLimit('streams', 0, 10)).toBe('"streams";r=0;t=10')
})

test('a raw response before a request is parsed has the same headers, and closes the connection', () => {
  const text = rawReply('id', { status: 431, type: 'text', body: 'é', headers: ['X-Other', 'one'] })
  const [head, body] = text.split('\r\n\r\n')
  const lines = head!.split('\r\n')
  expect(lines[0]).toBe('HTTP/1.1 431 Request Header Fields Too Large')
  for (const line of ['X-Request-Id: id', 'Content-Length: 2', 'X-Other: one', 'Connection: close'])
    expect(lines).toContain(line)
  expect(body).toBe('é')
  expect(rawReply('id', { type: 'text', body: '' })).toMatch(/^HTTP\/1.1 200 OK\r\n/)
})
