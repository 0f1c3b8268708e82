import { EnvironmentProbe__factory } from '@sluice/bindings'
import type { Hex } from '@sluice/chains'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Abort } from './abort.ts'
import type { SendContext } from './calls.ts'
import type { Endpoint } from './endpoint.ts'
import { RpcError, type RpcErrorCode } from './errors.ts'
import { Upstream } from './upstream.ts'

const abi = EnvironmentProbe__factory.createInterface()
const able = abi.encodeFunctionResult('read', [`0x${'1'.repeat(40)}`, 10n ** 9n, 5, 6]) as Hex

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000_000 }))
afterEach(() => void vi.useRealTimers())

type Answers = Record<string, () => unknown>

/** A fake endpoint with one handler per method, and its upstream for chain 5. */
function world(answers: Answers = {}) {
  const methods: string[] = []
  const sends: SendContext[] = []
  const state = {
    waitMs: 0,
    answers: { eth_chainId: () => '0x5', eth_blockNumber: () => '0x1', ...answers } as Answers,
  }
  const endpoint = {
    waitMs: (priority: string) => (priority === 'lookup' ? state.waitMs : 0),
    request: async (method: string, _: unknown, send: SendContext) => {
      methods.push(method)
      sends.push(send)
      return state.answers[method]!()
    },
  } as unknown as Endpoint
  const upstream = new Upstream(3, endpoint, 5, 10_000)
  return { upstream, methods, sends, state, endpoint }
}
const sendOf = (): SendContext => ({ signal: new Abort(), priority: 'quote', sentAt: 7 })
const failing = (code: RpcErrorCode) => () => {
  throw new RpcError(code, 'no')
}
const error = (code: RpcErrorCode) => new RpcError(code, 'no')
const settle = () => vi.advanceTimersByTimeAsync(0)

test('an endpoint names its chain once, before anything counts', async () => {
  const { upstream, methods, endpoint } = world()
  expect(upstream).toMatchObject({
    index: 3,
    endpoint,
    isChainVerified: false,
    isEjected: false,
    isUnusable: false,
    head: -1,
  })
  const send = sendOf()
  upstream.lastFailure = error('TIMEOUT')
  await upstream.checkChain(send)
  expect(send).not.toHaveProperty('sentAt')
  expect([upstream.isChainVerified, upstream.lastFailure, methods]).toEqual([true, undefined, ['eth_chainId']])
  await upstream.checkChain(send)
  expect(methods).toHaveLength(1)
})

test('an endpoint of another chain is not believed, however often', async () => {
  const { upstream, methods } = world({ eth_chainId: () => '0x6' })
  await expect(upstream.checkChain(sendOf())).rejects.toMatchObject({ code: 'WRONG_CHAIN' })
  await expect(upstream.checkChain(sendOf())).rejects.toMatchObject({ code: 'WRONG_CHAIN' })
  expect([upstream.isChainVerified, methods.length]).toEqual([false, 2])
})

/** Records three failures within nine milliseconds. */
function takeDown(upstream: Upstream): void {
  for (let k = 0; k < 3; k++) {
    vi.advanceTimersByTime(3)
    upstream.recordFailure(error('UNREACHABLE'))
  }
}

test('an endpoint that was down and silent for more than three seconds names its chain again', async () => {
  const { upstream, methods } = world()
  await upstream.checkChain(sendOf())
  takeDown(upstream)
  vi.advanceTimersByTime(2_991)
  await upstream.checkChain(sendOf())
  expect(methods).toHaveLength(1)
  vi.advanceTimersByTime(1)
  await upstream.checkChain(sendOf())
  expect(methods).toHaveLength(2)
  // The endpoint answered, so nothing is requested again because of the silence.
  vi.advanceTimersByTime(100_000)
  await upstream.checkChain(sendOf())
  expect(methods).toHaveLength(2)
})

test('a head counts for half a minute', () => {
  const { upstream } = world()
  upstream.recordHead(77)
  vi.advanceTimersByTime(29_999)
  expect(upstream.head).toBe(77)
  vi.advanceTimersByTime(1)
  expect(upstream.head).toBe(-1)
})

test.each([-3_600_000, 3_600_000])('no duration changes when the clock is set %d ms ahead', (jumpMs) => {
  const { upstream } = world()
  upstream.recordHead(77)
  upstream.recordHashRefused()
  upstream.eject(5_000)
  vi.setSystemTime(Date.now() + jumpMs)
  vi.advanceTimersByTime(4_999)
  expect([upstream.isEjected, upstream.head, upstream.acceptsBlockHashes]).toEqual([true, 77, false])
  vi.advanceTimersByTime(1)
  expect(upstream.isEjected).toBe(false)
  vi.advanceTimersByTime(295_001)
  expect([upstream.head, upstream.acceptsBlockHashes]).toEqual([-1, true])
  upstream.recordFailure(error('UNREACHABLE'))
  vi.setSystemTime(Date.now() + jumpMs)
  expect(upstream.health.successRate).toBe(0.9)
})

test('an endpoint that takes numbers only is asked with hashes again after five minutes', () => {
  const { upstream } = world()
  expect(upstream.acceptsBlockHashes).toBe(true)
  upstream.recordHashRefused()
  vi.advanceTimersByTime(300_000)
  expect(upstream.acceptsBlockHashes).toBe(false)
  vi.advanceTimersByTime(1)
  expect(upstream.acceptsBlockHashes).toBe(true)
})

test('capabilities are asked for once, on fresh connections after a failure that passes', async () => {
  let failures = 2
  const { upstream, methods, sends } = world({ eth_call: () => (failures-- > 0 ? failing('TIMEOUT')() : able) })
  const [first, second] = await Promise.all([upstream.capabilities(), upstream.capabilities()])
  expect(first).toBe(second)
  expect(first.canOverrideState).toBe(true)
  expect(await upstream.capabilities()).toBe(first)
  // Six requests, two of them repeated, and a second one about the block.
  expect(methods).toEqual(Array(9).fill('eth_call'))
  expect(sends.filter(({ newConnection: isFresh }) => isFresh)).toHaveLength(2)
  expect(new Set(sends.map(({ priority }) => priority))).toEqual(new Set(['quote']))
})

test('a question is asked five times at most, and a failure is not remembered', async () => {
  const { upstream, methods, state } = world({ eth_call: failing('TIMEOUT') })
  await expect(upstream.capabilities()).rejects.toMatchObject({ code: 'TIMEOUT' })
  await settle()
  expect(methods).toHaveLength(30)
  state.answers.eth_call = () => able
  expect((await upstream.capabilities()).canOverrideState).toBe(true)
})

test('a failure that does not pass is not asked again', async () => {
  const { upstream, methods } = world({ eth_call: failing('WRONG_CHAIN') })
  await expect(upstream.capabilities()).rejects.toMatchObject({ code: 'WRONG_CHAIN' })
  await settle()
  expect(methods).toHaveLength(6)
  const broken = world({
    eth_call: () => {
      throw new TypeError('broken')
    },
  })
  await expect(broken.upstream.capabilities()).rejects.toThrow('broken')
  expect(broken.methods).toHaveLength(6)
})

test('an inability is asked for again after five minutes, an ability is not', async () => {
  const { upstream, state, methods } = world({ eth_call: () => '0x' })
  const can = async () => (await upstream.capabilities()).canOverrideState
  expect(await can()).toBe(false)
  state.answers.eth_call = () => able
  vi.advanceTimersByTime(300_000)
  expect([await can(), await can()]).toEqual([false, false])
  vi.advanceTimersByTime(1)
  expect([await can(), await can()]).toEqual([false, true])
  const { length } = methods
  state.answers.eth_call = () => '0x'
  vi.advanceTimersByTime(1_000_000)
  expect([await can(), await can(), methods.length]).toEqual([true, true, length])
})

test('a doubt asks again, unless that was found out after it', async () => {
  const { upstream, methods } = world({ eth_call: () => able })
  await upstream.capabilities()
  const { length } = methods
  await upstream.recheckCapabilities(performance.now() - 1)
  expect(methods).toHaveLength(length)
  await upstream.recheckCapabilities(performance.now())
  expect(methods).toHaveLength(2 * length)
})

test('an endpoint that is ejected is asked for everything again', async () => {
  const { upstream, methods } = world({ eth_call: () => able })
  await upstream.checkChain(sendOf())
  await upstream.capabilities()
  upstream.eject(500)
  expect([upstream.isEjected, upstream.isChainVerified]).toEqual([true, false])
  vi.advanceTimersByTime(500)
  expect(upstream.isEjected).toBe(false)
  await upstream.checkChain(sendOf())
  await upstream.capabilities()
  expect(methods.filter((method) => method === 'eth_chainId')).toHaveLength(2)
  expect(methods.filter((method) => method === 'eth_call')).toHaveLength(14)
  upstream.eject()
  vi.advanceTimersByTime(9_999)
  // The configured ten seconds, because it worked in between.
  expect(upstream.isEjected).toBe(true)
  vi.advanceTimersByTime(1)
  expect(upstream.isEjected).toBe(false)
})

test('the ejection of a lagging endpoint outlasts its answers, and ends with a head that does not lag', () => {
  const { upstream } = world()
  upstream.recordLaggingHead(5)
  upstream.recordFailure(error('LAGGING'))
  upstream.recordSuccess()
  expect([upstream.isEjected, upstream.head]).toEqual([true, 5])
  upstream.recordHead(10)
  expect([upstream.isEjected, upstream.head]).toEqual([false, 10])
  upstream.recordLaggingHead(10)
  vi.advanceTimersByTime(9_999)
  expect(upstream.isEjected).toBe(true)
  vi.advanceTimersByTime(1)
  expect(upstream.isEjected).toBe(false)
})

test('an endpoint that lags is asked for its chain and capabilities again, because another node may answer', async () => {
  const { upstream, methods } = world({ eth_call: () => able })
  await upstream.checkChain(sendOf())
  await upstream.capabilities()
  const { length } = methods
  upstream.recordLaggingHead(5)
  expect(upstream.isChainVerified).toBe(false)
  await upstream.checkChain(sendOf())
  await upstream.capabilities()
  expect(methods).toHaveLength(2 * length)
})

test('an endpoint of another chain is passed over for a minute', () => {
  const { upstream } = world()
  const wrong = error('WRONG_CHAIN')
  upstream.recordFailure(wrong)
  expect([upstream.lastFailure, upstream.isUnusable]).toEqual([wrong, false])
  vi.advanceTimersByTime(59_999)
  expect(upstream.isEjected).toBe(true)
  vi.advanceTimersByTime(1)
  expect(upstream.isEjected).toBe(false)
})

test('an endpoint whose plan is used up is out for a while', async () => {
  const { upstream, methods } = world()
  await upstream.checkChain(sendOf())
  const credit = error('CREDIT')
  upstream.recordFailure(credit)
  expect([upstream.lastFailure, upstream.isEjected, upstream.isUnusable, upstream.isChainVerified]).toEqual([
    credit,
    true,
    true,
    true,
  ])
  expect(await upstream.isReachable()).toBe(false)
  expect(methods).toEqual(['eth_chainId'])
  vi.advanceTimersByTime(10_000)
  expect([upstream.isUnusable, await upstream.isReachable()]).toEqual([false, true])
})

test.each(['UNREACHABLE', 'BAD_ANSWER'] as const)('%s counts as silence, and leads to death', (code) => {
  const { upstream } = world()
  const failure = error(code)
  upstream.recordFailure(failure)
  expect([upstream.lastFailure, upstream.health.successRate]).toEqual([failure, 0.9])
  vi.advanceTimersByTime(3_000)
  upstream.recordFailure(error(code))
  expect(upstream.isUnusable).toBe(true)
  upstream.recordSuccess()
  expect([upstream.isUnusable, upstream.lastFailure]).toEqual([false, undefined])
})

test('RATE_LIMITED counts, and is an answer', () => {
  const { upstream } = world()
  const failure = error('RATE_LIMITED')
  for (let k = 0; k < 4; k++) {
    vi.advanceTimersByTime(3_000)
    upstream.recordFailure(failure)
  }
  expect([upstream.lastFailure, upstream.isUnusable, upstream.isEjected, upstream.health.isDown]).toEqual([
    ...[failure, false, false, true],
  ])
})

test.each(['REVERTED', 'REJECTED', 'LAGGING', 'PRUNED', 'BLOCK_GONE', 'GAS_CAP', 'RANGE'] as const)(
  '%s is an answer of an endpoint that works',
  (code) => {
    const { upstream } = world()
    takeDown(upstream)
    upstream.recordFailure(error(code))
    expect([upstream.lastFailure, upstream.isEjected, upstream.health.isDown]).toEqual([undefined, false, false])
  },
)

test('a timeout counts where the endpoint does not answer a question as simple as its block number', async () => {
  const { upstream, state, methods } = world({ eth_blockNumber: failing('TIMEOUT') })
  const late = error('TIMEOUT')
  upstream.recordFailure(late)
  expect(upstream.lastFailure).toBeUndefined()
  await settle()
  expect([upstream.lastFailure, upstream.health.successRate, methods]).toEqual([late, 0.9, ['eth_blockNumber']])
  upstream.recordSuccess()
  const { successRate } = upstream.health
  state.answers.eth_blockNumber = () => '0x1'
  upstream.recordFailure(late)
  await settle()
  expect([upstream.lastFailure, upstream.health.successRate]).toEqual([undefined, successRate])
})

test.each([
  ['UNREACHABLE', false],
  ['TIMEOUT', false],
  ['BAD_ANSWER', false],
  ['ABORTED', false],
  ['RATE_LIMITED', true],
  ['UNSUPPORTED', true],
  ['CREDIT', true],
] as const)('an endpoint that answers a ping with %s is there: %s', async (code, isThere) => {
  const { upstream } = world({ eth_blockNumber: failing(code) })
  expect(await upstream.isReachable()).toBe(isThere)
})

test('an error that is none of the node is no sign of it', async () => {
  const { upstream } = world({
    eth_blockNumber: () => {
      throw new TypeError('broken')
    },
  })
  expect(await upstream.isReachable()).toBe(false)
})

test('one ping is in flight at a time, and its answer ends a death', async () => {
  const { upstream, methods, sends } = world()
  upstream.recordFailure(error('UNREACHABLE'))
  vi.advanceTimersByTime(3_000)
  upstream.recordFailure(error('UNREACHABLE'))
  expect(upstream.isUnusable).toBe(true)
  expect(await Promise.all([upstream.isReachable(), upstream.isReachable()])).toEqual([true, true])
  expect([methods, sends[0]!.priority, upstream.isUnusable]).toEqual([['eth_blockNumber'], 'quote', false])
  await upstream.isReachable()
  expect(methods).toHaveLength(2)
})

test('an endpoint that wants to be left alone is not pinged and counts as there', async () => {
  const { upstream, state, methods } = world({ eth_blockNumber: failing('TIMEOUT') })
  state.waitMs = 1
  expect([await upstream.isReachable(), methods]).toEqual([true, []])
})
