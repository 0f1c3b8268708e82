import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { poolOf, postJson } from './post.ts'

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

async function listen(server: Server, protocol: 'http' | 'https' = 'http'): Promise<URL> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  stops.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return new URL(`${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}/`)
}

test('an origin that accepts connections and never finishes one holds two, whatever is asked of it', async () => {
  let connections = 0
  const url = await listen(
    createServer(() => connections++),
    // The server never answers the TLS handshake.
    'https',
  )
  for (let round = 0; round < 5; round++) {
    const requests = Array.from({ length: 100 }, () => postJson(url, '{}', { signal: AbortSignal.timeout(30) }))
    const results = await Promise.allSettled(requests)
    expect(results.every(({ status }) => status === 'rejected')).toBe(true)
  }
  expect(connections).toBe(2)
  expect(poolOf(url.origin).counts).toEqual({ open: 0, connecting: 2, waiting: 0 })
})

test('requests that are given up leave the queue, and those behind them are sent', async () => {
  const pendingResponses: ServerResponse[] = []
  let answers = 1
  const url = await listen(
    createHttpServer((_, response) => void (answers-- > 0 ? response.end('{}') : pendingResponses.push(response))),
  )
  await postJson(url, '{}')
  const controllers = Array.from({ length: 300 }, () => new AbortController())
  const results = controllers.map(({ signal }) => postJson(url, '{}', { signal }).catch(() => 'aborted'))
  await expect.poll(() => pendingResponses.length).toBe(64)
  expect(poolOf(url.origin).counts).toEqual({ open: 64, connecting: 0, waiting: 236 })
  for (const controller of controllers.slice(64, 299)) controller.abort()
  expect(poolOf(url.origin).counts.waiting).toBe(1)
  pendingResponses[0]!.end('first')
  await expect.poll(() => pendingResponses.length).toBe(65)
  for (const response of pendingResponses.slice(1)) response.end('later')
  const texts = (await Promise.all(results)).map((result) => (typeof result === 'string' ? result : result.text))
  expect(texts.filter((text) => text === 'aborted')).toHaveLength(235)
  expect(texts.at(-1)).toBe('later')
})

test('connections that wait for a request, used or not, do not keep the process running', async () => {
  const server = createHttpServer((_, response) => void response.end('{}'))
  server.on('connection', (socket) => socket.unref())
  const url = await listen(server)
  await postJson(url, '{}')
  // The connection that is opened for the second request is not needed: the first one is free before.
  const pool = poolOf(url.origin)
  const gaveUp = new AbortController()
  const fresh = pool.send(async () => {}, gaveUp.signal, true).catch(() => {})
  gaveUp.abort()
  await fresh
  await expect.poll(() => pool.counts).toEqual({ open: 2, connecting: 0, waiting: 0 })
  expect(process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap')).toEqual([])
})

test('an origin that has never answered gets eight connections', async () => {
  let requests = 0
  const url = await listen(createHttpServer(() => requests++))
  const signal = AbortSignal.timeout(300)
  await Promise.allSettled(Array.from({ length: 100 }, () => postJson(url, '{}', { signal })))
  expect(requests).toBe(8)
})

test('a request that is given up after it was sent ends its connection', async () => {
  let closed = 0
  const server = createHttpServer((request: IncomingMessage) => request.socket.on('close', () => closed++))
  const url = await listen(server)
  await expect(postJson(url, '{}', { signal: AbortSignal.timeout(50) })).rejects.toThrow()
  await expect.poll(() => closed).toBe(1)
  await expect.poll(() => poolOf(url.origin).counts.open).toBe(0)
})

test('a connection is kept for the next request, and a fresh one is opened beside it', async () => {
  const sockets = new Set<Socket>()
  const url = await listen(
    createHttpServer((request, response) => {
      sockets.add(request.socket)
      response.end('{}')
    }),
  )
  for (let k = 0; k < 5; k++) await postJson(url, '{}')
  expect(sockets.size).toBe(1)
  await postJson(url, '{}', { newConnection: true })
  expect(sockets.size).toBe(2)
})

test('a connection that breaks during a request leaves the idle ones alone', async () => {
  const sockets = new Set<Socket>()
  const url = await listen(
    createHttpServer((request, response) => {
      sockets.add(request.socket)
      if (request.url === '/broken') request.socket.destroy()
      else response.end('{}')
    }),
  )
  await postJson(url, '{}')
  await expect(postJson(new URL('/broken', url), '{}', { newConnection: true })).rejects.toThrow()
  // The request was sent twice, each time on a connection of its own.
  await expect.poll(() => poolOf(url.origin).counts.open).toBe(1)
  expect(sockets.size).toBe(3)
  await postJson(url, '{}')
  expect([sockets.size, poolOf(url.origin).counts.open]).toEqual([3, 1])
})

test('a port where nobody listens refuses all who wait at once', async () => {
  const server = createServer()
  const url = await listen(server)
  await new Promise((resolve) => server.close(resolve))
  const results = await Promise.allSettled(Array.from({ length: 50 }, () => postJson(url, '{}')))
  for (const result of results) expect(result).toMatchObject({ reason: { code: 'ECONNREFUSED' } })
  expect(poolOf(url.origin).counts).toEqual({ open: 0, connecting: 0, waiting: 0 })
})
