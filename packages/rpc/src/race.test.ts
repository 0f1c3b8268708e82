import { performance as hooks } from 'node:perf_hooks'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Abort } from './abort.ts'
import type { SendContext } from './calls.ts'
import { RpcError, type RpcErrorCode } from './errors.ts'
import { HedgeBudget, type Latency } from './hedges.ts'
import { race } from './race.ts'
import type { RaceContext, RaceOptions } from './race-context.ts'
import type { Upstream } from './upstream.ts'

let start = 0
beforeEach(() => {
  vi.useFakeTimers()
  // Hedges import `performance` from this module, which fake timers do not replace.
  vi.spyOn(hooks, 'now').mockImplementation(() => Date.now())
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})
const sinceStart = () => Math.round(performance.now() - start)

type Facts = {
  latency?: Latency
  down?: boolean
  isEjected?: boolean
  isChainVerified?: boolean
  delayMs?: number
  waitMs?: number
}
/** Answers or fails after a delay; without a delay never. */
type Response = {
  readonly after?: number
  readonly result?: string
  readonly error?: RpcErrorCode | Error
  readonly unsent?: true
}
type Attempt = { readonly at: number; readonly send: SendContext; readonly index: number }

function fake(
  index: number,
  { latency, down = false, isEjected = false, isChainVerified = true, delayMs = 0, waitMs = 0 }: Facts,
) {
  const log: unknown[] = []
  return {
    ...{ index, isEjected, isChainVerified, log, checkChain: async (_: SendContext) => {} },
    endpoint: { delayMs: () => delayMs, waitMs: () => waitMs },
    health: {
      ...{ successRate: 1, isDown: down, latency: () => latency },
      recordLatency: (_: string, ms: number, answered = true) => void log.push(['took', Math.round(ms), answered]),
      recordFailure: (as: string) => void log.push(['failed', as]),
      recordLoss: () => void log.push('missed'),
    },
    recordFailure: ({ code }: RpcError) => void log.push(code),
    recordSuccess: () => void log.push('worked'),
  }
}

/** A chain of fake endpoints, each with a list of responses; the last one repeats. */
function world(responses: readonly (readonly Response[])[], facts: readonly Facts[] = []) {
  const fakes = responses.map((_, k) => fake(k, facts[k] ?? {}))
  const attempts: Attempt[] = []
  const events: string[] = []
  const course: RaceContext = {
    ...{ upstreams: fakes as unknown as readonly Upstream[], hedgeBudget: new HedgeBudget(), catchUpMs: () => 10 },
    onFailure: ({ index }, { code }) => void events.push(`${index} ${code}`),
    onExtraRequest: (kind, { index }) => void events.push(`${kind} ${index}`),
  }
  const counts = responses.map(() => 0)
  const task = ({ index }: Upstream, send: SendContext) => {
    const list = responses[index]!
    const { after = 0, result, error, unsent } = list[Math.min(counts[index]!++, list.length - 1)]!
    attempts.push({ at: sinceStart(), send, index })
    if (!unsent) send.sentAt = performance.now()
    return new Promise<string>((resolve, reject) => {
      const settle = () => {
        if (error instanceof Error) reject(error)
        else if (error !== undefined) reject(new RpcError(error, `${error} of ${index}`))
        else if (result !== undefined) resolve(result)
      }
      // A zero-delay timer takes one millisecond.
      if (after > 0) setTimeout(settle, after)
      else settle()
    })
  }
  const run = (work: Partial<RaceOptions> = {}) => {
    const whole: RaceOptions = {
      ...{ kind: 'k', priority: 'quote', attemptTimeoutMs: 60_000, requestTimeoutMs: 120_000, signals: [], ...work },
    }
    start = performance.now()
    return race(course, task, whole).then(
      (result) => ({ result, at: sinceStart() }),
      (error: RpcError) => ({ code: error.code, message: error.message, at: sinceStart(), error }),
    )
  }
  const ends = async (work?: Partial<RaceOptions>) => {
    const outcome = run(work)
    await vi.advanceTimersByTimeAsync(150_000)
    return outcome
  }
  return { fakes, attempts, events, course, run, ends, times: () => attempts.map(({ at }) => at) }
}

test('the first endpoint answers', async () => {
  const { ends, fakes, events, attempts } = world([[{ after: 7, result: 'a' }], [{ result: 'b' }]])
  expect(await ends()).toEqual({ result: 'a', at: 7 })
  expect(fakes[0]!.log).toEqual(['worked', ['took', 7, true]])
  expect([events, attempts.length, attempts[0]!.send.priority, 'fresh' in attempts[0]!.send]).toEqual([
    [],
    1,
    'quote',
    false,
  ])
})

test('without endpoints nothing is reached', async () => {
  expect(await world([]).ends()).toMatchObject({ code: 'UNREACHABLE', at: 0 })
})

test('a failed request goes to another endpoint at once', async () => {
  const { ends, events, fakes, times } = world([[{ after: 5, error: 'UNREACHABLE' }], [{ after: 5, result: 'b' }]])
  expect(await ends()).toEqual({ result: 'b', at: 10 })
  expect(times()).toEqual([0, 5])
  expect(events).toEqual(['0 UNREACHABLE', 'retry 1'])
  expect(fakes[0]!.log).toEqual(['UNREACHABLE'])
})

test('the only endpoint is asked again after pauses that double up to a second, twenty times at most', async () => {
  const { ends, times, events } = world([[{ error: 'UNREACHABLE' }]])
  const expected = [0, 25, 75, 175, 375, 775, 1_575]
  while (expected.length < 20) expected.push(expected.at(-1)! + 1_000)
  expect(await ends()).toMatchObject({ code: 'UNREACHABLE', at: expected.at(-1) })
  expect(times()).toEqual(expected)
  expect(events.filter((event) => event === 'retry 0')).toHaveLength(19)
})

test.each([
  ['lookup', 20],
  ['background', 4],
  ['scan', 4],
] as const)('a request of priority %s has %i attempts', async (priority, count) => {
  const { ends, attempts } = world([[{ error: 'UNREACHABLE' }]])
  expect(await ends({ priority })).toMatchObject({ code: 'UNREACHABLE' })
  expect(attempts).toHaveLength(count)
})

test('a pause is between half and one and a half of its length', async () => {
  vi.mocked(Math.random).mockReturnValueOnce(0).mockReturnValueOnce(1)
  const { ends, times } = world([[{ error: 'UNREACHABLE' }, { error: 'UNREACHABLE' }, { result: 'a' }]])
  await ends()
  expect(times()).toEqual([0, 12, 87])
})

test('an endpoint that lags is asked again after even pauses', async () => {
  const lag = { error: 'LAGGING' } as const
  const { ends, times } = world([[lag, lag, lag, { result: 'a' }]])
  await ends()
  expect(times()).toEqual([0, 10, 30, 60])
})

test('all endpoints are asked before a pause', async () => {
  const fails = { error: 'UNREACHABLE' } as const
  const { ends, attempts } = world([[fails], [fails, fails, { result: 'b' }]])
  expect(await ends()).toEqual({ result: 'b', at: 75 })
  expect(attempts.map(({ at, index }) => [at, index])).toEqual([...[0, 0, 25, 25, 75, 75].map((at, k) => [at, k % 2])])
})

test.each(['REVERTED', 'BLOCK_GONE', 'ABORTED'] as const)('%s ends a request', async (error) => {
  const { ends, fakes, events, attempts } = world([[{ after: 3, error }], [{ result: 'b' }]])
  expect(await ends()).toMatchObject({ code: error, at: 3 })
  expect(fakes[0]!.log).toEqual(error === 'ABORTED' ? [] : ['worked'])
  expect([events, attempts.length]).toEqual([[], 1])
})

test('an error that is none of the node ends a request', async () => {
  const error = new TypeError('broken')
  expect(await world([[{ error }], [{ result: 'b' }]]).ends()).toMatchObject({ error, at: 0 })
})

test.each(['REJECTED', 'UNSUPPORTED', 'NO_OVERRIDES', 'GAS_CAP', 'SIZE', 'RANGE', 'PRUNED'] as const)(
  'a request that is refused with %s is asked of each endpoint once, and the first refusal is told',
  async (error) => {
    const { ends, attempts } = world([[{ error }], [{ error: 'UNREACHABLE' }], [{ error: 'REJECTED' }]])
    expect(await ends()).toMatchObject({ code: error, message: `${error} of 0`, at: 0 })
    expect(attempts.map(({ index }) => index)).toEqual([0, 1, 2])
    expect(await world([[{ error }], [{ result: 'b' }]]).ends()).toEqual({ result: 'b', at: 0 })
  },
)

test('an endpoint that fails without a stated cause gets the request once more', async () => {
  const error = new RpcError('REJECTED', 'eth_call: Internal error', '0x', { isInternal: true })
  const once = world([[{ error }, { result: 'a' }]])
  expect(await once.ends()).toEqual({ result: 'a', at: 25 })
  const always = world([[{ error }]])
  expect(await always.ends()).toMatchObject({ code: 'REJECTED', at: 25 })
  expect(always.attempts).toHaveLength(2)
  const two = world([[{ error }], [{ error: 'UNREACHABLE' }, { result: 'b' }]])
  expect(await two.ends()).toMatchObject({ result: 'b' })
})

test('an endpoint without credit is not asked again', async () => {
  const { ends, attempts } = world([[{ error: 'CREDIT' }]])
  expect(await ends()).toMatchObject({ code: 'CREDIT', at: 0 })
  expect(attempts).toHaveLength(1)
})

test('an endpoint of another chain is asked three times', async () => {
  const { ends, times } = world([[{ error: 'WRONG_CHAIN' }]])
  expect(await ends()).toMatchObject({ code: 'WRONG_CHAIN' })
  expect(times()).toEqual([0, 25, 75])
})

test('a request without an answer ends with its time, and counts at endpoints that it was sent to', async () => {
  const { ends, fakes, events } = world([[{}]])
  expect(await ends({ requestTimeoutMs: 200 })).toMatchObject({ code: 'TIMEOUT', at: 200 })
  expect([fakes[0]!.log, events]).toEqual([['TIMEOUT'], ['0 TIMEOUT']])
  const waiting = world([[{ unsent: true }]])
  expect(await waiting.ends({ requestTimeoutMs: 200 })).toMatchObject({ code: 'TIMEOUT' })
  expect([waiting.fakes[0]!.log, waiting.events]).toEqual([[], []])
})

test('the reason of a late request is a rate limit or a refusal, where there was one', async () => {
  const codeOf = async (error: RpcErrorCode) =>
    (await world([[{ error }, {}], [{}]]).ends({ requestTimeoutMs: 200 })) as { code: RpcErrorCode }
  expect((await codeOf('RATE_LIMITED')).code).toBe('RATE_LIMITED')
  expect((await codeOf('REJECTED')).code).toBe('REJECTED')
  expect((await codeOf('UNREACHABLE')).code).toBe('TIMEOUT')
})

test('an attempt ends with its own time, counted from when it is sent', async () => {
  const { ends, times, fakes } = world([[{}, { result: 'a' }]])
  expect(await ends({ attemptTimeoutMs: 100, requestTimeoutMs: 150 })).toEqual({ result: 'a', at: 125 })
  expect(times()).toEqual([0, 125])
  expect(fakes[0]!.log).toEqual(['TIMEOUT', 'worked', ['took', 0, true]])
  const queued = world([[{ unsent: true }, { result: 'a' }]])
  const outcome = queued.run({ attemptTimeoutMs: 100, requestTimeoutMs: 1_000 })
  await vi.advanceTimersByTimeAsync(60)
  queued.attempts[0]!.send.sentAt = performance.now()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await outcome).toMatchObject({ result: 'a' })
  expect(queued.times().map((time) => time - queued.times()[0]!)).toEqual([0, 185])
})

/** A chain id request that is sent and never answered. */
const neverChecked = (send: SendContext) => {
  send.sentAt = performance.now()
  return new Promise<void>(() => {})
}

test('an endpoint that has not named its chain has four seconds for that, or less where the attempt has less', async () => {
  for (const [attemptMs, limitMs] of [
    [5_000, 4_000],
    [3_000, 3_000],
  ] as const) {
    const { run, fakes } = world([[{ result: 'a' }]], [{ isChainVerified: false }])
    fakes[0]!.checkChain = neverChecked
    const outcome = run({ priority: 'background', attemptTimeoutMs: attemptMs, requestTimeoutMs: 4_500 })
    await vi.advanceTimersByTimeAsync(limitMs - 1)
    expect(fakes[0]!.log).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(fakes[0]!.log).toEqual(['TIMEOUT'])
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await outcome).toMatchObject({ code: 'TIMEOUT' })
  }
})

test('once an endpoint has named its chain the attempt has its whole time', async () => {
  const { ends, fakes } = world([[{ after: 4_900, result: 'a' }]], [{ isChainVerified: false }])
  fakes[0]!.checkChain = () => new Promise((resolve) => setTimeout(resolve, 3_000))
  expect(await ends({ priority: 'background', attemptTimeoutMs: 5_000 })).toMatchObject({ result: 'a' })
})

test('once an endpoint has named its chain the attempt ends with its own time, counted anew', async () => {
  const { run, fakes } = world([[{}]], [{ isChainVerified: false }])
  fakes[0]!.checkChain = () => new Promise((resolve) => setTimeout(resolve, 3_000))
  const outcome = run({ priority: 'background', attemptTimeoutMs: 5_000, requestTimeoutMs: 8_500 })
  await vi.advanceTimersByTimeAsync(7_999)
  expect(fakes[0]!.log).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(fakes[0]!.log).toEqual(['TIMEOUT'])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await outcome).toMatchObject({ code: 'TIMEOUT' })
})

test('an endpoint that names its chain after another one has answered leaves no timer behind', async () => {
  const { run, fakes } = world([[{ result: 'a' }], [{ result: 'b' }]], [{ isChainVerified: false }])
  fakes[0]!.checkChain = () => new Promise((resolve) => setTimeout(resolve, 3_000))
  const outcome = run()
  await vi.advanceTimersByTimeAsync(3_000)
  expect(await outcome).toMatchObject({ result: 'b' })
  expect(vi.getTimerCount()).toBe(0)
})

test('each request earns a part of a hedge', async () => {
  const { run, course } = world([[{ result: 'a' }]])
  for (let request = 0; request < 34; request++) await run()
  let tokens = 0
  while (course.hedgeBudget.takeToken()) tokens++
  expect(tokens).toBe(11)
})

test('an attempt fails where the endpoint names another chain', async () => {
  const { ends, fakes, attempts } = world([[{ result: 'a' }], [{ result: 'b' }]])
  fakes[0]!.checkChain = () => Promise.reject(new RpcError('WRONG_CHAIN', 'other'))
  expect(await ends()).toMatchObject({ result: 'b' })
  expect(attempts.map(({ index }) => index)).toEqual([1])
})

test('a caller who has given up starts nothing, and one who gives up ends all', async () => {
  const aborted = AbortSignal.abort()
  const { ends, attempts } = world([[{ result: 'a' }]])
  expect(await ends({ signals: [undefined, aborted] })).toMatchObject({ code: 'ABORTED', at: 0 })
  expect(attempts).toEqual([])
  const controller = new AbortController()
  const running = world([[{ after: 500, result: 'a' }]])
  const outcome = running.run({ signals: [undefined, controller.signal] })
  await vi.advanceTimersByTimeAsync(40)
  controller.abort()
  expect(await outcome).toMatchObject({ code: 'ABORTED', at: 40 })
  expect(running.attempts[0]!.send.signal.aborted).toBe(true)
})

test('an answer leaves no timers behind', async () => {
  const { run } = world([[{ after: 20, result: 'a' }]])
  const outcome = run()
  await vi.advanceTimersByTimeAsync(20)
  await outcome
  expect(vi.getTimerCount()).toBe(0)
})

test('where all endpoints are down a request gives up after a second', async () => {
  const down = world([[{ error: 'UNREACHABLE' }]], [{ down: true }])
  expect(await down.ends()).toMatchObject({ code: 'UNREACHABLE', at: 1_575 })
  const half = world([[{ error: 'UNREACHABLE' }], [{ error: 'UNREACHABLE' }]], [{ down: true }, {}])
  expect(await half.ends()).not.toMatchObject({ at: 1_575 })
})

test('a request for which every pause is too long fails at once', async () => {
  const paused = world([[{ result: 'a' }]], [{ delayMs: 501, waitMs: 900 }])
  const failed = await paused.ends({ requestTimeoutMs: 500 })
  expect(failed).toMatchObject({ code: 'RATE_LIMITED', at: 0, error: { retryAfterMs: 900 } })
  expect(paused.attempts).toEqual([])
  const shorter = world([[{ result: 'a' }]], [{ delayMs: 501, waitMs: 400 }])
  expect(await shorter.ends({ requestTimeoutMs: 500 })).toMatchObject({ error: { retryAfterMs: 501 } })
  const inTime = world([[{ result: 'a' }], [{ result: 'b' }]], [{ delayMs: 501 }, { delayMs: 500 }])
  expect(await inTime.ends({ requestTimeoutMs: 500 })).toMatchObject({ result: expect.any(String) })
})

test('an endpoint that is slowed down for longer than the pause is no better than one that failed', async () => {
  const slow = world([[{ error: 'UNREACHABLE' }, { result: 'a' }], [{ result: 'b' }]], [{}, { delayMs: 26 }])
  expect(await slow.ends()).toEqual({ result: 'a', at: 25 })
  const soon = world([[{ error: 'UNREACHABLE' }, { result: 'a' }], [{ result: 'b' }]], [{}, { delayMs: 25 }])
  expect(await soon.ends()).toEqual({ result: 'b', at: 0 })
})

const latency = (ms: number): Latency => ({ p50: ms, p95: ms, longest: ms, answeredP90: ms })

test('a second request goes elsewhere when the first is late, and the first of both counts', async () => {
  const { ends, events, fakes, attempts, course } = world(
    [[{ after: 400, result: 'a' }], [{ after: 30, result: 'b' }]],
    [{ latency: latency(100) }, { latency: latency(100) }],
  )
  const outcome = (await ends()) as { result: string; at: number }
  expect(outcome.result).toBe('b')
  expect(attempts.map(({ index }) => index)).toEqual([0, 1])
  // 1.5 times the 95th percentile, and one turn of the event loop, which takes a millisecond of fake time.
  expect(attempts[1]!.at).toBe(151)
  expect(outcome.at).toBe(attempts[1]!.at + 30)
  expect(events).toEqual(['hedge 1'])
  expect(fakes[0]!.log).toEqual([
    ['took', outcome.at, false],
    ['failed', 'late'],
  ])
  expect(fakes[1]!.log).toEqual(['worked', ['took', 30, true]])
  expect((attempts[0]!.send.signal as Abort).aborted).toBe(true)
  expect('fresh' in attempts[1]!.send).toBe(false)
  // The token of the useful hedge is refunded.
  let tokens = 0
  while (course.hedgeBudget.takeToken()) tokens++
  expect(tokens).toBe(10)
})

test('a second request that did not help is paid for, and does not count against its endpoint', async () => {
  const { ends, fakes, course } = world(
    [[{ after: 200, result: 'a' }], [{ after: 400, result: 'b' }]],
    [{ latency: latency(100) }, { latency: latency(100) }],
  )
  expect(await ends()).toEqual({ result: 'a', at: 200 })
  expect(fakes[1]!.log).toEqual([])
  let tokens = 0
  while (course.hedgeBudget.takeToken()) tokens++
  expect(tokens).toBe(9)
})

test.each([
  // The third request starts while the second may still be answered, so both take a token.
  ['that cost two tokens', { ...latency(100), longest: 1_000 }],
  // The second request is lost when the third starts, which is therefore free.
  ['of which one was free', latency(100)],
])('two more requests %s leave the budget as it was where the last one answers', async (_, latencies) => {
  const facts = { latency: latencies }
  const { ends, events, course } = world([[{}], [{}], [{ after: 5, result: 'c' }]], [facts, facts, facts])
  expect(await ends()).toMatchObject({ result: 'c' })
  expect(events).toEqual(['hedge 1', 'hedge 2'])
  let tokens = 0
  while (course.hedgeBudget.takeToken()) tokens++
  expect(tokens).toBe(10)
})

test('background work gets no second request', async () => {
  const { ends, attempts } = world([[{ after: 9_000, result: 'a' }], [{ result: 'b' }]])
  expect(await ends({ priority: 'background' })).toEqual({ result: 'a', at: 9_000 })
  expect(attempts).toHaveLength(1)
})

test('the only endpoint is asked again on a fresh connection once the first request is taken to be lost', async () => {
  const { ends, attempts, fakes, events } = world([[{}, { after: 5, result: 'a' }]], [{ latency: latency(100) }])
  expect(await ends()).toMatchObject({ result: 'a' })
  // Twice the longest recent latency is below the minimum of 250 ms.
  expect(attempts[1]!.at).toBe(251)
  expect(attempts[1]!.send.newConnection).toBe(true)
  expect(events).toEqual(['hedge 0'])
  expect(fakes[0]!.log).toEqual([['took', attempts[1]!.at + 5, false], 'missed', 'worked', ['took', 5, true]])
})

test('no second request goes to endpoints that are ejected, refused or want to be left alone', async () => {
  const late = { after: 240, result: 'a' } as const
  const facts = { latency: latency(100) }
  const isEjected = world([[late], [{ result: 'b' }]], [facts, { ...facts, isEjected: true }])
  expect(await isEjected.ends()).toEqual({ result: 'a', at: 240 })
  const alone = world([[late], [{ result: 'b' }]], [facts, { ...facts, waitMs: 1 }])
  expect(await alone.ends()).toEqual({ result: 'a', at: 240 })
  const refused = world([[late], [{ error: 'REJECTED' }]], [facts, facts])
  expect(await refused.ends()).toEqual({ result: 'a', at: 240 })
  expect(refused.attempts).toHaveLength(2)
})

test('a request that waits in the queue of the only endpoint gets no second one there', async () => {
  const { ends, attempts } = world([[{ after: 2_000, result: 'a', unsent: true }]], [{ latency: latency(100) }])
  expect(await ends()).toEqual({ result: 'a', at: 2_000 })
  expect(attempts).toHaveLength(1)
})

test('where requests get lost several go out at once, fifteen beside the first at most', async () => {
  const { ends, attempts, times, course } = world([[{}]], [{ latency: latency(20) }])
  for (let k = 0; k < 20; k++) course.hedgeBudget.recordOutcome(true)
  await ends({ requestTimeoutMs: 30_000 })
  // Three hedges at the latency of answers, then each after twice the last delay, at most 500 ms. Each check takes one
  // turn of the event loop, which is a millisecond of fake time.
  const pauses = [20, 20, 20, 40, 80, 160, 320, 500, 500]
  let at = 0
  expect(times().slice(0, 10)).toEqual([0, ...pauses.map((ms) => (at += ms + 1))])
  expect(attempts).toHaveLength(16)
  expect(attempts.slice(1).every(({ send }) => send.newConnection)).toBe(true)
})
