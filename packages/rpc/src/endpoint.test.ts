import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Abort } from './abort.ts'
import type { EndpointCall, SendContext } from './calls.ts'
import { Endpoint, type EndpointEvent, type EndpointOptions } from './endpoint.ts'
import type { RpcError } from './errors.ts'
import { type HttpResponse, poolOf } from './post.ts'
import { Budgets, type Priority } from './priority.ts'

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }
type Body = Call | readonly Call[]
type Respond = (
  calls: readonly Call[],
  isBatch: boolean,
) => Partial<HttpResponse> | Error | Promise<Partial<HttpResponse>>

let worlds = 0
beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const resultsOf = (calls: readonly Call[]) => calls.map(({ id, method }) => ({ id, result: `${method} done` }))
const good: Respond = (calls, isBatch) => ({ text: JSON.stringify(isBatch ? resultsOf(calls) : resultsOf(calls)[0]) })

/** An endpoint over an in-memory transport, and the bodies that it sent. */
function world(respond: Respond = good, options: Partial<EndpointOptions> = {}) {
  const origin = `http://endpoint-${worlds++}.test`
  const bodies: string[][] = []
  const fresh: boolean[] = []
  const events: EndpointEvent[] = []
  const dispatcher = (sent: { readonly body: string }, handler: Record<string, (...args: never[]) => void>) => {
    const body = JSON.parse(sent.body) as Body
    const calls = (Array.isArray(body) ? body : [body]) as readonly Call[]
    bodies.push(calls.map(({ method }) => method))
    const call = handler as unknown as Record<string, (...args: unknown[]) => void>
    call.onRequestStart!({ abort: (reason: unknown) => call.onResponseError!({}, reason) })
    Promise.resolve(respond(calls, Array.isArray(body))).then((answer) => {
      if (answer instanceof Error) return call.onResponseError!({}, answer)
      const { status = 200, text = '', retryAfter } = answer
      call.onResponseStart!({}, status, retryAfter === undefined ? {} : { 'retry-after': retryAfter })
      call.onResponseData!({}, Buffer.from(text))
      call.onResponseEnd!({}, {})
    })
  }
  vi.spyOn(poolOf(origin), 'send').mockImplementation((request, _, isFresh = false) => {
    fresh.push(isFresh)
    return request({ dispatch: dispatcher } as never)
  })
  const endpoint = new Endpoint({ url: `${origin}/key`, onEvent: (event) => events.push(event), ...options })
  return { endpoint, bodies, events, fresh }
}
const sendOf = (priority: Priority = 'quote', rest: Partial<SendContext> = {}): SendContext => ({
  ...{ signal: new Abort(), priority, ...rest },
})
/** Returns results, or error codes, of requests made in the same tick. */
const outcomes = async (requests: readonly Promise<unknown>[], ms = 5) => {
  const settled = Promise.all(requests.map((request) => request.catch((error: RpcError) => error.code)))
  await vi.advanceTimersByTimeAsync(ms)
  return settled
}
const ask = (endpoint: Endpoint, methods: readonly string[], send?: SendContext) => {
  const requests = methods.map((method) => endpoint.request(method, [], send ?? sendOf()))
  // Avoids unhandled rejections before the test awaits the request.
  for (const request of requests) request.catch(() => {})
  return requests
}
const names = (count: number) => Array.from({ length: count }, (_, k) => `m${k}`)
const done = (count: number) => names(count).map((name) => `${name} done`)
const together = (endpoint: Endpoint, methods: readonly string[], send = sendOf()) =>
  endpoint.requestTogether(
    methods.map((method): EndpointCall => [method, []]),
    send,
  )

test('requests of one tick travel in one body, and a single one without a list', async () => {
  const { endpoint, bodies, events } = world()
  expect(await outcomes(ask(endpoint, names(3)))).toEqual(done(3))
  expect(await outcomes(ask(endpoint, ['alone']))).toEqual(['alone done'])
  expect(bodies).toEqual([names(3), ['alone']])
  expect(events).toEqual([
    { kind: 'sent', methods: names(3), priority: 'quote' },
    { kind: 'sent', methods: ['alone'], priority: 'quote' },
  ])
  expect(endpoint.queuedCount).toBe(0)
})

test('the time of sending is noted once', async () => {
  const { endpoint } = world()
  const [first, second] = [sendOf(), sendOf('quote', { sentAt: 3 })]
  await outcomes([...ask(endpoint, ['a'], first), ...ask(endpoint, ['b'], second)])
  expect(first.sentAt).toBeGreaterThanOrEqual(0)
  expect(second.sentAt).toBe(3)
})

test('a body holds fifty calls by default, and as many as are set', async () => {
  const { endpoint, bodies } = world()
  await outcomes(ask(endpoint, names(120)))
  expect(bodies.map(({ length }) => length)).toEqual([50, 50, 20])
  const three = world(good, { batchSize: 3 })
  await outcomes(ask(three.endpoint, names(4)))
  expect(three.bodies.map(({ length }) => length)).toEqual([3, 1])
})

test('a body holds as many bytes as are set, and one call however large', async () => {
  const size = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'm0', params: [] }).length
  for (const [batchBytes, lengths] of [
    [2 * size, [2, 1]],
    [2 * size - 1, [1, 1, 1]],
    [1, [1, 1, 1]],
  ] as const) {
    const { endpoint, bodies } = world(good, { batchBytes })
    await outcomes(ask(endpoint, names(3)))
    expect(bodies.map(({ length }) => length)).toEqual(lengths)
  }
})

test('what is asked for together travels at once and alone', async () => {
  const { endpoint, bodies, fresh } = world()
  const otherCalls = ask(endpoint, ['a', 'b'])
  const whole = together(endpoint, ['x', 'y'])
  const apart = ask(endpoint, ['f'], sendOf('quote', { newConnection: true }))
  expect(await outcomes([...otherCalls, ...whole, ...apart])).toEqual([
    'a done',
    'b done',
    'x done',
    'y done',
    'f done',
  ])
  expect(bodies.map((methods) => methods.join())).toEqual(expect.arrayContaining(['a,b', 'x,y', 'f']))
  expect(bodies).toHaveLength(3)
  expect(fresh.filter(Boolean)).toHaveLength(1)
})

test('what does not fit into one body is sent call by call', async () => {
  const { endpoint, bodies } = world(good, { batchSize: 2 })
  expect(await outcomes([...together(endpoint, names(3))])).toEqual(done(3))
  expect(bodies).toEqual([['m0'], ['m1'], ['m2']])
  expect(await outcomes([...together(endpoint, names(2))])).toEqual(done(2))
  expect(bodies.at(-1)).toEqual(['m0', 'm1'])
})

test('answers are found by their ids, and a request without one has failed', async () => {
  const { endpoint } = world((calls) => ({ text: JSON.stringify(resultsOf(calls).reverse().slice(1)) }))
  expect(await outcomes(ask(endpoint, names(3)))).toEqual(['m0 done', 'm1 done', 'BAD_ANSWER'])
  const errors = world((calls) => ({
    text: JSON.stringify([{ id: calls[0]!.id, error: { message: 'header not found' } }, ...resultsOf(calls).slice(1)]),
  }))
  expect(await outcomes(ask(errors.endpoint, names(2)))).toEqual(['LAGGING', 'm1 done'])
})

test('an error without an id is that of a single call', async () => {
  const { endpoint, bodies } = world(() => ({ text: JSON.stringify({ error: { message: 'header not found' } }) }))
  expect(await outcomes(ask(endpoint, ['a']))).toEqual(['LAGGING'])
  expect(bodies).toHaveLength(1)
})

const whole = (message: string) => JSON.stringify({ error: { code: -32600, message } })

test('a batch that is refused is sent call by call, from then on at once', async () => {
  const { endpoint, bodies, events } = world((calls, isBatch) =>
    isBatch ? { text: whole('batches are disabled') } : good(calls, isBatch),
  )
  expect(await outcomes(ask(endpoint, names(3)))).toEqual(done(3))
  expect(bodies.map(({ length }) => length)).toEqual([3, 1, 1, 1])
  expect(events.filter(({ kind }) => kind === 'batch')).toEqual([{ kind: 'batch', size: 1 }])
  expect(endpoint.limits.maxBatch).toBe(1)
  await outcomes(ask(endpoint, names(2)))
  expect(bodies.map(({ length }) => length)).toEqual([3, 1, 1, 1, 1, 1])
})

test('a batch that is too large is halved', async () => {
  const { endpoint, bodies, events } = world((calls, isBatch) =>
    calls.length > 3 ? { status: 413, text: 'too large' } : good(calls, isBatch),
  )
  expect(await outcomes(ask(endpoint, names(7)))).toEqual(done(7))
  expect(bodies.map(({ length }) => length)).toEqual([7, 3, 3, 1])
  expect(events.filter(({ kind }) => kind === 'batch')).toEqual([{ kind: 'batch', size: 3 }])
})

test('a page in place of a batch is chance once, and a server error a failure', async () => {
  const { endpoint, bodies } = world((calls, isBatch) => (isBatch ? { text: '<html>' } : good(calls, isBatch)))
  expect(await outcomes(ask(endpoint, names(2)))).toEqual(done(2))
  expect([bodies.length, endpoint.limits.maxBatch]).toEqual([3, 50])
  await outcomes(ask(endpoint, names(2)))
  expect(endpoint.limits.maxBatch).toBe(1)
  const broken = world(() => ({ status: 500, text: '<html>' }))
  expect(await outcomes(ask(broken.endpoint, names(2)))).toEqual(['UNREACHABLE', 'UNREACHABLE'])
  expect([broken.bodies.length, broken.endpoint.limits.maxBatch]).toEqual([1, 50])
  const refused = world((calls, isBatch) => (isBatch ? { status: 499, text: '<html>' } : good(calls, isBatch)))
  expect(await outcomes(ask(refused.endpoint, names(2)))).toEqual(done(2))
  expect(refused.endpoint.limits.maxBatch).toBe(1)
})

test.each([
  ['a closed connection', new Error('closed')],
  ['a failing gateway', { status: 502, text: '' }],
] as const)('batches that are too large and lost by %s become smaller', async (_, failure) => {
  const { endpoint, events } = world((calls, isBatch) => (calls.length > 2 ? failure : good(calls, isBatch)))
  expect(await outcomes(ask(endpoint, names(5)))).toEqual(Array(5).fill('UNREACHABLE'))
  expect(await outcomes(ask(endpoint, ['alone']))).toEqual(['alone done'])
  for (let attempt = 0; attempt < 2; attempt++) await outcomes(ask(endpoint, names(5)))
  expect(events.filter(({ kind }) => kind === 'batch')).toEqual([{ kind: 'batch', size: 2 }])
  expect(await outcomes(ask(endpoint, names(5)))).toEqual(done(5))
})

test('a page in place of a single answer has the meaning of its status', async () => {
  const codeOf = async (status: number) => (await outcomes(ask(world(() => ({ status, text: '' })).endpoint, ['a'])))[0]
  expect(await codeOf(200)).toBe('BAD_ANSWER')
  expect(await codeOf(404)).toBe('BAD_ANSWER')
  expect(await codeOf(403)).toBe('CREDIT')
  expect(await codeOf(413)).toBe('SIZE')
  expect(await codeOf(502)).toBe('UNREACHABLE')
})

test('a batch works in between: a second page is chance again', async () => {
  let isPage = true
  const { endpoint } = world((calls, isBatch) => (isBatch && isPage ? { text: '<html>' } : good(calls, isBatch)))
  await outcomes(ask(endpoint, names(2)))
  isPage = false
  await outcomes(ask(endpoint, names(2)))
  isPage = true
  await outcomes(ask(endpoint, names(2)))
  expect(endpoint.limits.maxBatch).toBe(50)
})

test('a rate limit of a whole batch is one of all calls and slows the endpoint down', async () => {
  const { endpoint, bodies, events } = world(() => ({ text: whole('rate limit') }))
  expect(endpoint.limits.rate).toBeNull()
  expect(await outcomes(ask(endpoint, names(2)))).toEqual(['RATE_LIMITED', 'RATE_LIMITED'])
  expect([bodies.length, endpoint.limits]).toEqual([1, { rate: 3, maxBatch: 50 }])
  expect(events.filter(({ kind }) => kind === 'slowed')).toEqual([{ kind: 'slowed', rate: 3 }])
  const credit = world(() => ({ text: whole('out of credits') }))
  expect(await outcomes(ask(credit.endpoint, names(2)))).toEqual(['CREDIT', 'CREDIT'])
  expect(credit.bodies).toHaveLength(1)
  expect(credit.endpoint.limits.rate).toBeNull()
})

test('a failure of the node does not make its batches smaller, nor is it repeated by each call', async () => {
  let answer: Partial<HttpResponse> | undefined = { text: whole('service temporarily unavailable') }
  const { endpoint, bodies } = world((calls, isBatch) => answer ?? good(calls, isBatch))
  expect(await outcomes(ask(endpoint, names(2)))).toEqual(['UNREACHABLE', 'UNREACHABLE'])
  expect([bodies.length, endpoint.limits.maxBatch]).toEqual([1, 50])
  answer = { status: 500, text: whole('internal error') }
  await outcomes(ask(endpoint, names(2)))
  expect(endpoint.limits.maxBatch).toBe(50)
  answer = undefined
  expect(await outcomes(ask(endpoint, names(3)))).toEqual(done(3))
  expect(bodies.at(-1)).toEqual(names(3))
})

test('a limit of the size of a batch halves it, though it is worded as a rate limit', async () => {
  const { endpoint, bodies } = world((calls, isBatch) =>
    isBatch && calls.length > 1 ? { text: whole('batch request limit exceeded') } : good(calls, isBatch),
  )
  expect(await outcomes(ask(endpoint, names(2)))).toEqual(done(2))
  expect(bodies.map(({ length }) => length)).toEqual([2, 1, 1])
})

test('HTTP 429 with a pause leaves the endpoint alone, but for a probe of a quote', async () => {
  const { endpoint, events } = world(() => ({ status: 429, text: 'slow down', retryAfter: '5' }))
  expect(await outcomes(ask(endpoint, names(2)), 0)).toEqual(['RATE_LIMITED', 'RATE_LIMITED'])
  expect(endpoint.waitMs('lookup')).toBeGreaterThan(4_900)
  expect(endpoint.waitMs('quote')).toBeLessThanOrEqual(40)
  expect(endpoint.delayMs('lookup')).toBe(endpoint.waitMs('lookup'))
  expect(events.at(-1)).toMatchObject({ kind: 'slowed' })
})

test('a pause is over once a probe has an answer, be it an error of the call', async () => {
  const answers: Partial<HttpResponse>[] = [{ status: 429, text: 'slow down', retryAfter: '5' }]
  const reverted = { error: { code: 3, message: 'execution reverted' } }
  const { endpoint } = world(([call]) => answers.shift() ?? { text: JSON.stringify({ id: call!.id, ...reverted }) })
  await outcomes(ask(endpoint, ['a']), 0)
  expect(endpoint.waitMs('lookup')).toBeGreaterThan(4_900)
  expect(await outcomes(ask(endpoint, ['b']), 100)).toEqual(['REVERTED'])
  expect(endpoint.waitMs('lookup')).toBeLessThan(1_000)
})

test('a slowed endpoint delays a request by those that wait before it', async () => {
  const { endpoint } = world(() => ({ text: whole('rate limit') }))
  await outcomes(ask(endpoint, ['a']))
  const base = endpoint.delayMs('quote')
  expect(base).toBe(0)
  ask(endpoint, names(30), sendOf('lookup'))
  // Thirty queued calls at three per second.
  expect([endpoint.delayMs('quote'), endpoint.delayMs('lookup'), endpoint.queuedCount]).toEqual([0, 10_000, 30])
  endpoint.close()
})

test('a connection that fails is a failure of all its calls', async () => {
  const { endpoint } = world(() => Object.assign(new Error('no'), { code: 'ECONNREFUSED' }))
  expect(await outcomes(ask(endpoint, names(2)))).toEqual(['UNREACHABLE', 'UNREACHABLE'])
  expect(endpoint.limits).toEqual({ rate: null, maxBatch: 50 })
})

test('as many bodies as allowed are under way, the others wait', async () => {
  const releases: (() => void)[] = []
  const { endpoint, bodies } = world(
    (calls, isBatch) =>
      new Promise((resolve) => releases.push(() => resolve(good(calls, isBatch) as Partial<HttpResponse>))),
    { maxConcurrency: 2, batchSize: 1 },
  )
  const requests = ask(endpoint, names(4))
  await vi.advanceTimersByTimeAsync(1)
  expect([bodies.length, endpoint.queuedCount]).toEqual([2, 2])
  releases.shift()!()
  await vi.advanceTimersByTimeAsync(1)
  expect([bodies.length, endpoint.queuedCount]).toEqual([3, 1])
  for (const release of releases.splice(0)) release()
  await vi.advanceTimersByTimeAsync(1)
  for (const release of releases.splice(0)) release()
  expect(await outcomes(requests)).toEqual(done(4))
})

test('requests that are given up are not sent, and end the body that serves nobody else', async () => {
  const { endpoint, bodies } = world(() => new Promise(() => {}), { maxConcurrency: 1 })
  const [first, second, third] = [sendOf(), sendOf(), sendOf()] as const
  const requests = [...ask(endpoint, ['a'], first), ...ask(endpoint, ['b'], second)]
  await vi.advanceTimersByTimeAsync(1)
  const waiting = ask(endpoint, ['c'], third)
  await vi.advanceTimersByTimeAsync(1)
  expect(endpoint.queuedCount).toBe(1)
  ;(third.signal as Abort).abort()
  expect(endpoint.queuedCount).toBe(0)
  ;(first.signal as Abort).abort()
  await vi.advanceTimersByTimeAsync(1)
  const next = ask(endpoint, ['d'])
  await vi.advanceTimersByTimeAsync(1)
  expect(bodies).toEqual([['a', 'b']])
  ;(second.signal as Abort).abort()
  await vi.advanceTimersByTimeAsync(1)
  expect(bodies).toEqual([['a', 'b'], ['d']])
  expect(await outcomes([...requests, ...waiting])).toEqual(['ABORTED', 'ABORTED', 'ABORTED'])
  endpoint.close()
  await Promise.allSettled(next)
})

test('a caller who has given up before is not served', async () => {
  const { endpoint, bodies } = world()
  const send = sendOf()
  ;(send.signal as Abort).abort()
  expect(await outcomes(ask(endpoint, ['a'], send))).toEqual(['ABORTED'])
  expect(bodies).toEqual([])
})

test('a closed endpoint ends requests under way and sends nothing more', async () => {
  const { endpoint, bodies } = world(() => new Promise(() => {}))
  const requests = ask(endpoint, ['a'])
  await vi.advanceTimersByTimeAsync(1)
  endpoint.close()
  expect((await outcomes(requests))[0]).toMatch(/^(ABORTED|UNREACHABLE)$/)
  expect(await outcomes(ask(endpoint, ['b']))).toEqual(['ABORTED'])
  expect(bodies).toEqual([['a']])
})

test('background work waits for its budget, and goes on once that is there again', async () => {
  const { endpoint, bodies } = world(good, { batchSize: 1 })
  const requests = ask(endpoint, names(102), sendOf('background'))
  // A hundred calls use up five seconds of the budget. One more call overdraws it by a twentieth of a second.
  await vi.advanceTimersByTimeAsync(40)
  expect([bodies.length, endpoint.queuedCount]).toEqual([101, 1])
  expect(await outcomes(ask(endpoint, ['quote']), 1)).toEqual(['quote done'])
  expect(bodies).toHaveLength(102)
  await vi.advanceTimersByTimeAsync(20)
  expect([bodies.length, endpoint.queuedCount]).toEqual([103, 0])
  expect(await outcomes(requests)).toEqual(done(102))
})

test('bytes of bodies and of answers count against the budget', async () => {
  const background = { calls: 1_000, bytes: 100 }
  /** Returns the wait of background work after one call with a response of the given size. */
  const pauseOf = async (length: number, method: string) => {
    const budgets = new Budgets({ background })
    const { endpoint } = world(() => ({ text: 'x'.repeat(length) }), { budgets })
    await outcomes(ask(endpoint, [method], sendOf('background')), 0)
    return budgets.waitMs('background')
  }
  const size = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'a', params: [] }).length
  // Uses exactly five seconds of the budget, then a hundred bytes more.
  expect(await pauseOf(500 - size, 'a')).toBe(1)
  expect(await pauseOf(600 - size, 'a')).toBe(1_001)
  expect(await pauseOf(500 - size, 'a'.repeat(101))).toBe(1_001)
})

test('more than ten thousand requests of a priority are refused', async () => {
  const { endpoint } = world(() => new Promise(() => {}), { maxConcurrency: 1 })
  const requests = ask(endpoint, names(10_001), sendOf('lookup'))
  await expect(requests.at(-1)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  expect(endpoint.queuedCount).toBe(10_000)
  endpoint.close()
})

test('a probe that ends without an answer lets another one follow', async () => {
  const answers: (Partial<HttpResponse> | Error)[] = [{ status: 429, retryAfter: '60' }, new Error('reset')]
  const { endpoint, bodies } = world(() => answers.shift()!)
  await outcomes(ask(endpoint, ['refused']))
  await vi.advanceTimersByTimeAsync(2_000)
  expect(endpoint.waitMs('quote')).toBe(0)
  await outcomes(ask(endpoint, ['probe']))
  expect(bodies).toHaveLength(2)
  expect(endpoint.waitMs('quote')).toBeLessThan(3_000)
  expect(endpoint.waitMs('lookup')).toBeGreaterThan(50_000)
})
