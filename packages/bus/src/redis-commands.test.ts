/** Tests of the commands that are sent to Redis for requests, facts, and leases, with a fake connection. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { chainsRequestedWithin, missingOwnerReason, requestChains } from './chain-requests.ts'
import { type Argument, type Connection, fieldsOf } from './connection.ts'
import { readFact, storeFact } from './facts.ts'
import { decodeBlockFields, encodeBlock, isAtOrAfter, readHead } from './head.ts'
import { keysOf, REQUESTED_CHAINS, SCHEMA, SCHEMAS } from './keys.ts'
import { LEASE_MS, Lease } from './lease.ts'
import { readRequest, sendRequest } from './request-stream.ts'

const NOW = 1_800_000_000_000
const keys = keysOf(7)
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: NOW }))
afterEach(() => void vi.useRealTimers())

/** A connection that records commands, and replies in turn; the last reply repeats. An error is thrown. */
function connectionOf(...replies: readonly unknown[]) {
  const commands: (readonly Argument[])[] = []
  const connection = {
    call: async (...command: readonly Argument[]) => {
      const reply = replies[Math.min(commands.length, replies.length - 1)]
      commands.push(command)
      if (reply instanceof Error) throw reply
      return reply
    },
    close: () => {},
  } as Connection
  return { connection, commands }
}
/** Keys and arguments of the script that a command runs. */
const scriptOf = ([name, , ...rest]: readonly Argument[]) => [name, ...rest]

test('alternating fields and values are an object', () => {
  expect(fieldsOf(['a', 1, 'b', 'x'])).toEqual({ a: '1', b: 'x' })
  expect([fieldsOf([]), fieldsOf(null)]).toEqual([{}, {}])
})

describe('chains', () => {
  test('are requested with the time, and the version is reported in any case', async () => {
    const { connection, commands } = connectionOf(1)
    await requestChains(connection, [1, 10])
    await requestChains(connection, [])
    const report = ['ZADD', SCHEMAS, NOW, SCHEMA]
    expect(commands).toEqual([report, ['ZADD', REQUESTED_CHAINS, NOW, 1, NOW, 10], report])
  })

  test('are listed if they were requested lately', async () => {
    const { connection, commands } = connectionOf(['1', '10'])
    expect(await chainsRequestedWithin(connection, 5_000)).toEqual([1, 10])
    expect(commands).toEqual([['ZRANGEBYSCORE', REQUESTED_CHAINS, NOW - 5_000, '+inf']])
  })

  test('without an owner have a reason, which names other versions of the last minute', async () => {
    const reasonOf = (...replies: readonly unknown[]) =>
      missingOwnerReason(connectionOf(...replies).connection, 7, keys)
    expect(await reasonOf(1)).toBeNull()
    expect(await reasonOf(0, [SCHEMA])).toBe('no indexer follows chain 7')
    expect(await reasonOf(0, ['v1', SCHEMA, 'v2'])).toBe(
      `no indexer follows chain 7; v1, v2 in use on this bus, and this version reads ${SCHEMA}`,
    )
    const { connection, commands } = connectionOf(0, [])
    await missingOwnerReason(connection, 7, keys)
    expect(commands).toEqual([
      ['EXISTS', keys.lease],
      ['ZRANGEBYSCORE', SCHEMAS, NOW - 60_000, '+inf'],
    ])
  })
})

describe('keys', () => {
  test('of a chain share a slot, differ from each other, and have the version', () => {
    const { pools, unfinishedPairs, ...names } = keys
    const all = [...Object.values(names), pools('g1'), pools('g2'), unfinishedPairs('g1'), unfinishedPairs('g2')]
    expect(new Set(all).size).toBe(all.length)
    for (const key of all) expect(key).toMatch(/^sluice:v\d+\.\d+:\{7\}:\w/)
    expect(keysOf(7, 'v9').lease).toBe('sluice:v9:{7}:lease')
  })
})

describe('facts', () => {
  test('are stored with the time of their measurement, within a limit', async () => {
    const { connection, commands } = connectionOf(1)
    await storeFact(connection, keys, { key: 'tax', measuredMs: 5, text: 'a b' })
    expect(scriptOf(commands[0]!)).toEqual(['EVALSHA', 2, keys.facts, keys.factChanges, 'tax', 5, 'a b', 100_000])
  })

  test.each([
    ['12 a text', { key: 'k', measuredMs: 12, text: 'a text' }],
    ['12 two\nlines', { key: 'k', measuredMs: 12, text: 'two\nlines' }],
    ['0 ', { key: 'k', measuredMs: 0, text: '' }],
    ['12', null],
    ['x12 a', null],
    ['-1 a', null],
    ['', null],
  ])('%j is read as %j', (value, fact) => {
    expect(readFact('k', value)).toEqual(fact)
  })
})

describe('a script', () => {
  test('that Redis does not know is sent whole', async () => {
    const { connection, commands } = connectionOf(new Error('NOSCRIPT No matching script'), 1)
    await storeFact(connection, keys, { key: 'tax', measuredMs: 5, text: '' })
    expect(commands.map(([name]) => name)).toEqual(['EVALSHA', 'EVAL'])
    expect(commands[1]!.slice(2)).toEqual(commands[0]!.slice(2))
    expect(String(commands[1]![1])).toContain('redis.call')
  })

  test('that fails is not sent again', async () => {
    const { connection, commands } = connectionOf(new Error('ERR NOSCRIPT'))
    await expect(storeFact(connection, keys, { key: 'tax', measuredMs: 5, text: '' })).rejects.toThrow('ERR')
    expect(commands).toHaveLength(1)
  })
})

describe('a request of a worker', () => {
  const [A, B] = [`0x${'a'.repeat(40)}`, `0x${'1'.repeat(40)}`] as const

  test('is appended to a stream of limited length', async () => {
    const { connection, commands } = connectionOf('1-0')
    await sendRequest(connection, keys, { block: 7 })
    expect(commands).toEqual([['XADD', keys.requests, 'MAXLEN', '~', 1_000, '*', 'want', '{"block":7}']])
  })

  test.each([
    [{ groups: [[A, B], [A]], tokens: [B], block: 7 }],
    [{ tokens: [A] }],
    [{ groups: [[A]] }],
    [{}],
    [{ groups: [Array(1_000).fill(A)], tokens: Array(1_000).fill(B) }],
  ])('is read: %#', (request) => {
    expect(readRequest(JSON.stringify(request))).toEqual(request)
  })

  test.each([
    ['nothing', undefined],
    ['no JSON', '{'],
    ['null', 'null'],
    ['a token in upper case', JSON.stringify({ tokens: [A.toUpperCase()] })],
    ['a long token', JSON.stringify({ tokens: [`${A}0`] })],
    ['text before a token', JSON.stringify({ tokens: [`x${A}`] })],
    ['a number', JSON.stringify({ tokens: [1] })],
    ['a faulty group', JSON.stringify({ groups: [[A], ['x']] })],
    ['too many tokens', JSON.stringify({ groups: [Array(2_000).fill(A)], tokens: [B] })],
  ])('that is %s is ignored', (_, text) => {
    expect(readRequest(text)).toBeNull()
  })
})

describe('a head', () => {
  const block = { number: 9, hash: '0x09', baseFeePerGas: 5n }
  const fields = [
    'gen',
    'g',
    'tag',
    't',
    'id',
    '5-1',
    'block',
    encodeBlock(block as never),
    'stands',
    '0x09,0x08',
    'size',
    '4',
  ]

  test('is read from its fields', async () => {
    const { connection, commands } = connectionOf(fields)
    expect(await readHead(connection, keys)).toEqual({
      ...{ generation: 'g', tag: 't', id: '5-1', block, canonical: ['0x09', '0x08'], fieldCount: 4 },
    })
    expect(commands).toEqual([['HGETALL', keys.head]])
  })

  test.each([0, 2, 4])('without one of its names is not published', async (index) => {
    const incomplete = fields.toSpliced(index, 2)
    expect(await readHead(connectionOf(incomplete).connection, keys)).toBeNull()
  })

  test('has no logs bloom', () => {
    const text = encodeBlock({ ...block, logsBloom: '0xff' } as never)
    expect(decodeBlockFields({ block: text, stands: '', size: '0' }).block).toEqual(block)
  })

  test.each([
    ['5-1', '5-1', true],
    ['5-2', '5-1', true],
    ['5-0', '5-1', false],
    ['6-0', '5-9', true],
    ['5-9', '6-0', false],
    ['10-0', '9-0', true],
    ['5-10', '5-9', true],
  ])('%s at or after %s: %s', (id, other, expected) => {
    expect(isAtOrAfter(id, other)).toBe(expected)
  })
})

describe('a lease', () => {
  test('is taken if it is free, or if it is held already', async () => {
    const acquire = async (...replies: readonly unknown[]) => {
      const { connection, commands } = connectionOf(...replies)
      const lease = new Lease(keys)
      return { isHeld: await lease.acquire(connection), commands, token: lease.token }
    }
    const free = await acquire('OK')
    expect([free.isHeld, free.commands]).toEqual([true, [['SET', keys.lease, free.token, 'NX', 'PX', LEASE_MS]]])
    const own = await acquire(null, 1)
    expect([own.isHeld, scriptOf(own.commands[1]!)]).toEqual([
      true,
      ['EVALSHA', 2, keys.lease, keys.head, own.token, LEASE_MS, 0],
    ])
    expect((await acquire(null, 0)).isHeld).toBe(false)
    expect(free.token).not.toBe(own.token)
  })

  test('is renewed several times in its lifetime, with the state of the head, until it is released', async () => {
    const { connection, commands } = connectionOf(new Error('away'), 1)
    const lease = new Lease(keys)
    let isCurrent = true
    lease.startRenewal(connection, () => isCurrent)
    await vi.advanceTimersByTimeAsync(749)
    expect(commands).toHaveLength(0)
    await vi.advanceTimersByTimeAsync(1)
    isCurrent = false
    await vi.advanceTimersByTimeAsync(750)
    expect(commands.map((command) => command.at(-1))).toEqual([1, 0])
    await lease.release(connection)
    expect(scriptOf(commands[2]!)).toEqual(['EVALSHA', 1, keys.lease, lease.token])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(commands).toHaveLength(3)
  })

  test('has one renewal at a time, which can be stopped', async () => {
    const { connection, commands } = connectionOf(1)
    const lease = new Lease(keys)
    lease.startRenewal(connection, () => true)
    const stop = lease.startRenewal(connection, () => true)
    await vi.advanceTimersByTimeAsync(750)
    expect(commands).toHaveLength(1)
    stop()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(commands).toHaveLength(1)
  })
})
