/** Tests of the answers to malformed HTTP requests. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createMetrics } from '../metrics.ts'
import { answerMalformed } from './malformed.ts'

function answer(nodeCode: string | undefined, { isEnded = false } = {}) {
  const metrics = createMetrics()
  const socket = new PassThrough()
  if (isEnded) socket.end()
  answerMalformed('B', metrics)(Object.assign(new Error('node'), { code: nodeCode }), socket)
  const text: string | undefined = socket.read()?.toString()
  return { metrics, socket, text }
}

test.each([
  ['HPE_HEADER_OVERFLOW', 431, 'HEADERS_TOO_LARGE', 'the headers are too large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408, 'REQUEST_TIMEOUT', 'the request did not arrive in time'],
  ['HPE_INVALID_METHOD', 400, 'MALFORMED_REQUEST', 'this is not a valid HTTP/1.1 request'],
  [undefined, 400, 'MALFORMED_REQUEST', 'this is not a valid HTTP/1.1 request'],
])('%s answers %d, and counts it', async (nodeCode, status, code, error) => {
  const { metrics, socket, text } = answer(nodeCode)
  const [head, body] = text!.split('\r\n\r\n') as [string, string]
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} \\w`))
  const { requestId, ...fields } = JSON.parse(body)
  expect(fields).toMatchObject({ code, error })
  expect(head).toContain(`X-Request-Id: ${requestId}`)
  expect(head).toContain('Connection: close')
  expect(socket.writableEnded).toBe(true)
  expect((await metrics.requests.get()).values).toMatchObject([
    { labels: { endpoint: 'other', status, code }, value: 1 },
  ])
})

test.each([
  ['a connection that the client reset', 'ECONNRESET', {}],
  ['a connection that has ended', 'HPE_INVALID_METHOD', { isEnded: true }],
])('%s is closed without an answer', async (_, nodeCode, options) => {
  const { metrics, socket, text } = answer(nodeCode, options)
  expect([socket.destroyed, text]).toEqual([true, undefined])
  expect((await metrics.requests.get()).values).toEqual([])
})

test.each([
  ['has begun is ended', true, 1, 'part'],
  ['has not begun is replaced', false, 1, 'MALFORMED_REQUEST'],
])('a response that %s when the next request on its connection is malformed', async (_, begins, replies, end) => {
  const server = createServer((_request, response) => {
    if (begins) response.write('part')
    received.resolve()
  })
  server.on('clientError', answerMalformed('B', createMetrics()))
  const received = Promise.withResolvers<void>()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  try {
    let text = ''
    socket.setEncoding('utf8').on('data', (data) => {
      text += data
    })
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await received.promise
    socket.write('no request\r\n\r\n')
    await once(socket, 'close')
    expect(text.match(/HTTP\/1\.1 \d/g)).toHaveLength(replies)
    expect(text).toContain(end)
  } finally {
    socket.destroy()
    server.close()
  }
})
