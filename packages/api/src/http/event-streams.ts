/** Manages open streams of Server-Sent Events: limits, heartbeats, and shutdown. */
import type { ServerResponse } from 'node:http'
import { type ApiError, errorFields, overloadError } from '../errors.ts'
import { rateLimit } from './reply.ts'

/** Interval of heartbeats; proxies close connections that are silent for a minute. */
const HEARTBEAT_MS = 10_000
/** Maximum unsent bytes before another write; above it, the connection is closed. */
const MAX_WAITING_BYTES = 32_768
/** Consecutive heartbeats with unsent bytes after which the connection is closed. A client that reads has none left by then. */
const MAX_BEATS_WAITING = 3
/** Time for a client to receive the last event before its connection is closed. */
const LAST_WORD_MS = 1_000

/** Maximum open streams, in total and per caller. */
export type StreamLimits = {
  readonly max: number
  readonly maxPerCaller: number
}

type OpenStream = {
  readonly response: ServerResponse
  /** Runs at every heartbeat; a returned error ends the stream. */
  readonly check: () => ApiError | undefined
  /** Consecutive heartbeats with unsent bytes. */
  waited: number
}

/** Open event streams of a process. */
export class EventStreams {
  private readonly limits: StreamLimits
  private readonly open = new Set<OpenStream>()
  /** Slots taken by caller, including streams that are about to open. */
  private readonly callers = new Map<string, number>()
  private slotsTaken = 0
  /** Set by `endAll`; streams that open later end at once. */
  private endError: ApiError | undefined
  private timer: NodeJS.Timeout | undefined

  constructor(limits: StreamLimits) {
    this.limits = limits
  }

  get size(): number {
    return this.open.size
  }

  /** Takes a slot. @returns a function that releases it @throws ApiError `OVERLOADED` */
  take(caller: string): () => void {
    const count = this.callers.get(caller) ?? 0
    if (this.slotsTaken >= this.limits.max || count >= this.limits.maxPerCaller)
      throw overloadError(HEARTBEAT_MS / 1_000, 'streams')
    this.callers.set(caller, count + 1)
    this.slotsTaken++
    return () => {
      const remaining = this.callers.get(caller)! - 1
      if (remaining > 0) this.callers.set(caller, remaining)
      else this.callers.delete(caller)
      this.slotsTaken--
    }
  }

  /** Returns rate limit headers with the caller's maximum and remaining streams. */
  limitsOf(caller: string): readonly string[] {
    const { max, maxPerCaller } = this.limits
    const remaining = Math.min(maxPerCaller - (this.callers.get(caller) ?? 0), max - this.slotsTaken)
    return [
      'RateLimit-Policy',
      `"streams";q=${maxPerCaller}`,
      'RateLimit',
      rateLimit('streams', Math.max(0, remaining)),
    ]
  }

  /** Sends heartbeats on a started response until it is closed. */
  keep(response: ServerResponse, check: OpenStream['check']): void {
    if (this.endError) {
      end(response, this.endError)
      return
    }
    const openStream = { response, check, waited: 0 }
    this.open.add(openStream)
    this.timer ??= setInterval(() => this.beat(), HEARTBEAT_MS).unref()
    response.once('close', () => {
      this.open.delete(openStream)
      if (this.open.size > 0) return
      clearInterval(this.timer)
      this.timer = undefined
    })
  }

  /** Ends all streams, and later ones, with a reason. */
  endAll(reason: ApiError): void {
    this.endError = reason
    for (const { response } of this.open) end(response, reason)
  }

  private beat(): void {
    for (const openStream of this.open) {
      const { response, check } = openStream
      const reason = check()
      openStream.waited = response.writableLength > 0 ? openStream.waited + 1 : 0
      if (reason) end(response, reason)
      else if (openStream.waited >= MAX_BEATS_WAITING) response.destroy()
      else if (!isStuck(response)) response.write(':\n\n')
    }
  }
}

/** Writes an event unless the response has ended. Closes the connection instead if too many bytes are unsent. @param data - JSON */
export function sendEvent(response: ServerResponse, event: string, id: number | undefined, data: string): void {
  if (response.writableEnded || isStuck(response)) return
  response.write(`event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`)
}

/** Ends a stream with an `end` event. */
export function end(response: ServerResponse, reason: ApiError): void {
  if (response.writableEnded) return
  sendEvent(response, 'end', undefined, JSON.stringify(errorFields(reason)))
  response.end()
  // A stopping service must not wait for a client that does not read.
  setTimeout(() => response.destroy(), LAST_WORD_MS).unref()
}

/** Closes the connection of a client that does not read. @returns true if it was closed */
function isStuck(response: ServerResponse): boolean {
  if (response.writableLength <= MAX_WAITING_BYTES) return false
  response.destroy()
  return true
}
