import { expect, test } from 'vitest'
import { batchVerdict, httpErrorOf, parseRetryAfter } from './failure.ts'
import { toRpcError } from './node-error.ts'

test('Retry-After is read as seconds and as a date, and is bounded', () => {
  const now = Date.UTC(2026, 0, 1)
  expect(parseRetryAfter('2', now)).toBe(2_000)
  expect(parseRetryAfter(new Date(now + 3_000).toUTCString(), now)).toBe(3_000)
  expect(parseRetryAfter('86400', now)).toBe(60_000)
  expect(parseRetryAfter('soon', now)).toBeUndefined()
  expect(httpErrorOf(429, '1', now)).toMatchObject({ code: 'RATE_LIMITED', retryAfterMs: 1_000 })
  expect(httpErrorOf(200, '1', now)).toBeUndefined()
  expect([401, 402, 403, 413].map((status) => httpErrorOf(status, undefined)?.code)).toEqual([
    'CREDIT',
    'CREDIT',
    'CREDIT',
    'SIZE',
  ])
})

test('what is said of a batch tells whether a smaller one may pass', () => {
  expect(batchVerdict(413, undefined)).toBe('size')
  expect(batchVerdict(200, { message: 'batch too large' })).toBe('size')
  expect(batchVerdict(200, { message: 'batch not supported' })).toBe('refused')
  expect(batchVerdict(404, undefined)).toBe('refused')
  expect(batchVerdict(200, undefined)).toBe('maybe')
})

test('a contract that speaks of limits has reverted', () => {
  expect(toRpcError('eth_call', { code: -32000, message: 'execution reverted: rate limit exceeded' }).code).toBe(
    'REVERTED',
  )
})

test.each([
  [{ code: -32005, message: 'limit', data: { rate: { backoff_seconds: 30 } } }, 30_000],
  [{ code: -32005, message: 'rate limited, try again in 4ms' }, 4],
  [{ code: -32005, message: 'RPS limit', data: { try_again_in: '14.9ms' } }, 14.9],
  [{ code: -32005, message: 'rate limit' }, undefined],
])('the pause of %j is %s ms', (error, pause) => {
  expect(toRpcError('eth_call', error).retryAfterMs).toBe(pause)
})
