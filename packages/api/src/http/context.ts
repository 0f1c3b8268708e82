import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { abortable } from '@sluice/rpc'
import { span } from '@sluice/tracing'
import type { Logger } from 'pino'
import { ApiError } from '../errors.ts'
import { integrator } from './referer.ts'

/** The caller's own where it sends one that is fit for logs. */
export function requestId({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id']
  return typeof sent === 'string' && /^[\w.-]{1,64}$/.test(sent) ? sent : randomUUID()
}

/** Names of stages in traces, where they differ. */
const SPANS: ReadonlyMap<string, string> = new Map([
  ['route', 'search'],
  ['simulate', 'simulation'],
])

/** State of one request, from its first byte to its last. */
export class RequestContext {
  readonly id: string
  /** Host of the page or service that asks, as it says itself. */
  readonly integrator: string
  readonly startedAt = performance.now()
  /** Milliseconds by stage, for `Server-Timing`. */
  readonly stages = new Map<string, number>()
  chainId: number | undefined
  /** It had to wait for its turn. */
  isSlowed = false
  /** It is answered by events until it is closed: neither its length nor its end by the caller says anything. */
  isStream = false
  /** Code of the error answered, for metrics and log. */
  errorCode: string | undefined
  private readonly timeoutMs: number
  private readonly logger: Logger
  private controller: AbortController | undefined
  private timer: NodeJS.Timeout | undefined
  private reason: ApiError | undefined
  private child: Logger | undefined

  constructor(request: IncomingMessage, logger: Logger, timeoutMs: number) {
    this.id = requestId(request)
    this.logger = logger
    this.integrator = integrator(request.headers.referer)
    this.timeoutMs = timeoutMs
  }

  /** Made when it is needed: most requests write nothing but their last line. */
  get log(): Logger {
    this.child ??= this.logger.child({ requestId: this.id })
    return this.child
  }

  /**
   * Aborted at the deadline (504) or when the caller hangs up; the reason is the ApiError to answer with. Made when it is
   * needed: what is answered at once has nothing to abort.
   */
  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController()
      if (this.reason) this.controller.abort(this.reason)
      else this.timer = setTimeout(() => this.expire(), this.timeoutMs - (performance.now() - this.startedAt))
    }
    return this.controller.signal
  }

  /** Why the work for this request was given up, if it was. */
  get abortReason(): ApiError | undefined {
    return this.reason
  }

  abort(reason: ApiError): void {
    clearTimeout(this.timer)
    this.reason ??= reason
    this.controller?.abort(this.reason)
  }

  private expire(): void {
    this.abort(new ApiError('TIMEOUT', `the request took longer than ${this.timeoutMs} ms`))
  }

  /** From now on the answer takes as long as it takes. */
  stream(): void {
    this.isStream = true
    clearTimeout(this.timer)
  }

  finish(): void {
    clearTimeout(this.timer)
  }

  /** Runs a stage and adds its time up under the stage's name. */
  async time<T>(stage: string, work: () => T | Promise<T>): Promise<T> {
    const started = performance.now()
    try {
      return await span(SPANS.get(stage) ?? stage, work)
    } finally {
      this.stages.set(stage, (this.stages.get(stage) ?? 0) + performance.now() - started)
    }
  }

  /** The work's result, or the reason of the abort when that comes first: nothing that hangs keeps a caller waiting. */
  within<T>(work: Promise<T>): Promise<T> {
    return abortable(work, this.signal)
  }
}

const CONTEXT = Symbol('context of the request')
type WithContext = ServerResponse & { [CONTEXT]?: RequestContext }

/** Gives a request its context until its answer is sent or its caller is gone. */
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

export function contextOf(response: WithContext): RequestContext {
  return response[CONTEXT]!
}
