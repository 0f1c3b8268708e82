/** State of one request: id, deadline, durations of stages, and log. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { abortable } from '@sluice/rpc'
import { span } from '@sluice/tracing'
import type { Logger } from 'pino'
import { ApiError } from '../errors.ts'
import { integratorOf } from './referer.ts'

/** Returns the client's `X-Request-Id` if it is safe to log; otherwise a new id. */
export function requestId({ headers }: IncomingMessage): string {
  const sentId = headers['x-request-id']
  return typeof sentId === 'string' && /^[\w.-]{1,64}$/.test(sentId) ? sentId : randomUUID()
}

/** Names of trace spans by stage, for stages whose span has another name than the stage. */
const SPANS: ReadonlyMap<string, string> = new Map([
  ['route', 'search'],
  ['simulate', 'simulation'],
])

/** State of one request until its response is closed. */
export class RequestContext {
  readonly id: string
  /** Host of the `Referer` header, unverified. */
  readonly integrator: string
  readonly startedAt = performance.now()
  /** Milliseconds by stage, for `Server-Timing`. */
  readonly stages = new Map<string, number>()
  chainId: number | undefined
  /** True if the request waited in the admission queue. */
  hasQueued = false
  /** True for an event stream. Its duration is not measured, and a disconnect by the client is not an error. */
  isStream = false
  /** Error code of the response, for metrics and log. */
  errorCode: string | undefined
  private readonly timeoutMs: number
  private readonly logger: Logger
  private controller: AbortController | undefined
  private timer: NodeJS.Timeout | undefined
  private reason: ApiError | undefined
  private requestLogger: Logger | undefined

  constructor(request: IncomingMessage, logger: Logger, timeoutMs: number) {
    this.id = requestId(request)
    this.logger = logger
    this.integrator = integratorOf(request.headers.referer)
    this.timeoutMs = timeoutMs
  }

  /**
   * Logger with the request id. Created on first use, because most requests have only the log line of `record`, which
   * does not use it.
   */
  get log(): Logger {
    this.requestLogger ??= this.logger.child({ requestId: this.id })
    return this.requestLogger
  }

  /**
   * Signal that aborts at the deadline (504) or when the client disconnects. The reason of the abort is the ApiError of
   * the response. Created on first use, because requests that are answered at once have nothing to abort.
   */
  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController()
      if (this.reason) this.controller.abort(this.reason)
      else this.timer = setTimeout(() => this.expire(), this.timeoutMs - (performance.now() - this.startedAt))
    }
    return this.controller.signal
  }

  /** Reason of the abort; undefined if the request was not aborted. */
  get abortReason(): ApiError | undefined {
    return this.reason
  }

  /** Aborts the request. Only the first reason counts. */
  abort(reason: ApiError): void {
    clearTimeout(this.timer)
    this.reason ??= reason
    this.controller?.abort(this.reason)
  }

  private expire(): void {
    this.abort(new ApiError('TIMEOUT', `the request took longer than ${this.timeoutMs} ms`))
  }

  /** Marks the request as an event stream and removes its deadline. */
  markAsStream(): void {
    this.isStream = true
    clearTimeout(this.timer)
  }

  /** Clears the deadline timer. */
  finish(): void {
    clearTimeout(this.timer)
  }

  /** Runs a stage and adds its duration to the stage's total. */
  async time<T>(stage: string, run: () => T | Promise<T>): Promise<T> {
    const start = performance.now()
    try {
      return await span(SPANS.get(stage) ?? stage, run)
    } finally {
      this.stages.set(stage, (this.stages.get(stage) ?? 0) + performance.now() - start)
    }
  }

  /** Settles like the given promise. Rejects with the abort reason if the request is aborted first. */
  orAborted<T>(promise: Promise<T>): Promise<T> {
    return abortable(promise, this.signal)
  }
}

const CONTEXT = Symbol('context of the request')
type WithContext = ServerResponse & { [CONTEXT]?: RequestContext }

/** Attaches a context to a response. Calls `onDone` when the response is sent or the client has disconnected. */
export function attach(context: RequestContext, response: WithContext, onDone: () => void): void {
  response[CONTEXT] = context
  response.once('close', () => {
    if (!response.writableFinished && !context.isStream) {
      context.errorCode = 'CLIENT_CLOSED'
      context.abort(new ApiError('CLIENT_CLOSED', 'the caller hung up'))
    }
    context.finish()
    onDone()
  })
}

/** Returns the context that `attach` set. */
export function contextOf(response: WithContext): RequestContext {
  return response[CONTEXT]!
}
