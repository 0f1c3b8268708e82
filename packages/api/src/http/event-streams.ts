/** Manages open streams of Server-Sent Events: limits, heartbeats, and shutdown. */
import type { ServerResponse } from 'node:http'
import { type ApiError, errorFields, overloadError } from '../errors.ts'
import { rateLimit } from './reply.ts'

/** Milliseconds between two heartbeats; proxies close connections without data for a minute. */
const HEARTBEAT_MS = 10_000
/** Maximum unsent bytes of a connection; if there are more at the next write, the connection is closed. */
const MAX_UNSENT_BYTES = 32_768
/** Number of consecutive heartbeats with unsent bytes after which a connection is closed: its client does not read. */
const MAX_UNSENT_BEATS = 3
/** Milliseconds in which a client can receive the last event before its connection is closed. */
const CLOSE_TIMEOUT_MS = 1_000

/** Maximum open streams, in total and per caller. */
export type StreamLimits = {
  readonly maxTotal: number
  readonly maxPerCaller: number
}

type OpenStream = {
  readonly response: ServerResponse
  /** Called at every heartbeat; if it returns an error, the stream ends with the error. */
  readonly findError: () => ApiError | undefined
  /** Consecutive heartbeats with unsent bytes. */
  unsentBeats: number
}

/** Open event streams of a process. */
export class EventStreams {
  private readonly limits: StreamLimits
  private readonly openStreams = new Set<OpenStream>()
  /** Number of taken slots by caller, including those of streams that are about to open. */
  private readonly slotsByCaller = new Map<string, number>()
  private slotsTaken = 0
  /** Error of `endAll`. Streams that open later end at once with this error. */
  private endError: ApiError | undefined
  private timer: NodeJS.Timeout | undefined

  constructor(limits: StreamLimits) {
    this.limits = limits
  }

  get size(): number {
    return this.openStreams.size
  }

  /** Takes a slot. @returns a function that releases it @throws ApiError `OVERLOADED` */
  takeSlot(caller: string): () => void {
    const count = this.slotsByCaller.get(caller) ?? 0
    if (this.slotsTaken >= this.limits.maxTotal || count >= this.limits.maxPerCaller)
      throw overloadError(HEARTBEAT_MS / 1_000, 'streams')
    this.slotsByCaller.set(caller, count + 1)
    this.slotsTaken++
    return () => {
      const remaining = this.slotsByCaller.get(caller)! - 1
      if (remaining > 0) this.slotsByCaller.set(caller, remaining)
      else this.slotsByCaller.delete(caller)
      this.slotsTaken--
    }
  }

  /** Returns rate limit headers with the caller's maximum and remaining streams. */
  rateLimitHeaders(caller: string): readonly string[] {
    const { maxTotal, maxPerCaller } = this.limits
    const remaining = Math.min(maxPerCaller - (this.slotsByCaller.get(caller) ?? 0), maxTotal - this.slotsTaken)
    return [
      'RateLimit-Policy',
      `"streams";q=${maxPerCaller}`,
      'RateLimit',
      rateLimit('streams', Math.max(0, remaining)),
    ]
  }

  /** Sends heartbeats on a started response until it is closed. */
  keepAlive(response: ServerResponse, findError: OpenStream['findError']): void {
    if (this.endError) {
      endStream(response, this.endError)
      return
    }
    const openStream = { response, findError, unsentBeats: 0 }
    this.openStreams.add(openStream)
    this.timer ??= setInterval(() => this.sendHeartbeats(), HEARTBEAT_MS).unref()
    response.once('close', () => {
      this.openStreams.delete(openStream)
      if (this.openStreams.size > 0) return
      clearInterval(this.timer)
      this.timer = undefined
    })
  }

  /** Ends all open streams, and every later stream, with an error. */
  endAll(reason: ApiError): void {
    this.endError = reason
    for (const { response } of this.openStreams) endStream(response, reason)
  }

  private sendHeartbeats(): void {
    for (const openStream of this.openStreams) {
      const { response, findError } = openStream
      const reason = findError()
      openStream.unsentBeats = response.writableLength > 0 ? openStream.unsentBeats + 1 : 0
      if (reason) endStream(response, reason)
      else if (openStream.unsentBeats >= MAX_UNSENT_BEATS) response.destroy()
      else if (!closeIfStuck(response)) response.write(':\n\n')
    }
  }
}

/**
 * Writes an event, unless the response has ended. If too many bytes are unsent, closes the connection instead.
 *
 * @param data - JSON
 */
export function sendEvent(response: ServerResponse, event: string, id: number | undefined, data: string): void {
  if (response.writableEnded || closeIfStuck(response)) return
  response.write(`event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`)
}

/** Ends a stream with an `end` event. */
export function endStream(response: ServerResponse, reason: ApiError): void {
  if (response.writableEnded) return
  sendEvent(response, 'end', undefined, JSON.stringify(errorFields(reason)))
  response.end()
  // A stopping service must not wait for a client that does not read.
  setTimeout(() => response.destroy(), CLOSE_TIMEOUT_MS).unref()
}

/** Closes the connection of a client that does not read. @returns true if it was closed */
function closeIfStuck(response: ServerResponse): boolean {
  if (response.writableLength <= MAX_UNSENT_BYTES) return false
  response.destroy()
  return true
}
