/** Tests of how quote streams start and end. */
import { createHash } from 'node:crypto'
import { QuotingError, type StreamUpdate } from '@sluice/quoting'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { account, errorLog, ONE, served, TWO } from '../../test/src/in-memory.ts'

const path = `/stream/1?src=${ONE}&dst=${TWO}&amount=1000`
const refused: StreamUpdate = { kind: 'refused', error: new QuotingError('NO_ROUTE', 'no route'), block: undefined }
const end: StreamUpdate = { kind: 'end', error: new QuotingError('BEHIND', 'the chain is behind') }
const HEARTBEAT_MS = 10_000
const errorOf = (body: string) => JSON.parse(body)

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

type World = {
  readonly firstUpdate?: Promise<void>
  readonly environment?: Readonly<Record<string, string>>
  readonly log?: ReturnType<typeof errorLog>['log']
}

/** Serves a chain with one stream, whose state and updates the test chooses. */
function streamed({ firstUpdate = Promise.resolve(), environment, log }: World = {}) {
  const chain = { state: 'awake' }
  const listeners: ((update: StreamUpdate) => void)[] = []
  const closed: number[] = []
  const app = served(
    {
      status: () => ({ chainId: 1, state: chain.state }),
      streams: {
        open: (_: unknown, listener: (update: StreamUpdate) => void) => {
          const index = listeners.push(listener) - 1
          return { firstUpdate, close: () => closed.push(index) }
        },
      },
    },
    environment,
    log,
  )
  const whenOpen = (count = 1) => vi.waitFor(() => expect(app.services.streams.size).toBe(count))
  return { ...app, chain, listeners, closed, whenOpen }
}

test('updates before the first answer are sent in their order', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { ask, listeners, closed, whenOpen } = streamed({ firstUpdate: promise })
  const answer = ask(path)
  await vi.waitFor(() => expect(listeners).toHaveLength(1))
  const block = { kind: 'block', block: { number: 8, hash: '0x08' } } as unknown as StreamUpdate
  for (const update of [refused, block]) listeners[0]!(update)
  resolve()
  await whenOpen()
  expect(closed).toEqual([])
  listeners[0]!(end)
  expect((await answer).body.match(/event: \w+/g)).toEqual(['event: refused', 'event: block', 'event: end'])
  await vi.waitFor(() => expect(closed).toContain(0))
})

test('a refusal has the block of its quote as its id', async () => {
  const { ask, listeners, whenOpen } = streamed()
  const answer = ask(path)
  await whenOpen()
  listeners[0]!({ ...refused, block: { number: 9 } } as unknown as StreamUpdate)
  listeners[0]!(end)
  expect((await answer).body).toMatch(/^event: refused\nid: 9\n/)
})

test('a bug that ends a stream is logged, because the event does not name it', async () => {
  const { log, lines } = errorLog()
  const { ask, listeners, whenOpen } = streamed({ log })
  const answer = ask(path)
  await whenOpen()
  listeners[0]!({ kind: 'end', error: new TypeError('no such field') })
  expect((await answer).body).toMatch(/^event: end\ndata: .*"code":"INTERNAL"/)
  expect(lines).toMatchObject([{ err: { message: 'no such field' } }])
})

test.each(['src', 'dst', 'from'])('streams that share an update have %s as each request spells it', async (field) => {
  const { ask, listeners, whenOpen } = streamed()
  const lowerCase: Readonly<Record<string, string>> = { src: account('a'), dst: account('b'), from: account('c') }
  const spellings = [lowerCase, { ...lowerCase, [field]: `0x${lowerCase[field]!.slice(2).toUpperCase()}` }]
  const answers: ReturnType<typeof ask>[] = []
  for (const spelling of spellings) {
    answers.push(ask(`/stream/1?${new URLSearchParams({ ...spelling, amount: '1000' })}`))
    await whenOpen(answers.length)
  }
  const update = {
    kind: 'quote',
    quote: {
      route: { tokenIn: ONE, tokenOut: TWO, amountIn: 1_000n, amountOut: 900n, gas: 5, legs: [] },
      ...{ amountOut: 900n, minOutput: 890n, gasEstimate: 5n, gasCharged: 5n, gasChargedAtDeadline: 5n },
      ...{ gasCostWei: 5n, block: { number: 9, hash: '0x09' }, priceImpactPpm: null, warnings: [] },
      swap: { data: '0x12', value: 0n },
    },
  } as unknown as StreamUpdate
  for (const sent of [update, end]) for (const listener of listeners) listener(sent)
  const bodies = (await Promise.all(answers)).map(({ body }) => /event: quote\nid: 9\ndata: (.*)/.exec(body)![1]!)
  const answered = bodies.map((body) => JSON.parse(body))
  expect(answered.map(({ src, dst, tx: { from } }) => ({ src, dst, from }))).toEqual(spellings)
})

describe('heartbeats', () => {
  test('end a stream whose chain fails at two in a row', async () => {
    const { ask, chain, whenOpen } = streamed()
    const answer = ask(path)
    await whenOpen()
    for (const state of ['failing', 'awake', 'failing']) {
      chain.state = state
      vi.advanceTimersByTime(HEARTBEAT_MS)
    }
    vi.advanceTimersByTime(HEARTBEAT_MS)
    const { body } = await answer
    const [first, second, third, ...rest] = body.split('\n\n')
    expect([first, second, third]).toEqual([':', ':', ':'])
    expect(rest.join()).toMatch(/^event: end\ndata: .*"code":"RPC_FAILED"/)
    expect(body).toContain('no node of the chain answers')
  })

  test('keep a stream whose chain sleeps', async () => {
    const { ask, chain, listeners, whenOpen } = streamed()
    const answer = ask(path)
    await whenOpen()
    chain.state = 'asleep'
    vi.advanceTimersByTime(2 * HEARTBEAT_MS)
    listeners[0]!(end)
    expect((await answer).body).toMatch(/^(:\n\n){2}event: end\n/)
  })
})

describe('a stream is refused', () => {
  test.each([
    ['with a past block', '&block=7'],
    ['with a proof', '&proof=true'],
    ['with an unknown key', '&feeExemptKey=unknown'],
  ])('%s', async (_, more) => {
    const { ask, listeners } = streamed()
    const { status, body } = await ask(path + more)
    expect(status).toBeGreaterThanOrEqual(400)
    expect([errorOf(body).code.length > 0, listeners]).toEqual([true, []])
  })

  test('with an unknown key in its header, and accepted with a known one', async () => {
    const environment = { FEE_EXEMPT_KEY_HASHES: createHash('sha256').update('mine').digest('hex') }
    const { ask, listeners, whenOpen } = streamed({ environment })
    expect((await ask(path, { headers: { 'x-fee-exempt-key': 'other' } })).status).toBeGreaterThanOrEqual(400)
    const answer = ask(path, { headers: { 'x-fee-exempt-key': 'mine' } })
    await whenOpen()
    listeners[0]!(end)
    expect((await answer).status).toBe(200)
  })

  test('above the limit of its caller, until another one ends', async () => {
    const { ask, listeners, whenOpen } = streamed()
    const answers = [ask(path), ask(path)]
    await whenOpen(2)
    const { status, body } = await ask(path)
    expect([status, errorOf(body).code]).toEqual([503, 'OVERLOADED'])
    listeners[0]!(end)
    await answers[0]
    await whenOpen(1)
    const next = ask(path)
    await whenOpen(2)
    for (const listener of listeners) listener(end)
    expect((await next).status).toBe(200)
  })
})
