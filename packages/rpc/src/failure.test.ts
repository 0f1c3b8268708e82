import { expect, test } from 'vitest'
import { batchVerdict, httpFailure, nodeError, parseRetryAfter } from './failure.ts'

test.each([
  [-32005, 'limit exceeded', 'RATE_LIMITED'],
  [-32016, 'over rate limit', 'RATE_LIMITED'],
  [-32000, 'Your app has exceeded its compute units per second capacity', 'RATE_LIMITED'],
  [-32000, 'header not found', 'LAGGING'],
  [-32000, 'missing trie node 0a1b (path ) state 0x0a1b is not available', 'LAGGING'],
  [-32001, 'Resource not found', 'LAGGING'],
  [-32000, 'block with hash 0x00 could not be found', 'LAGGING'],
  [-32000, 'cannot query unfinalized data', 'LAGGING'],
  [-32000, 'World state unavailable', 'LAGGING'],
  [-32602, 'BlockOutOfRangeError: block height is 7 but requested was 9', 'LAGGING'],
  [3, 'execution reverted', 'REVERTED'],
  [-32000, 'out of gas', 'REVERTED'],
  [-32603, 'EVM error OutOfGas', 'REVERTED'],
  [-32000, 'execution reverted: rate limit exceeded', 'REVERTED'],
  [-32601, 'method not found', 'REJECTED'],
  [-32602, 'invalid params', 'REJECTED'],
])('%i "%s" is %s', (code, message, expected) => {
  expect(nodeError('eth_call', { code, message }).code).toBe(expected)
})

test('Retry-After is read as seconds and as a date, and is bounded', () => {
  const now = Date.UTC(2026, 0, 1)
  expect(parseRetryAfter('2', now)).toBe(2_000)
  expect(parseRetryAfter(new Date(now + 3_000).toUTCString(), now)).toBe(3_000)
  expect(parseRetryAfter('86400', now)).toBe(10_000)
  expect(parseRetryAfter('soon', now)).toBeUndefined()
  expect(httpFailure(429, '1', now)).toMatchObject({ code: 'RATE_LIMITED', retryAfterMs: 1_000 })
  expect(httpFailure(200, '1', now)).toBeUndefined()
})

test('what is said of a batch tells whether a smaller one may pass', () => {
  expect(batchVerdict(413, undefined)).toBe('size')
  expect(batchVerdict(200, { message: 'batch too large' })).toBe('size')
  expect(batchVerdict(200, { message: 'batch not supported' })).toBe('refused')
  expect(batchVerdict(404, undefined)).toBe('refused')
  expect(batchVerdict(200, undefined)).toBe('maybe')
})
