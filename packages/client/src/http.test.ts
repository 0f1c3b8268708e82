/** Tests of signals, timeouts, and responses on platforms that lack parts of `fetch`. */
import { getEventListeners } from 'node:events'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { readEvents } from './events.ts'
import { anySignal, request } from './http.ts'

test('a signal of several aborts with any of them, also where AbortSignal.any is missing', () => {
  const { any } = AbortSignal
  for (const isMissing of [false, true]) {
    if (isMissing) AbortSignal.any = undefined as never
    try {
      const [first, second] = [new AbortController(), new AbortController()]
      const signal = anySignal([first.signal, undefined, second.signal])
      expect(signal.aborted).toBe(false)
      second.abort('why')
      expect([signal.aborted, signal.reason]).toEqual([true, 'why'])
      // A signal that the caller keeps for many requests keeps no listeners of those that ended.
      expect(getEventListeners(first.signal, 'abort')).toEqual([])
      expect(anySignal([AbortSignal.abort('old'), first.signal]).reason).toBe('old')
    } finally {
      AbortSignal.any = any
    }
  }
})

const BASE = { baseUrl: 'https://swap.example', retries: 0 }
/** Waits for the abort of its signal. */
const silentFetch = ((_url: unknown, { signal }: RequestInit) =>
  new Promise((_resolve, reject) => {
    signal!.addEventListener('abort', () => reject(signal!.reason))
  })) as typeof fetch

describe('a timeout', () => {
  const { timeout } = AbortSignal
  afterEach(() => {
    AbortSignal.timeout = timeout
    vi.useRealTimers()
  })

  test('ends a request where AbortSignal.timeout is missing', async () => {
    AbortSignal.timeout = undefined as never
    vi.useFakeTimers()
    const outcome = request({ ...BASE, fetch: silentFetch, timeoutMs: 70 }, '/chains').catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(70)
    expect(await outcome).toMatchObject({
      ...{ code: 'NETWORK', message: 'https://swap.example was not reached: timeout of 70 ms' },
    })
  })

  test.each([2 ** 31, Number.POSITIVE_INFINITY])('of %s ms does not end a request at once', async (timeoutMs) => {
    const delays: number[] = []
    AbortSignal.timeout = (ms) => {
      delays.push(ms)
      return timeout.call(AbortSignal, ms)
    }
    const fetch = async () => Response.json({ a: 1 })
    expect(await request({ ...BASE, fetch, timeoutMs }, '/chains')).toEqual({ a: 1 })
    expect(delays).toEqual([2 ** 31 - 1])
  })
})

describe('a response without a stream of the web', () => {
  /** Response as React Native has it (`body` is undefined), or node-fetch (another stream). */
  const fetchOf = (body: unknown, text: string, status = 200) =>
    (async () => ({
      ...{ ok: status < 300, status, redirected: false, headers: new Headers(), body, text: async () => text },
    })) as unknown as typeof fetch

  test.each([
    ['no body', undefined],
    ['another stream', { pipe: () => undefined }],
  ])('%s is read as text', async (_name, body) => {
    expect(await request({ ...BASE, fetch: fetchOf(body, '{"a":1}') }, '/chains')).toEqual({ a: 1 })
    await expect(request({ ...BASE, fetch: fetchOf(body, '{"error":"no"}', 500) }, '/chains')).rejects.toMatchObject({
      ...{ code: 'HTTP', message: 'no' },
    })
    await expect(request({ ...BASE, fetch: fetchOf(body, ' '.repeat(2 ** 24 + 1)) }, '/chains')).rejects.toThrow(
      'more than 16777216 bytes',
    )
    await expect(readEvents({ ...BASE, fetch: fetchOf(body, '') }, '/stream', {}).next()).rejects.toMatchObject({
      ...{ code: 'BAD_ANSWER', message: '/stream answered with no stream' },
    })
  })
})

test.each([
  ['3', 3],
  ['Mon, 01 Jan 2024 00:00:07 GMT', 7],
  ['Mon, 01 Jan 2024 00:00:06.100 GMT', 7],
  ['Sun, 31 Dec 2023 23:59:59 GMT', undefined],
  ['soon', undefined],
  ['-3', undefined],
  ['1.5.2', undefined],
])('a Retry-After of %s is %s seconds', async (retryAfter, seconds) => {
  vi.setSystemTime('2024-01-01T00:00:00Z')
  try {
    const fetch = async () => Response.json({}, { status: 503, headers: { 'retry-after': retryAfter } })
    const error = await request({ ...BASE, fetch }, '/chains').catch((cause: unknown) => cause)
    expect((error as { readonly details: object }).details).toEqual({
      ...{ status: 503, body: {} },
      ...(seconds !== undefined && { retryAfter: seconds }),
    })
  } finally {
    vi.useRealTimers()
  }
})
