/** Tests which errors are retryable, which are refusals of the owner, and how any thrown value becomes a ClientError. */
import { describe, expect, test } from 'vitest'
import { ClientError, isRejection, messageOf, orWalletError, toClientError, withHash } from './errors.ts'

const nested = (depth: number, inner: unknown, field: (error: unknown) => object = (cause) => ({ cause })) => {
  let error = inner
  for (let k = 0; k < depth; k++) error = field(error)
  return error
}

test.each([
  ['NETWORK', {}, true],
  ['HTTP', { status: 501 }, false],
  ['HTTP', { status: 502 }, true],
  ['HTTP', { status: 503 }, true],
  ['HTTP', { status: 504 }, true],
  ['HTTP', { status: 505 }, false],
  ['HTTP', { status: 504, serviceCode: 'ROUTE_TIMEOUT' }, false],
  ['HTTP', { status: 504, serviceCode: 'RPC_FAILED' }, true],
  ['HTTP', {}, false],
  ['BAD_ANSWER', { status: 200 }, false],
] as const)('%s with %o is retryable: %s', (code, details, expected) =>
  expect(new ClientError(code, 'x', details).retryable).toBe(expected),
)

describe('the message of a thrown value', () => {
  test.each([
    [new Error('down'), 'down'],
    [{ message: 'text' }, 'text'],
    [{ message: 7 }, '[object Object]'],
    ['plain', 'plain'],
    [undefined, 'undefined'],
    [null, 'null'],
    ['x'.repeat(501), 'x'.repeat(500)],
    [{ message: 'y'.repeat(501) }, 'y'.repeat(500)],
    [Object.create(null), 'an error without text'],
  ])('%# is its text', (thrown, expected) => expect(messageOf(thrown)).toBe(expected))
})

describe('a refusal of the owner', () => {
  test.each([
    [{ code: 4001 }, true],
    [{ code: 5000 }, true],
    [{ code: 'ACTION_REJECTED' }, true],
    [{ code: '4001' }, false],
    [{ code: 4000 }, false],
    [{ message: 'User rejected the request.' }, true],
    [{ message: 'Error: user denied transaction signature' }, true],
    [{ message: 'user canceled' }, true],
    [{ message: 'user cancelled' }, true],
    [{ message: 'user declined' }, true],
    [{ message: 'superuser rejected' }, false],
    [{ message: 'user rejectedly' }, false],
    [{ message: 'the node rejected it' }, false],
    [{ message: ['user rejected'] }, false],
    [null, false],
    [undefined, false],
    ['User rejected the transaction', true],
    ['execution reverted', false],
    [{ message: 'Request was rejected by the user' }, true],
    [{ message: 'Condition of use not satisfied (denied by the user?)' }, true],
    [{ message: 'cancelled by user' }, true],
    [{ message: 'user refused' }, true],
    [{ message: 'rejected by users' }, false],
  ])('is %o: %s', (error, expected) => expect(isRejection(error)).toBe(expected))

  test.each([
    ['cause', (cause: unknown) => ({ cause })],
    ['error', (error: unknown) => ({ error })],
    ['info', (error: unknown) => ({ info: { error } })],
    ['originalError', (originalError: unknown) => ({ code: -32_603, originalError })],
    ['data', (data: unknown) => ({ code: -32_603, data })],
  ])('is found in nested errors, six levels deep: %s', (_, field) => {
    expect(isRejection(nested(5, { code: 4001 }, field))).toBe(true)
    expect(isRejection(nested(6, { code: 4001 }, field))).toBe(false)
  })

  test('is not found where errors end', () => {
    expect(isRejection({ cause: null, error: { code: 4001 } })).toBe(true)
    expect(isRejection({ cause: 'text', error: { code: 4001 } })).toBe(false)
    expect(isRejection({ info: {} })).toBe(false)
  })
})

describe('any thrown value', () => {
  test('becomes a ClientError with its text and cause', () => {
    const cause = new Error('down')
    expect(toClientError(cause, 'WALLET', 'call: ')).toMatchObject({
      ...{ name: 'ClientError', code: 'WALLET', message: 'call: down', cause, details: {} },
    })
    expect(toClientError('text', 'INVALID')).toMatchObject({ code: 'INVALID', message: 'text' })
  })

  test('is REJECTED if the owner refused, and unchanged if it is a ClientError', () => {
    expect(toClientError({ code: 4001, message: 'no' }, 'WALLET')).toMatchObject({ code: 'REJECTED', message: 'no' })
    const error = new ClientError('STALE', 'old')
    expect(toClientError(error, 'WALLET', 'call: ')).toBe(error)
  })

  test('of a wallet is WALLET, also if it is thrown at once', async () => {
    expect(await orWalletError(async () => 7)).toBe(7)
    for (const act of [
      () => Promise.reject(new Error('down')),
      () => {
        throw new Error('down')
      },
    ])
      await expect(orWalletError(act, 'code: ')).rejects.toMatchObject({ code: 'WALLET', message: 'code: down' })
  })
})

test('an error gets the hash of the latest transaction, unless it has one', () => {
  const cause = new Error('inner')
  const error = new ClientError('WALLET', 'down', { status: 5 }, { cause })
  expect(withHash(error, undefined)).toBe(error)
  expect(withHash(error, '0x01')).toMatchObject({
    ...{ code: 'WALLET', message: 'down', details: { status: 5, hash: '0x01' }, cause },
  })
  const bare = new ClientError('WALLET', 'down')
  expect(withHash(bare, '0x01').cause).toBe(bare)
  const hashed = withHash(error, '0x01')
  expect(withHash(hashed, '0x02')).toBe(hashed)
})
