import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { postJson } from './post.ts'

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const stop of cleanups.splice(0)) stop()
})

async function serve(listener: RequestListener): Promise<URL> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/path?key=1`)
}

test('a reused connection that was closed is replaced by a new one', async () => {
  let count = 0
  const url = await serve((request, response) => {
    if (++count === 2) request.socket.destroy()
    else response.end(`answer ${count}`)
  })
  expect(await postJson(url, '{}')).toEqual({ status: 200, text: 'answer 1' })
  expect(await postJson(url, '{}')).toEqual({ status: 200, text: 'answer 3' })
})

test('a node that closes every connection is tried twice, and then the error is thrown', async () => {
  let count = 0
  const url = await serve((request) => {
    count++
    request.socket.destroy()
  })
  await expect(postJson(url, '{}')).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' })
  expect(count).toBe(2)
})

test('path, query, and credentials of the URL are sent, and a gzip response is decompressed', async () => {
  const url = await serve((request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' })
    response.end(gzipSync(JSON.stringify([request.url, request.headers.authorization])))
  })
  url.username = 'me'
  url.password = 'p%40ss'
  const { text } = await postJson(url, '{}')
  const credentials = Buffer.from('me:p@ss').toString('base64')
  expect(JSON.parse(text)).toEqual(['/path?key=1', `Basic ${credentials}`])
})

test('a password without a user, also with a percent sign, is sent', async () => {
  const url = await serve((request, response) => void response.end(request.headers.authorization))
  url.password = '50%off'
  expect((await postJson(url, '{}')).text).toBe(`Basic ${btoa(':50%off')}`)
})

test.each([
  ['gzip', gzipSync],
  ['GZIP', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
  ['identity', (text: string) => text],
] as const)(
  'a response in the content coding %s is decoded, with or without a byte order mark',
  async (coding, encode) => {
    let text = '["é"]'
    const url = await serve((_, response) => response.writeHead(200, { 'content-encoding': coding }).end(encode(text)))
    expect(await postJson(url, '{}')).toEqual({ status: 200, text: '["é"]' })
    text = `\ufeff${text}`
    expect(await postJson(url, '{}')).toEqual({ status: 200, text: '["é"]' })
  },
)

test('a body that its content coding does not fit is an error, unless the status is one', async () => {
  let status = 429
  const url = await serve((_, response) =>
    response.writeHead(status, { 'content-encoding': 'gzip', 'retry-after': '3' }).end(),
  )
  expect(await postJson(url, '{}')).toEqual({ status: 429, text: '', retryAfter: '3' })
  status = 200
  await expect(postJson(url, '{}')).rejects.toMatchObject({ code: 'Z_BUF_ERROR' })
})

test('a response may have long headers', async () => {
  const url = await serve((_, response) => response.writeHead(200, { 'x-policy': 'a'.repeat(60_000) }).end('{}'))
  expect(await postJson(url, '{}')).toEqual({ status: 200, text: '{}' })
})

test('if several unused connections are lost, a request succeeds over a new one', async () => {
  const CONNECTIONS = 6
  const open: Socket[] = []
  const responses: ServerResponse[] = []
  let isReplaced = false
  const url = await serve(({ socket }, response) => {
    if (isReplaced && open.includes(socket)) return void socket.resetAndDestroy()
    if (isReplaced) return void response.end('new')
    open.push(socket)
    // Answers only when all connections are in use.
    if (responses.push(response) === CONNECTIONS) for (const each of responses) each.end('old')
  })
  const answers = await Promise.all(Array.from({ length: CONNECTIONS }, () => postJson(url, '{}')))
  expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['old']))
  expect(new Set(open).size).toBe(CONNECTIONS)
  isReplaced = true
  expect((await postJson(url, '{}')).text).toBe('new')
})

test('a redirect is an answer and is not followed', async () => {
  const url = await serve((_, response) => {
    response.writeHead(307, { location: 'http://127.0.0.1:1/' })
    response.end('elsewhere')
  })
  expect(await postJson(url, '{}')).toEqual({ status: 307, text: 'elsewhere' })
})

test('the caller can abort while the response is being received', async () => {
  const url = await serve((_, response) => void response.write('{'))
  await expect(postJson(url, '{}', { signal: AbortSignal.timeout(50) })).rejects.toThrow(/aborted|timeout/i)
})
