/** Tests of event streams: slots, heartbeats, slow clients, and shutdown. */
import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ApiError } from '../errors.ts'
import { EventStreams, endStream, sendEvent } from './event-streams.ts'

const HEARTBEAT_MS = 10_000
const error = new ApiError('RPC_FAILED', 'no node of the chain answers')

/** A response that records what is written to it. */
function responseOf() {
  const written: string[] = []
  const listeners: (() => void)[] = []
  const response = {
    ...{ writableLength: 0, writableEnded: false, destroyed: false },
    write: (text: string) => written.push(text) > 0,
    end: () => {
      response.writableEnded = true
    },
    destroy: () => {
      response.destroyed = true
      for (const listener of listeners) listener()
    },
    once: (_: string, listener: () => void) => listeners.push(listener),
  }
  return { response, written, asResponse: response as unknown as ServerResponse }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('slots', () => {
  test('are limited for each caller, and for all', () => {
    const streams = new EventStreams({ maxTotal: 3, maxPerCaller: 2 })
    const take = (caller: string) => streams.takeSlot(caller)
    const release = take('a')
    take('a')
    expect(() => take('a')).toThrow('too many streams are open')
    take('b')
    expect(() => take('c')).toThrow(expect.objectContaining({ code: 'OVERLOADED', retryAfter: 10, policy: 'streams' }))
    release()
    take('c')
    expect(() => take('b')).toThrow('too many')
  })

  test('that remain free are reported for each caller, and never fall below zero', () => {
    const streams = new EventStreams({ maxTotal: 3, maxPerCaller: 2 })
    const remaining = (caller: string) => streams.rateLimitHeaders(caller).join(' ')
    expect(remaining('a')).toBe('RateLimit-Policy "streams";q=2 RateLimit "streams";r=2')
    const releases = ['a', 'a', 'b'].map((caller) => streams.takeSlot(caller))
    expect(remaining('a')).toContain('r=0')
    expect(remaining('b')).toContain('r=0')
    releases[0]!()
    expect(remaining('a')).toContain('r=1')
    expect(remaining('c')).toContain('r=1')
    for (const release of releases.slice(1)) release()
    expect(remaining('a')).toContain('r=2')
  })
})

describe('a stream', () => {
  const streamsOf = () => new EventStreams({ maxTotal: 9, maxPerCaller: 9 })

  test('has a comment every ten seconds, until it is closed', () => {
    const streams = streamsOf()
    const { response, written, asResponse } = responseOf()
    streams.keepAlive(asResponse, () => undefined)
    vi.advanceTimersByTime(HEARTBEAT_MS - 1)
    expect(written).toEqual([])
    vi.advanceTimersByTime(1 + HEARTBEAT_MS)
    expect([written, streams.size]).toEqual([[':\n\n', ':\n\n'], 1])
    response.destroy()
    expect([streams.size, vi.getTimerCount()]).toEqual([0, 0])
    vi.advanceTimersByTime(HEARTBEAT_MS)
    expect(written).toHaveLength(2)
  })

  test('goes on while others close', () => {
    const streams = streamsOf()
    const [first, second] = [responseOf(), responseOf()]
    for (const { asResponse } of [first, second]) streams.keepAlive(asResponse, () => undefined)
    first.response.destroy()
    vi.advanceTimersByTime(HEARTBEAT_MS)
    expect([first.written.length, second.written.length]).toEqual([0, 1])
  })

  test('ends with an error that a heartbeat finds', () => {
    const { response, written, asResponse } = responseOf()
    streamsOf().keepAlive(asResponse, () => error)
    vi.advanceTimersByTime(HEARTBEAT_MS)
    expect(written).toHaveLength(1)
    expect(written[0]).toMatch(/^event: end\ndata: \{"error":"no node of the chain answers","code":"RPC_FAILED"/)
    expect([response.writableEnded, response.destroyed]).toEqual([true, false])
    vi.advanceTimersByTime(999)
    expect(response.destroyed).toBe(false)
    vi.advanceTimersByTime(1)
    expect(response.destroyed).toBe(true)
  })

  test('of a client that reads nothing is closed at the third heartbeat, and of a slow one is not', () => {
    const { response, asResponse } = responseOf()
    streamsOf().keepAlive(asResponse, () => undefined)
    const beat = (unsent: number) => {
      response.writableLength = unsent
      vi.advanceTimersByTime(HEARTBEAT_MS)
      return response.destroyed
    }
    expect([1, 1, 0, 1, 1, 1].map(beat)).toEqual([false, false, false, false, false, true])
  })

  test('with more than 32 KiB unsent is closed at the next write', () => {
    const { response, written, asResponse } = responseOf()
    response.writableLength = 32_768
    sendEvent(asResponse, 'quote', 7, '{}')
    expect([written, response.destroyed]).toEqual([['event: quote\nid: 7\ndata: {}\n\n'], false])
    response.writableLength = 32_769
    sendEvent(asResponse, 'quote', 8, '{}')
    expect([written.length, response.destroyed]).toEqual([1, true])
  })

  test('has nothing written after its end', () => {
    const { written, asResponse } = responseOf()
    endStream(asResponse, error)
    endStream(asResponse, error)
    sendEvent(asResponse, 'block', undefined, '{}')
    expect(written).toHaveLength(1)
  })

  test('ends when the service stops, also if it opens afterward', () => {
    const streams = streamsOf()
    const [open, late] = [responseOf(), responseOf()]
    streams.keepAlive(open.asResponse, () => undefined)
    streams.endAll(error)
    streams.keepAlive(late.asResponse, () => undefined)
    for (const { response, written } of [open, late])
      expect([response.writableEnded, written.length]).toEqual([true, 1])
    expect(streams.size).toBe(1)
  })
})
