import type { Hex } from '@sluice/chains'
import { expect, test } from 'vitest'
import { Abort } from './abort.ts'
import type { EndpointCall, SendContext } from './calls.ts'
import type { RawBlock } from './encode.ts'
import { RpcError, type RpcErrorCode } from './errors.ts'
import { Heads, readBlock } from './heads.ts'
import { type BuildCall, pinToBlock } from './pinned-rpc.ts'
import type { BlockRef } from './types.ts'
import type { Upstream } from './upstream.ts'

const send: SendContext = { signal: new Abort(), priority: 'quote' }
const hashAt = (number: number, fork = 'a'): Hex => `0x${fork}${number.toString(16).padStart(63, '0')}`
const block = (number: number, fork = 'a'): RawBlock => ({
  ...{ number: `0x${number.toString(16)}`, hash: hashAt(number, fork), parentHash: hashAt(number - 1, fork) },
  ...{ timestamp: '0x1', gasLimit: '0x1' },
})
const call: BuildCall = (at) => ['eth_call', [{ data: '0x' }, at]]
const isBlock = (method: string) => method.startsWith('eth_getBlock')
const fail = (code: RpcErrorCode, message = 'missing'): never => {
  throw new RpcError(code, message)
}

type Respond = (method: string, params: readonly unknown[]) => unknown

/**
 * Creates heads that know blocks 0 to 200, the last of which is the newest, and an endpoint that answers by `respond`.
 */
function world(
  respond: Respond,
  {
    acceptsBlockHashes = true,
    ignoresBlock = false,
    batch = 50,
    newest = 200 as number | null,
    knowsBlocks = true,
  } = {},
) {
  const heads = new Heads([])
  if (knowsBlocks) for (let number = 0; number <= 210; number++) heads.remember(readBlock(block(number)))
  if (newest !== null) heads.newest = readBlock(block(newest))
  const bodies: EndpointCall[][] = []
  const answer = async ([method, params]: EndpointCall) => respond(method, params)
  const upstream = {
    ...{ acceptsBlockHashes, ignoresBlock, bodies },
    recordHashRefused: () => {
      upstream.acceptsBlockHashes = false
    },
    endpoint: {
      limits: { maxBatch: batch },
      request: (method: string, params: readonly unknown[], sent: SendContext) => {
        expect(sent).toBe(send)
        bodies.push([[method, params]])
        return answer([method, params])
      },
      requestTogether: (calls: readonly EndpointCall[], sent: SendContext) => {
        expect(sent).toBe(send)
        bodies.push([...calls])
        return calls.map(answer)
      },
    },
  }
  const at = (ref: BlockRef, overrides?: Parameters<typeof pinToBlock>[2]) => {
    const task = pinToBlock(heads, ref, overrides)
    return () => task(upstream as unknown as Upstream, send, call)
  }
  /** Returns the error codes of repeated attempts of one call. */
  const codes = async (ref: BlockRef, tries: number) => {
    const ask = at(ref)
    const results: string[] = []
    for (let k = 0; k < tries; k++)
      results.push(
        await ask().then(
          () => 'answered',
          ({ code }: RpcError) => code,
        ),
      )
    return results
  }
  return { heads, upstream, at, codes }
}

test.each<[BlockRef, unknown]>([
  [26, '0x1a'],
  ['latest', 'latest'],
  [{ blockHash: hashAt(7) }, { blockHash: hashAt(7) }],
])('a call at %j is asked for at %j', async (ref, param) => {
  const { upstream, at } = world(() => '0x12')
  expect(await at(ref)()).toEqual(['0x12'])
  expect(upstream.bodies).toEqual([[['eth_call', [{ data: '0x' }, param]]]])
})

test('calls beside it travel in the same body', async () => {
  const { upstream, at } = world((method) => method)
  const extraCalls: EndpointCall[] = [['eth_gasPrice', []]]
  expect(await at('latest', { extraCalls })()).toEqual(['eth_call', 'eth_gasPrice'])
  expect(await at('latest', { needsOwnBody: true })()).toEqual(['eth_call'])
  expect(upstream.bodies).toEqual([[call('latest'), ...extraCalls], [call('latest')]])
})

test('other errors are passed on as they are', async () => {
  const broken = new TypeError('broken')
  const error = new RpcError('TIMEOUT', 'block hash')
  for (const answer of [broken, error]) {
    const { at } = world(() => {
      throw answer
    })
    await expect(at({ blockHash: hashAt(7) })()).rejects.toBe(answer)
  }
})

const lagging =
  (code: 'LAGGING' | 'PRUNED' = 'LAGGING'): Respond =>
  (method) =>
    isBlock(method) ? block(200) : fail(code)

test.each([
  ['at the head', 200, Array(6).fill('LAGGING')],
  ['five blocks ahead', 205, Array(6).fill('LAGGING')],
  ['six blocks ahead', 206, ['REJECTED']],
  ['one block behind', 199, ['LAGGING', 'LAGGING', 'LAGGING', 'REJECTED']],
  ['five blocks behind', 195, ['LAGGING', 'LAGGING', 'LAGGING', 'REJECTED']],
  ['six blocks behind', 194, ['LAGGING', 'REJECTED']],
  ['64 blocks behind', 136, ['LAGGING', 'REJECTED']],
  ['65 blocks behind', 135, ['REJECTED']],
])('a block by number %s that a node lacks lags only for so long', async (_, number, codes) => {
  expect(await world(lagging()).codes(number, codes.length)).toEqual(codes)
})

test('where state is pruned the call is refused as pruned in the end', async () => {
  expect(await world(lagging('PRUNED')).codes(194, 2)).toEqual(['LAGGING', 'PRUNED'])
  expect(await world(lagging('PRUNED')).codes(135, 1)).toEqual(['PRUNED'])
})

test.each<[BlockRef, readonly string[]]>([
  ['latest', Array(6).fill('LAGGING')],
  ['pending', Array(6).fill('LAGGING')],
  ['safe', ['LAGGING', 'REJECTED']],
  ['finalized', ['LAGGING', 'REJECTED']],
  ['earliest', ['REJECTED']],
])('the block %s that a node lacks', async (tag, codes) => {
  expect(await world(lagging()).codes(tag, codes.length)).toEqual(codes)
})

test('without a head, or without the number of a hash, every lack is lag', async () => {
  expect(await world(lagging(), { newest: null }).codes(5, 6)).toEqual(Array(6).fill('LAGGING'))
  expect(await world(lagging(), { knowsBlocks: false }).codes({ blockHash: hashAt(5) }, 6)).toEqual(
    Array(6).fill('LAGGING'),
  )
})

test('the message and the cause of a lag are those of the lack', async () => {
  const cause = new RpcError('PRUNED', 'missing trie node')
  const { at } = world(() => {
    throw cause
  })
  await expect(at('latest')()).rejects.toMatchObject({ code: 'LAGGING', message: 'missing trie node', cause })
  const lag = new RpcError('LAGGING', 'header not found')
  const other = world(() => {
    throw lag
  })
  await expect(other.at('latest')()).rejects.toBe(lag)
  await expect(other.at('earliest')()).rejects.toMatchObject({ code: 'REJECTED', message: lag.message, cause: lag })
})

test('a hash that lags twice is looked for by its number', async () => {
  const at199 = { blockHash: hashAt(199) }
  const there = world((method) => (isBlock(method) ? block(199) : fail('LAGGING')))
  expect(await there.codes(at199, 6)).toEqual(Array(6).fill('LAGGING'))
  expect(there.upstream.bodies[1]).toEqual([['eth_call', [{ data: '0x' }, at199]]])
  expect(there.upstream.bodies[2]).toEqual([['eth_getBlockByNumber', ['0xc7', false]]])
  const replaced = world((method) => (isBlock(method) ? block(199, 'b') : fail('LAGGING')))
  expect(await replaced.codes(at199, 2)).toEqual(['LAGGING', 'BLOCK_GONE'])
  // A node without a block at that number may lag once.
  const missing = world((method) => (isBlock(method) ? null : fail('LAGGING')))
  expect(await missing.codes(at199, 3)).toEqual(['LAGGING', 'LAGGING', 'BLOCK_GONE'])
})

test('a block by number is never gone', async () => {
  const { upstream, codes } = world((method) => (isBlock(method) ? block(199, 'b') : fail('LAGGING')))
  expect(await codes(200, 4)).toEqual(Array(4).fill('LAGGING'))
  expect(upstream.bodies.flat().map(([method]) => method)).toEqual(Array(4).fill('eth_call'))
})

/** A fake node that only accepts block numbers, whose blocks are on the given fork. */
const numbersOnly =
  (message = 'cannot unmarshal object', code: RpcErrorCode = 'REJECTED', fork = 'a'): Respond =>
  (method, params) => {
    if (method === 'eth_getBlockByNumber') return block(Number(params[0]), fork)
    if (method === 'eth_getBlockByHash') return block(7)
    const at = (params as [unknown, unknown])[1]
    return typeof at === 'object' ? fail(code, message) : at
  }
const header7: EndpointCall = ['eth_getBlockByNumber', ['0x7', false]]
const at7 = { blockHash: hashAt(7) }

test.each([
  'missing block',
  'invalid HASH',
  'cannot unmarshal',
  'expected hex string',
  'invalid params',
  'invalid argument',
  'got an object',
  'got a map',
  'no EIP-1898',
  'no EIP1898',
])('where a hash is refused with "%s" the number is asked for, from then on at once', async (message) => {
  const { upstream, at } = world(numbersOnly(message))
  const ask = at(at7)
  expect(await ask()).toEqual(['0x7'])
  expect(upstream.acceptsBlockHashes).toBe(false)
  expect(await ask()).toEqual(['0x7'])
  const byNumber = [header7, call('0x7'), header7]
  expect(upstream.bodies).toEqual([[call(at7)], byNumber, byNumber])
})

test('other refusals, and those of calls by number, are not because of the hash', async () => {
  for (const [message, code] of [
    ['odd', 'REJECTED'],
    ['invalid hash', 'GAS_CAP'],
  ] as const) {
    const { upstream, at } = world(numbersOnly(message, code))
    await expect(at(at7)()).rejects.toMatchObject({ code, message })
    expect(upstream.bodies).toHaveLength(1)
    expect(upstream.acceptsBlockHashes).toBe(true)
  }
  const { upstream, at } = world(() => fail('REJECTED', 'invalid hash'))
  await expect(at(7)()).rejects.toMatchObject({ code: 'REJECTED' })
  expect(upstream.bodies).toHaveLength(1)
  expect((await world(numbersOnly('invalid hash', 'UNSUPPORTED')).at(at7)())[0]).toBe('0x7')
})

test('a call that is refused by number too is refused as it was at first', async () => {
  const { upstream, at } = world((method) => (isBlock(method) ? block(7) : fail('REJECTED', 'invalid hash')))
  await expect(at(at7)()).rejects.toMatchObject({ message: 'invalid hash' })
  expect(upstream.acceptsBlockHashes).toBe(true)
  const failing = world((method, params) =>
    isBlock(method)
      ? block(7)
      : typeof params[1] === 'object'
        ? fail('REJECTED', 'invalid hash')
        : fail('TIMEOUT', 'late'),
  )
  await expect(failing.at(at7)()).rejects.toMatchObject({ code: 'TIMEOUT' })
  expect(failing.upstream.acceptsBlockHashes).toBe(true)
})

test('the number of a hash that is not known is asked for', async () => {
  const { upstream, at } = world(numbersOnly(), { acceptsBlockHashes: false, knowsBlocks: false })
  expect(await at(at7)()).toEqual(['0x7'])
  expect(upstream.bodies[0]).toEqual([['eth_getBlockByHash', [hashAt(7), false]]])
  const unknown = world(() => null, { acceptsBlockHashes: false, knowsBlocks: false })
  await expect(unknown.at(at7)()).rejects.toMatchObject({ code: 'LAGGING' })
})

test('an answer by number is believed only where it means the block before and after', async () => {
  const outcome = async (...blocks: readonly (RawBlock | null)[]) => {
    const answers = [...blocks]
    const { at } = world((method) => (isBlock(method) ? answers.shift() : '0x12'), {
      ...{ acceptsBlockHashes: false, newest: null },
    })
    return at(at7)().catch(({ code }: RpcError) => code)
  }
  expect(await outcome(block(7), block(7))).toEqual(['0x12'])
  expect(await outcome(block(7, 'b'), block(7))).toBe('LAGGING')
  expect(await outcome(block(7), block(7, 'b'))).toBe('LAGGING')
  expect(await outcome(null, block(7))).toBe('LAGGING')
  expect(await outcome(block(7), null)).toBe('LAGGING')
})

test('a header without a hash is BAD_ANSWER, so that another endpoint is tried', async () => {
  const { hash: _, ...withoutHash } = block(7)
  const respond: Respond = (method) => (isBlock(method) ? withoutHash : '0x12')
  for (const knowsBlocks of [true, false]) {
    const { at } = world(respond, { acceptsBlockHashes: false, knowsBlocks })
    await expect(at(at7)()).rejects.toMatchObject({ code: 'BAD_ANSWER' })
  }
  const lagging = world((method) => (isBlock(method) ? withoutHash : fail('LAGGING')), { newest: 7 })
  expect(await lagging.codes(at7, 2)).toEqual(['LAGGING', 'BAD_ANSWER'])
})

test('header and call travel together where the body may hold them all, else one after the other', async () => {
  const extraCalls: EndpointCall[] = [['eth_gasPrice', []]]
  const together = world(numbersOnly(), { acceptsBlockHashes: false, batch: 4 })
  const respond: Respond = (method, params) => (method === 'eth_gasPrice' ? '0x5' : numbersOnly()(method, params))
  const wide = world(respond, { acceptsBlockHashes: false, batch: 4 })
  expect(await wide.at(at7, { extraCalls })()).toEqual(['0x7', '0x5'])
  expect(wide.upstream.bodies).toEqual([[header7, call('0x7'), ...extraCalls, header7]])
  const narrow = world(respond, { acceptsBlockHashes: false, batch: 3 })
  expect(await narrow.at(at7, { extraCalls })()).toEqual(['0x7', '0x5'])
  expect(narrow.upstream.bodies).toEqual([[header7], [call('0x7')], extraCalls, [header7]])
  expect(await together.at(at7)()).toEqual(['0x7'])
})

test('the failure of the call itself is that of the answer, once the block is right', async () => {
  const reverting =
    (fork: string): Respond =>
    (method) =>
      isBlock(method) ? block(7, fork) : fail('REVERTED', 'no')
  for (const batch of [50, 1]) {
    const right = world(reverting('a'), { acceptsBlockHashes: false, batch })
    await expect(right.at(at7)()).rejects.toMatchObject({ code: 'REVERTED' })
    const wrong = world(reverting('b'), { acceptsBlockHashes: false, batch, newest: null })
    await expect(wrong.at(at7)()).rejects.toMatchObject({ code: 'LAGGING' })
  }
})

test('the failure of a header is that of the answer', async () => {
  const { at } = world((method) => (isBlock(method) ? fail('TIMEOUT', 'late') : '0x12'), { acceptsBlockHashes: false })
  await expect(at(at7)()).rejects.toMatchObject({ code: 'TIMEOUT' })
})

test('a node that ignores the block of a call is not called for older blocks, but its logs are read', async () => {
  const { heads, upstream, codes } = world(() => '0x12', { ignoresBlock: true })
  for (const ref of [194, { blockHash: hashAt(194) }, 'earliest', 'finalized'] as const)
    expect(await codes(ref, 1)).toEqual(['PRUNED'])
  expect(upstream.bodies).toEqual([])
  for (const ref of [195, { blockHash: hashAt(195) }, 'latest', 'pending'] as const)
    expect(await codes(ref, 1)).toEqual(['answered'])
  const readLogs = pinToBlock(heads, { blockHash: hashAt(7) })
  const logs: BuildCall = (at) => ['eth_getLogs', [at]]
  expect(await readLogs(upstream as unknown as Upstream, send, logs)).toEqual(['0x12'])
})
