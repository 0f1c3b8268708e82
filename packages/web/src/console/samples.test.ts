/** Tests of the generated code samples. */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { type ConsoleEndpoint, callOf, endpointsOf } from './openapi.ts'
import { sampleOf } from './samples.ts'

const field = (name: string, location: 'path' | 'query' | 'body', isJson = false) => {
  return { name, location, required: true, description: '', hint: '', isJson }
}
const endpoint: ConsoleEndpoint = {
  ...{ id: 'tokens', method: 'get', path: '/tokens/{chain_id}', summary: '', description: '', isStream: false },
  fields: [field('chain_id', 'path'), field('token', 'query'), field('q', 'query')],
}
const values = { chain_id: '1', token: '0xa,0xb', q: "it's & co" }
const origin = 'http://localhost:3000'

test('parameters are encoded in the position that the document defines', () => {
  expect(callOf(endpoint, values)).toEqual({ method: 'get', path: "/tokens/1?token=0xa,0xb&q=it's%20%26%20co" })
  const post: ConsoleEndpoint = {
    ...endpoint,
    method: 'post',
    fields: [field('chain_id', 'path'), field('quotes', 'body', true)],
  }
  expect(callOf(post, { chain_id: '1', quotes: '[{"src":"0x1"}]' })).toEqual({
    ...{ method: 'post', path: '/tokens/1' },
    body: '{"quotes":[{"src":"0x1"}]}',
  })
})

test('a list of strings in a body accepts commas or JSON', () => {
  const body = { properties: { token: { type: 'array', items: { type: 'string' } } }, required: ['token'] }
  const content = { 'application/json': { schema: body } }
  const paths = { '/prices/{chain_id}': { post: { operationId: 'pricesPost', requestBody: { content } } } }
  const [post] = endpointsOf({ paths })
  for (const token of ['0xa,0xb', ' 0xa, 0xb ', '["0xa","0xb"]'])
    expect(callOf(post!, { token }).body, token).toBe('{"token":["0xa","0xb"]}')
})

test('the curl line is quoted for a shell', () => {
  const line = sampleOf('curl', { origin, endpoint, call: callOf(endpoint, values), values })
  const words = execFileSync('bash', ['-c', line.replace(/^curl/, "printf '%s\\n'")], { encoding: 'utf8' })
    .trim()
    .split('\n')
  expect(words).toEqual([
    '-sG',
    `${origin}/tokens/1`,
    '--data-urlencode',
    'token=0xa,0xb',
    '--data-urlencode',
    "q=it's & co",
  ])
})

test('headers are not fields, and events are separated', () => {
  const parameters = [
    { name: 'chain_id', in: 'path' as const, required: true },
    { name: 'X-Request-Id', in: 'header' as const },
  ]
  const paths = {
    '/stream/{chain_id}': {
      get: { operationId: 'stream', parameters, responses: { 200: { content: { 'text/event-stream': {} } } } },
    },
  }
  expect(endpointsOf({ paths })).toMatchObject([{ isStream: true, fields: [{ name: 'chain_id' }] }])
})
