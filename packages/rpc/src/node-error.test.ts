import { expect, test } from 'vitest'
import { MAX_RETRY_AFTER_MS, toRpcError } from './node-error.ts'

const codeOf = (message: string, method = 'eth_getBalance', code = -32000) => toRpcError(method, { code, message }).code

test.each([
  'execution reverted',
  'Execution Reverted: rate limit exceeded',
  'VM exception while running',
  'VM execution error: rate limit',
  'EVM error: rate limit',
  'the call did revert',
  'out of gas',
  'EvmError OutOfGas',
  'oog',
  'InvalidFEOpcode',
  'InvalidOpcode',
  'NotActivated',
  'invalid opcode: 0xfe',
  'invalid jump destination',
  'StackUnderflow',
  'StackOverflow',
  'CallTooDeep',
  'always failing transaction',
  'execution halted',
])('"%s" is a revert', (message) => {
  expect(codeOf(message)).toBe('REVERTED')
  expect(toRpcError('eth_call', { message }).message).toBe(message)
})

test.each([
  'daily request count exceeded',
  'daily limit',
  'monthly API call limit',
  'monthly capacity',
  'over quota',
  'out of credits',
  'insufficient credits',
  'payment required',
  'see billing',
  'maximum API usage',
  'not authenticated',
  'unauthorized',
  'invalid key',
  'invalid api key',
  'inactive api-key',
  'missing apikey',
  'key is inactive',
  'no access key',
])('"%s" is a plan that is used up or a key that is refused', (message) => {
  expect(codeOf(message)).toBe('CREDIT')
})

test.each([
  'rate limit',
  'ratelimited',
  'rate-limit reached',
  'rate exceeded',
  'too many requests',
  'request limit',
  'calls per second',
  'persecond',
  '20/sec allowed',
  'concurrent requests',
  'throttled',
  'RPS limit',
  'too much load',
  'no backend is currently healthy',
  'limit exceeded',
  'limitexceeded',
  'exceeded its capacity',
  'exceeded the compute units limit',
  'exceeded all requests',
  'capacity exceeded',
  'request count',
  'node is busy',
  'too busy',
  'overloaded',
  'try again later',
])('"%s" is a rate limit', (message) => {
  expect(codeOf(message)).toBe('RATE_LIMITED')
})

test.each([
  'method not found',
  'the method eth_x does not exist',
  'method eth_x is not available',
  'method not supported',
  'method is not allowed',
  'method not enabled',
  'method not whitelisted',
  'method disabled',
  'too many arguments, want at most 2',
  'parameter count',
  'parameters count',
  'missing 1 arguments and got 3',
  'not supported',
  'unsupported',
  'not in the current plan',
])('"%s" is something that the node does not have', (message) => {
  expect(codeOf(message)).toBe('UNSUPPORTED')
})

test.each([
  'gas limit too high',
  'gas limit is too high',
  'intrinsic gas too high',
  'gas limit exceeded',
  'gas limit of 5 exceeded',
  'exceeds gas',
  'exceeds the allowed gas',
  'gas cap',
  'gas limit cap',
  'GasLimitMoreThanBlock',
  'GasLimitMoreThenBlock',
  'GasLimitMoreThnBlock',
])('"%s" is a cap on gas, of calls only', (message) => {
  for (const method of ['eth_call', 'eth_estimateGas', 'eth_createAccessList'])
    expect(codeOf(message, method)).toBe('GAS_CAP')
  expect(codeOf(message, 'eth_getLogs')).not.toBe('GAS_CAP')
  expect(codeOf(message, 'eth_callMany')).not.toBe('GAS_CAP')
  expect(codeOf(message, 'x_eth_call')).not.toBe('GAS_CAP')
})

const rangeTexts = [
  'ranges over 9',
  'range over 9',
  'block range',
  'block distance',
  'blocks distance',
  'too many blocks',
  'too many logs',
  'too many results',
  'requested blocks',
  'more than 10000 results',
  'more than 10 logs',
  'logs returned',
  'logs over 9',
  'exceeds max results',
  'exceed max results',
  'exceed limit',
  'limited to 9',
  'response size',
  'response is of a large size',
  'response too large',
  'response is too big',
  'smaller than size 9',
  'at most 9 blocks',
  'over 1000 blocks',
  'maximum 20 blocks',
  'limit exceeded',
  'query timeout',
  'query returns 9',
  'execution timeout',
  'execution aborted',
  'timeout',
  'time out',
  'timed out',
  'deadline exceeded',
]

test.each(rangeTexts)('"%s" is a range of logs that is too wide', (message) => {
  expect(codeOf(message, 'eth_getLogs')).toBe('RANGE')
  expect(codeOf(message, 'eth_call')).not.toBe('RANGE')
  expect(codeOf(message, 'x_eth_getLogs')).not.toBe('RANGE')
  expect(codeOf(message, 'eth_getLogsX')).not.toBe('RANGE')
})

test.each([
  'beyond head',
  'beyond current head',
  'beyond the head',
  'beyond the current head block range',
  'last accepted block range',
  'invalid block range',
  'header range',
])('"%s" is a range of logs that the node does not have yet', (message) => {
  expect(codeOf(message, 'eth_getLogs')).toBe('LAGGING')
})

test.each(['invalid block range', 'header range'])('"%s" says nothing of other methods', (message) => {
  expect(codeOf(message)).toBe('REJECTED')
})

test.each([
  'entity too large',
  'request body is too large',
  'body too big',
  'payload too long',
  'content too large',
  'request too large',
  'response too big',
  'message too large',
  'result too large',
  'batch too large',
  'max batch size',
  'maximum request size',
  'max body size',
  'maximum response size',
  'too many addresses or topics',
  'number of address',
  'filters. the current limit',
  'execution timeout',
  'execution aborted',
  'timed out',
])('"%s" is a request or an answer that is too large', (message) => {
  expect(codeOf(message)).toBe('SIZE')
})

test.each([
  'pruned',
  'missing trie node',
  'archive node needed',
  'state not available',
  'state of the block is unavailable',
  'state discarded',
  'state is not found',
  'no state available',
  'no state found',
  'no state data',
  'historical state',
  'historical rpc',
  'historical backend',
  'lowest height',
  'height is not available',
  'purged for',
  'earliest available',
  'old data',
  'failed to load state',
  'failed to compute the state',
  'failed to load tipset',
  'unexpected state root',
  'not exist on height',
  'proof window',
  'unsupported block number',
  'body not found',
  'VM error: missing trie node',
  'execution reverted: missing trie node',
])('"%s" is state that the node does not keep', (message) => {
  expect(codeOf(message)).toBe('PRUNED')
})

test.each([
  'header not found',
  'header for hash not found',
  'unknown block',
  'unknown header',
  'resource not found',
  'block not found',
  'block 0x12 not available',
  'block 7 cannot be found',
  'block could not be found',
  'block cannot found',
  'find block',
  'found the block',
  'find a block',
  'no block found',
  'no such block',
  'no block',
  'not currently canonical',
  'unfinalized',
  'beyond the current head',
  'beyond current head',
  'beyond head',
  'block is out of range',
  'block out of range',
  'BlockOutOfRange',
  'block height is 5',
  'last accepted block',
  'less than or equal to the current',
  'greater than latest',
  'HeaderNotFound',
  'sync is still going on',
  'bad tipset height',
])('"%s" is a block that the node does not have', (message) => {
  expect(codeOf(message)).toBe('LAGGING')
})

test.each(['timeout', 'time out', 'timed out late'])('"%s" is an answer that did not come in time', (message) => {
  // "timed out" alone may also be a request that is too large.
  expect(codeOf(message)).toBe(message === 'timed out late' ? 'SIZE' : 'TIMEOUT')
})

test('the first rule that holds decides', () => {
  expect(codeOf('rate limit: execution reverted')).toBe('RATE_LIMITED')
  expect(codeOf('daily quota, rate limit')).toBe('CREDIT')
  expect(codeOf('rate limit: method not found')).toBe('RATE_LIMITED')
  expect(codeOf('beyond head, the range is over 9', 'eth_getLogs')).toBe('LAGGING')
  expect(codeOf('pruned, header not found')).toBe('PRUNED')
  expect(codeOf('header not found, revert')).toBe('LAGGING')
  expect(codeOf('execution reverted: GasLimitMoreThanBlock', 'eth_call')).toBe('GAS_CAP')
})

test.each([
  [429, 'RATE_LIMITED'],
  [-32005, 'RATE_LIMITED'],
  [-32007, 'RATE_LIMITED'],
  [-32012, 'RATE_LIMITED'],
  [-32016, 'RATE_LIMITED'],
  [-32017, 'RATE_LIMITED'],
  [-32029, 'RATE_LIMITED'],
  [-32614, 'RANGE'],
  [4444, 'PRUNED'],
  [-32001, 'LAGGING'],
  [-32008, 'LAGGING'],
  [-39001, 'LAGGING'],
  [-32601, 'UNSUPPORTED'],
  [-32000, 'REJECTED'],
  [0, 'REJECTED'],
  [2, 'REJECTED'],
  [3, 'REVERTED'],
])('the code %i means %s where the text says nothing', (code, means) => {
  expect(codeOf('odd', 'eth_call', code)).toBe(means)
})

test('the text decides before the code, but not before that of a revert', () => {
  expect(codeOf('header not found', 'eth_call', -32005)).toBe('LAGGING')
  expect(codeOf('rate limit', 'eth_call', 3)).toBe('REVERTED')
  expect(codeOf('execution reverted: unknown block', 'eth_call', 3)).toBe('REVERTED')
  expect(toRpcError('eth_call', { code: 3, message: 'unknown block', data: '0x12' }).code).toBe('REVERTED')
  expect(toRpcError('eth_call', {})).toMatchObject({ code: 'REJECTED', message: expect.stringContaining('eth_call') })
  expect(toRpcError('eth_call', { message: 429 as unknown as string }).message).toContain('429')
})

test.each([
  ['0x', '0x'],
  ['0xABcd', '0xABcd'],
  ['Reverted 0x12', '0x12'],
  [{ data: '0x34' }, '0x34'],
  [{ data: { data: 'Reverted 0x56' } }, '0x56'],
])('the data %j is that of a revert', (data, expected) => {
  expect(toRpcError('eth_call', { message: 'rate limit', data })).toMatchObject({
    ...{ code: 'REVERTED', data: expected, message: 'rate limit' },
  })
})

test.each([['Returned 0x12'], ['0xyz'], ['0x12 '], ['a 0x12'], [{ other: '0x12' }], [null], [7], [{ data: null }]])(
  'the data %j is none of a revert',
  (data) => {
    expect(toRpcError('eth_call', { message: 'odd', data }).code).toBe('REJECTED')
  },
)

test.each([
  ['Internal error', undefined, true],
  ['Internal JSON-RPC error.', undefined, true],
  ['internal server error', undefined, true],
  ['Internal error', 'trie is broken', false],
  ['Internal error: handler crashed', undefined, false],
  ['odd', undefined, false],
])('"%s" with data %j is a failure without a stated cause: %s', (message, data, isInternal) => {
  expect(toRpcError('eth_call', { code: -32603, message, data })).toMatchObject({ code: 'REJECTED', isInternal })
})

test('a revert without data has empty data', () => {
  expect(toRpcError('eth_call', { code: 3, message: 'm' })).toMatchObject({ code: 'REVERTED', data: '0x' })
  expect(toRpcError('eth_call', { code: 3, message: 'm', data: '0x12' }).data).toBe('0x12')
})

test('texts of the data decide too, up to 500 characters of each', () => {
  const ofData = (data: unknown) => toRpcError('eth_call', { message: 'odd', data }).code
  expect(ofData('rate limit')).toBe('RATE_LIMITED')
  expect(ofData({ code: 1, details: 'header not found' })).toBe('LAGGING')
  expect(ofData(['out of credits'])).toBe('CREDIT')
  expect(ofData('0xzz rate limit')).toBe('REJECTED')
  expect(ofData({ deep: { text: 'rate limit' } })).toBe('REJECTED')
  const padding = (length: number) => 'y'.repeat(length - 'rate limit'.length)
  expect(ofData(`${padding(500)}rate limit`)).toBe('RATE_LIMITED')
  expect(ofData(`${padding(501)}rate limit`)).toBe('REJECTED')
})

test('the message names the meaning and the text', () => {
  const limited = toRpcError('eth_call', { message: 'rate limit' }).message
  expect(limited).toMatch(/^(?!eth_call).+: rate limit$/)
  expect(toRpcError('eth_call', { message: 'odd' }).message).toBe('eth_call: odd')
})

test('only a range states a number of blocks', () => {
  expect(toRpcError('eth_getLogs', { message: 'range over 9' }).grantedBlocks).toBe(9)
  expect(toRpcError('eth_getLogs', { message: 'range', data: { from: '0x1', to: '0x3' } }).grantedBlocks).toBe(3)
  expect(toRpcError('eth_getLogs', { message: 'range' }).grantedBlocks).toBeUndefined()
  expect(toRpcError('eth_call', { message: 'rate limit of 9' }).grantedBlocks).toBeUndefined()
})

const pauseOf = (message: string, data?: unknown) => toRpcError('eth_call', { message, data }).retryAfterMs

test.each([
  ['rate limit, try again in 4ms', 4],
  ['rate limit, try again in 4 MS', 4],
  ['rate limit, Try Again In 2s', 2_000],
  ['rate limit, try again in 1.5 S', 1_500],
  ['rate limit, try again in 59s', 59_000],
  ['rate limit, try again in 60.001s', 60_000],
  ['rate limit, try again in 0s', undefined],
  ['rate limit, try again in 5 minutes', undefined],
  ['rate limit of 7ms', undefined],
  // It names the limit, not a pause.
  ['5s rate limit', undefined],
  // Other failures have no pause.
  ['header not found, try again in 4ms', undefined],
])('"%s" asks for a pause of %s ms', (message, ms) => {
  expect(pauseOf(message)).toBe(ms)
})

test.each([
  [{ rate: { backoff_seconds: 30 } }, 30_000],
  [{ rate: { backoff_seconds: 0.5 } }, 500],
  [{ rate: { backoff_seconds: 61 } }, 60_000],
  [{ rate: { backoff_seconds: 0 } }, undefined],
  [{ rate: { backoff_seconds: -1 } }, undefined],
  [{ rate: {} }, undefined],
  [{ try_again_in: '14.9ms' }, 14.9],
  [{ try_again_in: ' 2 s' }, 2_000],
  [{ try_again_in: 'a while, 2s' }, undefined],
  [{ try_again_in: 5 }, undefined],
  [{ rate: { backoff_seconds: 3 }, try_again_in: '2s' }, 3_000],
  [null, undefined],
  ['30', undefined],
  [undefined, undefined],
])('the data %j asks for a pause of %s ms', (data, ms) => {
  expect(pauseOf('rate limit', data)).toBe(ms)
})

test('the longest pause is a minute', () => {
  expect(MAX_RETRY_AFTER_MS).toBe(60_000)
})

test('fields that a request lacks are no keys of a plan', () => {
  const message = `Failed to build transaction: legacy transaction can't be built due to missing keys: ["to"]`
  expect(codeOf(message, 'eth_simulateV1')).toBe('REJECTED')
  expect(codeOf('missing api key')).toBe('CREDIT')
})
