/** Tests of the translation of errors. */
import { MarketError, type MarketErrorCode } from '@sluice/liquidity'
import { QuotingError, type QuotingErrorCode } from '@sluice/quoting'
import { RoutingError, type RoutingErrorCode } from '@sluice/routing'
import { RpcError, type RpcErrorCode } from '@sluice/rpc'
import { SimulationError } from '@sluice/simulation'
import { AbiCoder } from 'ethers'
import { describe, expect, test } from 'vitest'
import { type ApiErrorCode, errorTable } from './error-table.ts'
import { ApiError } from './errors.ts'
import { toApiError } from './translate.ts'

const SECRET = 'https://node.example/key-123'

test.each<[RoutingErrorCode, number]>([
  ['SEARCH_OVERRAN', 504],
  ['WORK_SPENT', 504],
  ['THREAD_ENDED', 500],
  ['ROUTE_INVARIANT', 500],
])('a search that ends with %s answers %i', (code, status) => {
  expect(errorTable[toApiError(new RoutingError(code, 'x')).code].status).toBe(status)
})

// Callers decide by the code whether to change the request, to retry, or to give up.
test('a quote that fails has the code of its reason', () => {
  const codes = {
    ...{ NO_EXECUTOR: 'UNSUPPORTED_CHAIN', BLOCK_AHEAD: 'INVALID_PARAMETER' },
    ...{ DEADLINE_PASSED: 'INVALID_PARAMETER', DEADLINE_FAR: 'INVALID_PARAMETER' },
    // The others keep their code.
    ...{ NATIVE_UNSUPPORTED: 'NATIVE_UNSUPPORTED', GUARD_NOT_DEPLOYED: 'GUARD_NOT_DEPLOYED', BEHIND: 'BEHIND' },
    ...{ NO_STATE: 'NO_STATE', BAD_PERMIT: 'BAD_PERMIT', BAD_TOKEN: 'BAD_TOKEN', UNKNOWN_TOKEN: 'UNKNOWN_TOKEN' },
    ...{ NO_ROUTE: 'NO_ROUTE', AMOUNT_TOO_SMALL: 'AMOUNT_TOO_SMALL', INSUFFICIENT_LIQUIDITY: 'INSUFFICIENT_LIQUIDITY' },
    ...{ ROUTE_REVERTED: 'ROUTE_REVERTED', PRICE_IMPACT: 'PRICE_IMPACT', VALUE_LOSS: 'VALUE_LOSS' },
  } satisfies Record<QuotingErrorCode, ApiErrorCode>
  for (const code of Object.keys(codes) as QuotingErrorCode[])
    expect([code, toApiError(new QuotingError(code, 'x')).code]).toEqual([code, codes[code]])
})

test('a market that cannot answer has a code that says whether to retry', () => {
  const codes = {
    ...{ NOT_READY: 'NOT_READY', STOPPED: 'NOT_READY', REORGED: 'NOT_READY', BAD_SNAPSHOT: 'NOT_READY' },
    ...{ BAD_POOL_LIST: 'NOT_READY', BUSY: 'OVERLOADED', BEHIND: 'BEHIND' },
  } satisfies Record<MarketErrorCode, ApiErrorCode>
  for (const code of Object.keys(codes) as MarketErrorCode[])
    expect([code, toApiError(new MarketError(code, 'x')).code]).toEqual([code, codes[code]])
})

describe('the failure of a node', () => {
  test('is reported without its message, which may contain the URL of the node', () => {
    for (const code of ['UNREACHABLE', 'TIMEOUT', 'RATE_LIMITED', 'BAD_ANSWER', 'REJECTED', 'REVERTED'] as const) {
      const error = toApiError(new RpcError(code, SECRET))
      expect([error.code, error.status, error.message.includes('key-123')]).toEqual(['RPC_FAILED', 502, false])
    }
  })

  test.each([
    [1, 1],
    [1_000, 1],
    [1_001, 2],
    [59_999, 60],
    [0, 1],
  ])('that limits requests for %i ms answers 503 with a Retry-After of %i s', (retryAfterMs, retryAfter) => {
    const cause = new RpcError('RATE_LIMITED', SECRET, '0x', { retryAfterMs })
    const error = toApiError(cause)
    expect(error).toMatchObject({ code: 'NODE_PAUSED', status: 503, retryAfter, cause })
    expect(error.message).not.toContain(SECRET)
  })

  test('names a pause only if the node limits requests and says for how long', () => {
    expect(toApiError(new RpcError('RATE_LIMITED', '')).code).toBe('RPC_FAILED')
    const others: readonly RpcErrorCode[] = ['UNREACHABLE', 'TIMEOUT', 'CREDIT']
    for (const code of others)
      expect(toApiError(new RpcError(code, '', '0x', { retryAfterMs: 5 })).code).toBe('RPC_FAILED')
    const notOfNodes = Object.assign(new QuotingError('NO_ROUTE', 'none'), { retryAfterMs: 5 })
    expect(toApiError(notOfNodes).code).toBe('NO_ROUTE')
  })

  test('is a timeout of the request if the request ended while the node was asked', () => {
    expect(toApiError(new RpcError('ABORTED', ''))).toMatchObject({ code: 'TIMEOUT', status: 504 })
  })

  test('has the cure of its reason, or of its code', () => {
    expect(toApiError(new RpcError('WRONG_CHAIN', '')).cure).toContain('named a node of this chain')
    expect(toApiError(new RpcError('TIMEOUT', '')).cure).toBe(errorTable.RPC_FAILED.cure)
  })
})

test('other errors of the service keep their message and their details', () => {
  const details = { minRoutableAmount: '5' }
  const error = toApiError(new QuotingError('AMOUNT_TOO_SMALL', 'too small', details))
  expect(error).toMatchObject({ code: 'AMOUNT_TOO_SMALL', message: 'too small', details })
  expect(toApiError(new SimulationError('BAD_TOKEN', 'no token'))).toMatchObject({
    code: 'BAD_TOKEN',
    message: 'no token',
  })
  expect(toApiError(new MarketError('BUSY', 'busy'))).toMatchObject({ code: 'OVERLOADED', retryAfter: 1 })
})

test('the reason of an abort goes before errors that follow from it', () => {
  const reason = new ApiError('CLIENT_CLOSED', 'gone')
  expect(toApiError(new RpcError('ABORTED', ''), reason)).toBe(reason)
  expect(toApiError(reason)).toBe(reason)
})

test('answers of contracts that cannot be decoded are faults of the node', () => {
  for (const data of ['0x', '0x01']) {
    let thrown: unknown
    try {
      AbiCoder.defaultAbiCoder().decode(['uint256'], data)
    } catch (error) {
      thrown = error
    }
    expect(toApiError(thrown)).toMatchObject({ code: 'RPC_FAILED', cause: thrown })
  }
})

describe('an error of HTTP', () => {
  const httpError = (status: number, type?: string) => Object.assign(new Error(SECRET), { status, type })

  test.each([
    [httpError(413, 'entity.too.large'), 'BODY_TOO_LARGE', 'the body is too large'],
    [httpError(400, 'request.aborted'), 'CLIENT_CLOSED', 'the caller hung up'],
    [httpError(400, 'entity.parse.failed'), 'INVALID_BODY', 'the body must be a JSON object'],
    [httpError(499), 'INVALID_BODY', 'the body must be a JSON object'],
    [Object.assign(new URIError(SECRET), { status: 400 }), 'INVALID_PARAMETER', 'percent-encoded'],
    [httpError(500), 'INTERNAL', 'unexpected error'],
    [Object.assign(new Error(SECRET), { status: '400' }), 'INTERNAL', 'unexpected error'],
    [new Error(SECRET), 'INTERNAL', 'unexpected error'],
    [{ status: 400 }, 'INTERNAL', 'unexpected error'],
    [undefined, 'INTERNAL', 'unexpected error'],
  ])('%o is %s', (thrown, code, message) => {
    const error = toApiError(thrown)
    expect(error.code).toBe(code)
    expect(error.message).toContain(message)
    expect(error.message).not.toContain(SECRET)
  })
})
