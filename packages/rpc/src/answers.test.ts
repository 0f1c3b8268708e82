import { expect, test } from 'vitest'
import { type Answer, parseAnswers, resultOf } from './answers.ts'
import { RpcError } from './errors.ts'

const parse = (json: unknown, ids = [1]) => parseAnswers(JSON.stringify(json), 200, ids)
const whole = async (json: unknown, ids = [1]) => (await parse(json, ids)).batchError

test.each([
  [200, 'BAD_ANSWER'],
  [499, 'BAD_ANSWER'],
  [500, 'UNREACHABLE'],
  [502, 'UNREACHABLE'],
])('a body that is not JSON with HTTP %i is %s', async (status, code) => {
  const error = await parseAnswers('<html>', status, [1]).catch((error: unknown) => error as RpcError)
  expect(error).toBeInstanceOf(RpcError)
  expect(error).toMatchObject({ code, cause: expect.any(SyntaxError), message: expect.stringContaining(`${status}`) })
})

test('answers are found by id, whether the id is a number or text, and the first of an id counts', async () => {
  const { answerById: byId, batchError: whole } = await parse([
    { id: 0, result: 'zero' },
    { id: 1, result: 'first' },
    { id: '1', result: 'second' },
    { id: null, result: 'nobody' },
    { result: 'nobody' },
  ])
  expect([...byId]).toEqual([
    ['0', { id: 0, result: 'zero' }],
    ['1', { id: 1, result: 'first' }],
  ])
  expect(whole).toBeUndefined()
})

test('a single answer without a list is found as well', async () => {
  expect([...(await parse({ id: 7, result: '0x' })).answerById.keys()]).toEqual(['7'])
})

test.each([[null], [1], ['text'], [[null, 1, 'text', true]]])('%j holds no answers', async (json) => {
  expect(await parse(json)).toEqual({ answerById: new Map(), batchError: undefined })
})

test('an error without an id is an error of the whole body, if it is the only answer', async () => {
  const error = { code: -32600, message: 'no' }
  expect(await whole({ error })).toEqual(error)
  expect(await whole([{ error, id: null }])).toEqual(error)
  expect(await whole([null, { error }])).toEqual(error)
  expect(await whole({ error: 'busy' })).toEqual({ message: 'busy' })
  expect(await whole({ error, id: 1 })).toBeUndefined()
  expect(await whole({ error, id: 0 }, [0])).toBeUndefined()
  expect(await whole([{ error }, { error }])).toBeUndefined()
  expect(await whole({ result: '0x' })).toBeUndefined()
  expect(await whole({ error: null })).toBeUndefined()
  expect(await whole([])).toBeUndefined()
})

test('the only answer is an error of the whole body if it answers another call, or one of several', async () => {
  const error = { code: -32600, message: 'batch too large' }
  expect(await whole({ error, id: 0 })).toEqual(error)
  expect(await whole([{ error, id: 2 }], [1])).toEqual(error)
  expect(await whole([{ error, id: 1 }], [1, 2])).toEqual(error)
  expect(await whole({ result: '0x', id: 1 }, [1, 2])).toBeUndefined()
})

test('an error without the envelope of JSON-RPC is an error of the whole body', async () => {
  const error = { code: -32005, message: 'Too Many Requests', data: { see: 'https://infura.io/dashboard' } }
  expect(await whole(error)).toEqual(error)
  expect(await whole({ message: 'API rate limit exceeded' })).toEqual({ message: 'API rate limit exceeded' })
  expect(await whole({ message: 'ok', result: '0x', id: 1 })).toBeUndefined()
  expect(await whole({ message: 1 })).toBeUndefined()
})

function codeOf(method: string, params: readonly unknown[], answer: Answer, failure?: RpcError): unknown {
  try {
    return { result: resultOf(method, params, answer, failure) }
  } catch (error) {
    return (error as RpcError).code
  }
}

test.each([['0x'], [false], [0], ['']])('the result %j is returned as it is', (result) => {
  expect(resultOf('eth_call', [], { result })).toBe(result)
  expect(resultOf('eth_call', [], { result, error: null })).toBe(result)
})

test.each([
  'eth_call',
  'eth_getLogs',
  'eth_getCode',
  'eth_gasPrice',
  'eth_chainId',
  'eth_blockNumber',
  'eth_getBalance',
  'eth_getStorageAt',
  'eth_estimateGas',
])('null is no answer to %s', (method) => {
  expect(codeOf(method, [], { result: null })).toBe('BAD_ANSWER')
})

test.each(['eth_getBlockByHash', 'eth_callMany', 'my_eth_call', 'eth_getTransactionReceipt'])(
  'null is an answer to %s',
  (method) => {
    expect(resultOf(method, ['latest'], { result: null })).toBeNull()
  },
)

test('null is an answer to a block by number, but not to the latest block', () => {
  expect(codeOf('eth_getBlockByNumber', ['latest', false], { result: null })).toBe('BAD_ANSWER')
  expect(codeOf('eth_getBlockByNumber', ['0x1', false], { result: null })).toEqual({ result: null })
  expect(codeOf('eth_getBlockByNumber', ['0x1', 'latest'], { result: null })).toEqual({ result: null })
  expect(codeOf('eth_getBlockByNumber', ['latest', false], { result: {} })).toEqual({ result: {} })
})

test('an answer without a result is bad, unless the HTTP status already says what failed', () => {
  const failure = new RpcError('CREDIT', 'HTTP 402')
  expect(codeOf('eth_call', [], {})).toBe('BAD_ANSWER')
  expect(() => resultOf('eth_call', [], {}, failure)).toThrow(failure)
  expect(resultOf('eth_call', [], { result: '0x1' }, failure)).toBe('0x1')
})

test('an error decides by its own text, and by the HTTP status where the text says nothing', () => {
  const credit = new RpcError('CREDIT', 'HTTP 403')
  expect(codeOf('eth_call', [], { error: 'too many requests' })).toBe('RATE_LIMITED')
  expect(codeOf('eth_call', [], { error: { message: 'odd' } })).toBe('REJECTED')
  expect(codeOf('eth_call', [], { error: { message: 'execution reverted' } }, credit)).toBe('REVERTED')
  expect(() => resultOf('eth_call', [], { error: { message: 'odd' } }, credit)).toThrow(credit)
})

test('the pause of the HTTP header is kept where the error of the same code states none', () => {
  const paused = new RpcError('RATE_LIMITED', 'HTTP 429', '0x', { retryAfterMs: 7_000 })
  const credit = new RpcError('CREDIT', 'HTTP 402', '0x', { retryAfterMs: 7_000 })
  const pauseOf = (message: string, failure: RpcError) => {
    try {
      return resultOf('eth_call', [], { error: { message } }, failure)
    } catch (error) {
      return [(error as RpcError).code, (error as RpcError).retryAfterMs]
    }
  }
  expect(pauseOf('rate limit', paused)).toEqual(['RATE_LIMITED', 7_000])
  expect(pauseOf('rate limit, try again in 2s', paused)).toEqual(['RATE_LIMITED', 2_000])
  expect(pauseOf('rate limit', credit)).toEqual(['RATE_LIMITED', undefined])
  expect(pauseOf('out of credits', paused)).toEqual(['CREDIT', undefined])
})
