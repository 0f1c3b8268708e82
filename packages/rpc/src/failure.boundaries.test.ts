import { expect, test } from 'vitest'
import { Abort } from './abort.ts'
import { RpcError } from './errors.ts'
import { abortError, batchVerdict, connectionError, httpErrorOf, parseRetryAfter } from './failure.ts'

test.each([
  [200, undefined],
  [400, undefined],
  [401, 'CREDIT'],
  [402, 'CREDIT'],
  [403, 'CREDIT'],
  [404, undefined],
  [412, undefined],
  [413, 'SIZE'],
  [414, undefined],
  [428, undefined],
  [429, 'RATE_LIMITED'],
  [430, undefined],
  [500, undefined],
  [502, undefined],
  [503, 'RATE_LIMITED'],
  [504, undefined],
])('HTTP %i is %s', (status, code) => {
  const failure = httpErrorOf(status, undefined, 0)
  expect(failure?.code).toBe(code)
  expect(failure?.retryAfterMs).toBeUndefined()
})

test('only a status that asks for a pause has one', () => {
  expect(httpErrorOf(503, '5', 0)?.retryAfterMs).toBe(5_000)
  expect(httpErrorOf(503, '0', 0)?.retryAfterMs).toBe(0)
  expect(httpErrorOf(429, 'soon', 0)?.retryAfterMs).toBeUndefined()
  expect(httpErrorOf(403, '5', 0)?.retryAfterMs).toBeUndefined()
  expect(httpErrorOf(413, '5', 0)?.retryAfterMs).toBeUndefined()
})

test.each([
  [undefined, undefined],
  ['0', 0],
  [' 7 ', 7_000],
  ['12', 12_000],
  ['1.25', 1_250],
  ['59.999', 59_999],
  ['60', 60_000],
  ['61', 60_000],
  ['', undefined],
  ['Sat, 01 Jan 2005 00:00:00 GMT', 0],
  ['in 5 minutes', undefined],
])('the header Retry-After: %s is a pause of %s ms', (value, ms) => {
  expect(parseRetryAfter(value, Date.UTC(2026, 0, 1))).toBe(ms)
})

test('a pause up to a date is counted from now and bounded', () => {
  const now = Date.UTC(2026, 5, 1, 12)
  const date = (ms: number) => parseRetryAfter(new Date(now + ms).toUTCString(), now)
  expect([date(-1_000), date(0), date(1_000), date(59_000), date(61_000)]).toEqual([0, 0, 1_000, 59_000, 60_000])
})

test.each([
  [413, undefined, 'size'],
  [200, 'batch too large', 'size'],
  [200, 'Batch has too many calls', 'size'],
  [200, 'batch size', 'size'],
  [200, 'batch limit', 'size'],
  [200, 'at most 10 in a batch', 'size'],
  [200, 'a batch of more than 10', 'size'],
  [200, 'batch maximum is 10', 'size'],
  [200, 'request too big', 'size'],
  [200, 'body too long', 'size'],
  [200, 'payload exceeds 1 MB', 'size'],
  [500, 'request too large', 'size'],
  // The message names neither a batch nor a body as too large.
  [200, 'answer too large', 'refused'],
  [200, 'request failed', 'refused'],
  [200, 'no batches', 'refused'],
  [500, 'no batches', 'refused'],
  [200, '', 'refused'],
  [399, undefined, 'maybe'],
  [400, undefined, 'refused'],
  [412, undefined, 'refused'],
  [414, undefined, 'refused'],
  [499, undefined, 'refused'],
  [499, 'internal error', 'refused'],
  [500, 'internal error', 'maybe'],
  [500, undefined, 'maybe'],
] as const)('HTTP %i with the error %j makes a batch %s', (status, message, verdict) => {
  expect(batchVerdict(status, message === undefined ? undefined : { message })).toBe(verdict)
})

test('an error without a message still refuses a batch', () => {
  expect(batchVerdict(200, { code: -32600 })).toBe('refused')
})

test('an abort is reported as its own reason, as a timeout or as given up', () => {
  const ownError = new RpcError('CREDIT', 'own')
  expect(abortError({ reason: ownError }, 'eth_call')).toBe(ownError)
  expect(abortError({ reason: new DOMException('late', 'TimeoutError') }, 'eth_call').code).toBe('TIMEOUT')
  expect(abortError({ reason: new DOMException('gone', 'AbortError') }, 'eth_call').code).toBe('ABORTED')
  // Only `AbortSignal.timeout` counts as a timeout; callers may use any reason.
  expect(abortError({ reason: { name: 'TimeoutError' } }, 'eth_call').code).toBe('ABORTED')
  const abort = new Abort()
  abort.abort()
  expect(abortError(abort, 'eth_call')).toMatchObject({
    code: 'ABORTED',
    message: expect.stringContaining('eth_call'),
  })
})

const coded = (code: string, message = 'm') => Object.assign(new Error(message), { code })

test.each([
  [coded('UND_ERR_RES_EXCEEDED_MAX_SIZE'), 'BAD_ANSWER'],
  [coded('ERR_BUFFER_TOO_LARGE'), 'BAD_ANSWER'],
  [coded('Z_DATA_ERROR'), 'BAD_ANSWER'],
  [coded('HPE_INVALID_CONSTANT'), 'BAD_ANSWER'],
  [coded('UND_ERR_HEADERS_TIMEOUT'), 'TIMEOUT'],
  [coded('ETIMEDOUT'), 'UNREACHABLE'],
  [coded('UND_ERR_CONNECT_TIMEOUT'), 'TIMEOUT'],
  [coded('ECONNREFUSED'), 'UNREACHABLE'],
  [new Error('Z_BUF_ERROR'), 'BAD_ANSWER'],
  [coded('', 'TIMEOUT'), 'TIMEOUT'],
  [new Error('outer TIMEOUT', { cause: coded('ECONNRESET') }), 'UNREACHABLE'],
  [new Error('outer TIMEOUT', { cause: 'HPE_text' }), 'TIMEOUT'],
  ['TIMEOUT', 'TIMEOUT'],
  [undefined, 'UNREACHABLE'],
])('a connection that fails with %s is %s', (cause, code) => {
  expect(connectionError(cause)).toMatchObject({ code, cause })
})

test('an error that has a meaning already keeps it, and the name of the failure is in the message', () => {
  const ownError = new RpcError('SIZE', 'own')
  expect(connectionError(ownError)).toBe(ownError)
  expect(connectionError(coded('ECONNREFUSED', 'other')).message).toContain('ECONNREFUSED')
  expect(connectionError(new Error('outer', { cause: coded('ENOTFOUND') })).message).toContain('ENOTFOUND')
})

test('a request that was given up is no number', () => {
  const { message } = connectionError(new DOMException('This operation was aborted', 'AbortError'))
  expect(message).toBe('the node cannot be reached: This operation was aborted')
})
