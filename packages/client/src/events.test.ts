/** Tests the parser of event streams, and how a stream ends. */
import { describe, expect, test, vi } from 'vitest'
import { EventParser, readEvents } from './events.ts'
import type { HttpOptions } from './http.ts'

const MAX_EVENT_CHARS = 4 * 1024 * 1024
const eventsIn = (...chunks: readonly string[]) => {
  const parser = new EventParser('/stream')
  return chunks.flatMap((chunk) => [...parser.push(chunk)])
}

describe('events', () => {
  test.each([
    ['are a name and JSON data', 'event: quote\ndata: {"a":1}\n\n', [{ event: 'quote', data: { a: 1 } }]],
    ['may have no space after the colon', 'event:quote\ndata:7\n\n', [{ event: 'quote', data: 7 }]],
    ['end their lines with CR and LF too', 'event: quote\r\ndata: 7\r\n\r\n', [{ event: 'quote', data: 7 }]],
    ['join several lines of data', 'event: x\ndata: [1,\ndata: 2]\n\n', [{ event: 'x', data: [1, 2] }]],
    [
      'ignore comments and other fields',
      ': hi\nid: 5\nevents: y\nevent: x\ndata: 1\nretry: 2\n\n',
      [{ event: 'x', data: 1 }],
    ],
    ['need a name', 'data: 1\n\n', []],
    ['need data', 'event: x\n\n', []],
    ['need the empty line', 'event: x\ndata: 1\n', []],
    ['may have an empty name', 'event\ndata: 1\n\n', [{ event: '', data: 1 }]],
    ['take the last name', 'event: x\nevent: y\ndata: 1\n\n', [{ event: 'y', data: 1 }]],
    ['do not share names or data', 'event: x\n\ndata: 1\n\nevent: y\ndata: 2\n\n', [{ event: 'y', data: 2 }]],
  ])('%s', (_, text, expected) => expect(eventsIn(text)).toEqual(expected))

  test('may arrive in chunks of any size', () => {
    const text = 'event: quote\r\ndata: {"a":1}\r\n\r\nevent: x\ndata: 2\n\n'
    const expected = eventsIn(text)
    expect(expected).toHaveLength(2)
    expect(eventsIn(...text)).toEqual(expected)
    for (let end = 0; end <= text.length; end++)
      expect(eventsIn(text.slice(0, end), '', text.slice(end))).toEqual(expected)
  })

  test('have at most 4 Mi characters, without line ends, however they are divided', () => {
    const head = ['event: x', 'data: ""']
    const padding = (size: number) => `: ${'x'.repeat(size - head.join('').length - 2)}`
    const textOf = (size: number) => `${[...head, padding(size)].join('\n')}\n\n`
    expect(eventsIn(textOf(MAX_EVENT_CHARS), textOf(MAX_EVENT_CHARS))).toHaveLength(2)
    const message = `/stream sent an event of more than ${MAX_EVENT_CHARS} characters`
    for (const chunks of [[textOf(MAX_EVENT_CHARS + 1)], textOf(MAX_EVENT_CHARS + 1).match(/[\s\S]{1,100000}/g)!])
      expect(() => eventsIn(...chunks)).toThrow(expect.objectContaining({ code: 'BAD_ANSWER', message }))
  })

  test('without JSON are BAD_ANSWER', () =>
    expect(() => eventsIn('event: x\ndata: {\n\n')).toThrow(
      expect.objectContaining({ code: 'BAD_ANSWER', message: '/stream sent an event that is not JSON' }),
    ))
})

describe('a stream', () => {
  const read = async (fetch: unknown, options: Partial<HttpOptions> = {}, signal?: AbortSignal) => {
    const events: unknown[] = []
    const stream = readEvents(
      { baseUrl: 'https://x.example', fetch: fetch as never, ...options },
      '/stream',
      {},
      signal,
    )
    for await (const event of stream) events.push(event)
    return events
  }
  const bytesOf = (...chunks: readonly Uint8Array[]) =>
    new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk)
        controller.close()
      },
    })

  test('requests events, with the referer if there is one', async () => {
    const inits: RequestInit[] = []
    const fetch = async (_: unknown, init: RequestInit) => {
      inits.push(init)
      return new Response('event: x\ndata: 1\n\n')
    }
    expect(await read(fetch)).toEqual([{ event: 'x', data: 1 }])
    await read(fetch, { referer: 'https://app.example' })
    expect(inits.map(({ headers }) => headers)).toEqual([
      { accept: 'text/event-stream' },
      { accept: 'text/event-stream', referer: 'https://app.example' },
    ])
    expect(inits.map(({ signal }) => signal?.aborted)).toEqual([true, true])
  })

  test('may divide a character between chunks', async () => {
    const bytes = new TextEncoder().encode('event: x\ndata: "é"\n\n')
    const at = bytes.indexOf(0xc3) + 1
    const fetch = async () => new Response(bytesOf(bytes.slice(0, at), bytes.slice(at)))
    expect(await read(fetch)).toEqual([{ event: 'x', data: 'é' }])
  })

  test('without a body is BAD_ANSWER', () =>
    expect(read(async () => new Response(null))).rejects.toMatchObject({
      ...{ code: 'BAD_ANSWER', message: '/stream answered with no stream' },
    }))

  test('with an error status has the error of its body, read up to 4 Mi characters', async () => {
    const answer = (body: BodyInit) => async () => new Response(body, { status: 503, statusText: 'Busy' })
    await expect(read(answer('{"error":"full","code":"OVERLOADED"}'))).rejects.toMatchObject({
      ...{ code: 'HTTP', message: 'full', details: { status: 503, serviceCode: 'OVERLOADED' } },
    })
    let chunks = 0
    const endless = new ReadableStream({
      pull(controller) {
        chunks++
        controller.enqueue(new TextEncoder().encode(' '.repeat(1024 * 1024)))
      },
    })
    await expect(read(answer(endless))).rejects.toMatchObject({ code: 'HTTP', message: 'Busy' })
    expect(chunks).toBeLessThan(8)
  })

  test('without a byte for 30 seconds is NETWORK, however long its events are processed', async () => {
    vi.useFakeTimers()
    try {
      const signals: AbortSignal[] = []
      let push: (text: string) => void = () => undefined
      let isRead: () => void = () => undefined
      const body = new ReadableStream(
        {
          start: (controller) => {
            push = (text) => controller.enqueue(new TextEncoder().encode(text))
          },
          pull: () => isRead(),
        },
        { highWaterMark: 0 },
      )
      const fetch = async (_: unknown, { signal }: RequestInit) => {
        signals.push(signal!)
        return new Response(body)
      }
      const stream = readEvents({ baseUrl: 'https://x.example', fetch: fetch as never }, '/stream', {})
      const first = stream.next()
      push('event: x\ndata: 1\n\n')
      expect(await first).toEqual({ done: false, value: { event: 'x', data: 1 } })
      await vi.advanceTimersByTimeAsync(60_000)
      const second = expect(stream.next()).rejects.toMatchObject({
        ...{ code: 'NETWORK', message: 'https://x.example was not reached: nothing came for 30 s' },
      })
      await vi.advanceTimersByTimeAsync(29_999)
      // The clock advances only when the next read, which starts the time again, is pending.
      const nextRead = new Promise<void>((resolve) => {
        isRead = resolve
      })
      push(':\n\n')
      await nextRead
      await vi.advanceTimersByTimeAsync(29_999)
      expect(signals[0]!.aborted).toBe(false)
      await vi.advanceTimersByTimeAsync(1)
      await second
      expect(signals[0]!.aborted).toBe(true)
      expect(vi.getTimerCount()).toBe(0)
      const unopened = expect(read(() => new Promise(() => undefined))).rejects.toMatchObject({ code: 'NETWORK' })
      await vi.advanceTimersByTimeAsync(30_000)
      await unopened
    } finally {
      vi.useRealTimers()
    }
  })

  test('that breaks is NETWORK, and ends without an error if the caller aborted it', async () => {
    const broken = () =>
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('event: x\ndata: 1\n\n'))
        },
        pull(controller) {
          controller.error(new Error('cut'))
        },
      })
    await expect(read(async () => new Response(broken()))).rejects.toMatchObject({
      ...{ code: 'NETWORK', message: 'https://x.example was not reached: cut' },
    })
    const controller = new AbortController()
    const aborting = async () => {
      controller.abort()
      return new Response(broken())
    }
    expect(await read(aborting, {}, controller.signal)).toEqual([{ event: 'x', data: 1 }])
    const unreached = () => Promise.reject(new Error('down'))
    expect(await read(unreached, {}, AbortSignal.abort())).toEqual([])
    await expect(read(unreached)).rejects.toMatchObject({ code: 'NETWORK' })
  })

  test('is aborted when the caller leaves the loop', async () => {
    const signals: (AbortSignal | null | undefined)[] = []
    const fetch = async (_: unknown, { signal }: RequestInit) => {
      signals.push(signal)
      return new Response('event: x\ndata: 1\n\nevent: x\ndata: 2\n\n')
    }
    for await (const { data } of readEvents({ baseUrl: 'https://x.example', fetch: fetch as never }, '/stream', {})) {
      expect([data, signals[0]!.aborted]).toEqual([1, false])
      break
    }
    expect(signals[0]!.aborted).toBe(true)
  })
})
