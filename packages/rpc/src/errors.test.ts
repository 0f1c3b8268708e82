import { expect, test } from 'vitest'
import { RpcError, type RpcErrorCode } from './errors.ts'

/** Expected flags of each error code. */
const kinds: Readonly<Record<RpcErrorCode, readonly [passes: boolean, isRefusal: boolean, ofBlock: boolean]>> = {
  UNREACHABLE: [true, false, false],
  TIMEOUT: [true, false, false],
  RATE_LIMITED: [true, false, false],
  CREDIT: [true, false, false],
  BAD_ANSWER: [true, false, false],
  LAGGING: [true, false, true],
  PRUNED: [false, false, true],
  WRONG_CHAIN: [false, false, false],
  UNSUPPORTED: [false, true, false],
  NO_OVERRIDES: [false, false, false],
  GAS_CAP: [false, true, false],
  SIZE: [false, true, false],
  RANGE: [false, true, false],
  REJECTED: [false, true, true],
  REVERTED: [false, false, false],
  BLOCK_GONE: [false, false, true],
  ABORTED: [false, false, false],
}

test.each(Object.entries(kinds))('%s passes, is a refusal, is of the block: %j', (code, expected) => {
  const error = new RpcError(code as RpcErrorCode, 'm')
  expect([error.isTransient, error.isRefusal, error.mayDependOnBlock]).toEqual(expected)
})

test('an error holds its data, pause, blocks and cause', () => {
  const cause = new Error('c')
  const error = new RpcError('RANGE', 'm', '0x12', { retryAfterMs: 5, grantedBlocks: 7, cause })
  expect(error).toMatchObject({
    name: 'RpcError',
    code: 'RANGE',
    data: '0x12',
    retryAfterMs: 5,
    grantedBlocks: 7,
    cause,
  })
  expect(error.message).toBe('m')
  const bare = new RpcError('RANGE', 'm')
  expect(bare).toMatchObject({ data: '0x', retryAfterMs: undefined, grantedBlocks: undefined })
  expect(bare.cause).toBeUndefined()
  expect(bare).toBeInstanceOf(Error)
})
