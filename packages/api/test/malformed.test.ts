/** Sends malformed HTTP to the service, in both error versions. */
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningServer } from '../src/index.ts'
import { startWithoutChain } from './src/service.ts'

const A = `0x${'aa'.repeat(20)}`
const request = (line: string, headers: readonly string[] = [], body = '') =>
  [`${line} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers, '', body].join('\r\n')
const post = (body: string, headers: readonly string[] = []) =>
  request('POST /simulate/1', ['Content-Type: application/json', `Content-Length: ${body.length}`, ...headers], body)

const malformed = 'this is not a valid HTTP/1.1 request'
const body = 'the body must be a JSON object'
const cases: readonly (readonly [name: string, bytes: string, status: number, text: string])[] = [
  ['a null byte in the target', request('GET /prices/1?token=\0'), 400, malformed],
  ['a space in the target', request('GET /prices/1?token=a b'), 400, malformed],
  ['bytes above ASCII in the target', request('GET /prices/1?token=é'), 400, malformed],
  ['a method nobody knows', request('FOO /chains'), 400, malformed],
  ['lines without carriage return', 'GET /chains HTTP/1.1\nHost: x\n\n', 400, malformed],
  ['another protocol', '\x16\x03\x01 hello\r\n\r\n', 400, malformed],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, malformed],
  ['two lengths', request('POST /simulate/1', ['Content-Length: 2', 'Content-Length: 3'], '{}'), 400, malformed],
  [
    'a length and chunks',
    request('POST /simulate/1', ['Content-Length: 4', 'Transfer-Encoding: chunked'], '0\r\n\r\n'),
    400,
    malformed,
  ],
  ['a length that is no number', request('POST /simulate/1', ['Content-Length: abc']), 400, malformed],
  [
    'a chunk that is none',
    request('POST /simulate/1', ['Content-Type: application/json', 'Transfer-Encoding: chunked'], 'ZZ\r\n{}\r\n'),
    400,
    malformed,
  ],
  ['no Host', 'GET /chains HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'a Host header must be sent'],
  [
    'headers beyond every limit',
    request('GET /chains', [`X-A: ${'a'.repeat(300_000)}`]),
    431,
    'the headers are too large',
  ],
  [
    'headers without number',
    request(
      'GET /chains',
      Array.from({ length: 60_000 }, () => 'X-A: 1'),
    ),
    431,
    'the headers are too large',
  ],
  ['an expectation that nobody knows', post('{}', ['Expect: miracles']), 400, 'from must be provided'],
  ['a body that is not packed as it says', post('{}', ['Content-Encoding: gzip']), 400, body],
  ['a body packed in a way nobody knows', post('{}', ['Content-Encoding: rot13']), 400, body],
  ['a body in letters nobody knows', post('{}').replace('json', 'json; charset=klingon'), 400, body],
  ['a body nested without end', post('['.repeat(50_000)), 400, body],
  ['a body of null', post('null'), 400, body],
  ['a body with a prototype', post('{"__proto__":{"from":"x"},"constructor":1}'), 400, 'from must be provided'],
  [
    'a parameter behind two thousand others',
    request(`GET /prices/1?${'a=1&'.repeat(2_000)}token=1`),
    400,
    'token must be valid 0x... addresses, separated by commas',
  ],
  [
    'bytes in the query that are no text',
    request('GET /prices/1?token=%E0%A4%A'),
    400,
    'token must be valid 0x... addresses, separated by commas',
  ],
  ['bytes in the path that are no text', request('GET /prices/%ZZ'), 400, 'the path is not valid percent-encoded text'],
  ['a chain id with a null byte', request(`GET /prices/1%00?token=${A}`), 400, 'chain_id must be a base-10 integer'],
  [
    'a chain id of 5,000 digits',
    request(`GET /prices/${'9'.repeat(5_000)}`),
    404,
    `chain ${'9'.repeat(80)} is not supported; /chains lists those that are`,
  ],
  ['a path out of the tree', request('GET /../../etc/passwd'), 404, 'unknown path; see /openapi.json'],
  ['two slashes', request('GET //chains'), 404, 'unknown path; see /openapi.json'],
  ['a method that writes', request('PROPFIND /chains'), 405, 'use GET, HEAD'],
]

describe.each(['A', 'B'] as const)('version %s', (version) => {
  let server: RunningServer
  beforeAll(async () => {
    server = await startWithoutChain({ ERROR_VERSION: version })
  })
  afterAll(() => server.close())

  /** Sends raw bytes and returns everything received until the connection is closed. */
  function send(bytes: string): Promise<string> {
    const { hostname, port } = new URL(server.url)
    return new Promise((resolve) => {
      let received = ''
      const socket = connect(Number(port), hostname, () => socket.write(bytes))
      socket.on('data', (chunk) => {
        received += String(chunk)
      })
      // The server may reset the connection after its response if unread bytes are left.
      socket.on('error', () => {})
      socket.once('close', () => resolve(received))
    })
  }

  test.each(cases)('%s', async (_name, bytes, status, text) => {
    const answer = await send(bytes)
    const [head, content] = answer.split('\r\n\r\n') as [string, string]
    const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]
    expect(head, answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(header('Content-Length')).toBe(String(Buffer.byteLength(content)))
    expect(header('X-Content-Type-Options')).toBe('nosniff')
    expect(header('Access-Control-Allow-Origin')).toBe('*')
    const id = header('X-Request-Id')
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
    if (version === 'B') {
      expect(header('Content-Type')).toBe('application/json; charset=utf-8')
      expect(JSON.parse(content)).toMatchObject({
        error: text,
        code: expect.stringMatching(/^[A-Z_]+$/),
        requestId: id,
      })
    } else if (status === 404) expect(content).toMatch(/^<!DOCTYPE html>/)
    else expect(content).toBe(text)
  })

  test('HEAD answers as GET does, without the body', async () => {
    const [get, head] = await Promise.all([send(request('GET /chains')), send(request('HEAD /chains'))])
    const fixed = (answer: string) => answer.split('\r\n\r\n')[0]!.replace(/^(X-Request-Id|Date): .*$/gim, '')
    expect(fixed(head)).toBe(fixed(get))
    expect(head.endsWith('\r\n\r\n')).toBe(true)
  })

  test('the service keeps answering', async () => {
    expect(await send(request('GET /health'))).toMatch(/^HTTP\/1.1 200 /)
    expect(await send(request('GET /metrics'))).toMatch(/endpoint="other",status="400",code="MALFORMED_REQUEST"} \d+/)
  })
})
