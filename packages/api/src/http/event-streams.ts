/** Open streams of Server-Sent Events: how many there are, of whom, and what keeps them alive. */
import type { ServerResponse } from 'node:http'
import { type ApiError, errorFields, overloaded } from '../errors.ts'
import { rateLimit } from './reply.ts'

/** Proxies cut what is silent for a minute. */
const HEARTBEAT_MS = 10_000
/** Bytes that wait for a reader, beside the event that was written last; one that does not read is let go. */
const MOST_WAITING = 32_768
/** Heartbeats in a row that find something waiting, then the reader is let go: one that reads takes all in between two. */
const MOST_BEATS_WAITING = 3
/** A reader gets so long to take the last event. */
const LAST_WORD_MS = 1_000

export type StreamLimits = {
  readonly most: number
  readonly mostOfCaller: number
}

type Open = {
  readonly response: ServerResponse
  /** Check at every heartbeat that it is to go on; an error ends it. */
  readonly check: () => ApiError | undefined
  /** Heartbeats in a row at which something waited to be read. */
  waited: number
}

export class EventStreams {
  private readonly limits: StreamLimits
  private readonly open = new Set<Open>()
  /** Places taken, by caller: also by those that are about to open. */
  private readonly callers = new Map<string, number>()
  private taken = 0
  /** All have been ended: what opens later is ended too. */
  private ended: ApiError | undefined
  private timer: NodeJS.Timeout | undefined

  constructor(limits: StreamLimits) {
    this.limits = limits
  }

  get size(): number {
    return this.open.size
  }

  /** Takes a place, which the answer gives back. @throws ApiError `OVERLOADED` */
  take(caller: string): () => void {
    const count = this.callers.get(caller) ?? 0
    if (this.taken >= this.limits.most || count >= this.limits.mostOfCaller)
      throw overloaded(HEARTBEAT_MS / 1_000, 'streams')
    this.callers.set(caller, count + 1)
    this.taken++
    return () => {
      const left = this.callers.get(caller)! - 1
      if (left > 0) this.callers.set(caller, left)
      else this.callers.delete(caller)
      this.taken--
    }
  }

  /** Headers that tell a caller how many streams it may have, and how many more. */
  limitsOf(caller: string): readonly string[] {
    const { most, mostOfCaller } = this.limits
    const left = Math.min(mostOfCaller - (this.callers.get(caller) ?? 0), most - this.taken)
    return ['RateLimit-Policy', `"streams";q=${mostOfCaller}`, 'RateLimit', rateLimit('streams', Math.max(0, left))]
  }

  /** Keeps an answer that has begun alive until it is closed. */
  keep(response: ServerResponse, check: Open['check']): void {
    if (this.ended) {
      end(response, this.ended)
      return
    }
    const one = { response, check, waited: 0 }
    this.open.add(one)
    this.timer ??= setInterval(() => this.beat(), HEARTBEAT_MS).unref()
    response.once('close', () => {
      this.open.delete(one)
      if (this.open.size > 0) return
      clearInterval(this.timer)
      this.timer = undefined
    })
  }

  /** Ends all, with a reason. */
  endAll(reason: ApiError): void {
    this.ended = reason
    for (const { response } of this.open) end(response, reason)
  }

  private beat(): void {
    for (const one of this.open) {
      const { response, check } = one
      const reason = check()
      one.waited = response.writableLength > 0 ? one.waited + 1 : 0
      if (reason) end(response, reason)
      else if (one.waited >= MOST_BEATS_WAITING) response.destroy()
      else if (!isStuck(response)) response.write(':\n\n')
    }
  }
}

/** @param data - made JSON */
export function sendEvent(response: ServerResponse, event: string, id: number | undefined, data: string): void {
  if (response.writableEnded || isStuck(response)) return
  response.write(`event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`)
}

export function end(response: ServerResponse, reason: ApiError): void {
  if (response.writableEnded) return
  sendEvent(response, 'end', undefined, JSON.stringify(errorFields(reason)))
  response.end()
  // Nobody waits for one that does not read, such as a service that stops.
  setTimeout(() => response.destroy(), LAST_WORD_MS).unref()
}

/** Lets go of a reader that does not read. */
function isStuck(response: ServerResponse): boolean {
  if (response.writableLength <= MOST_WAITING) return false
  response.destroy()
  return true
}
