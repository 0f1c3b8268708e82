import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
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
