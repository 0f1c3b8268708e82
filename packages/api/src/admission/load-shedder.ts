/**
 * Refuses requests that a chain has no capacity for, before Express handles them. Under overload most requests end here, and
 * their time is lost to the requests that are served.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { overloadError } from '../errors.ts'
import { callerOf, type ProxyTrust } from '../http/caller.ts'
import { requestId } from '../http/context.ts'
import { integrator } from '../http/referer.ts'
import { type ErrorVersion, errorReply, type HttpReply, sparseHeaders } from '../http/reply.ts'
import type { Services } from '../services.ts'
import { asksFor } from './kind.ts'
import { PausedConnections } from './paused-connections.ts'

/** Interval of the log lines; each line counts the refusals since the last one. */
const LOG_MS = 1_000

type TurnedAway = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly endpoint: string
  /** Value of `Retry-After` in seconds. */
  readonly retryAfter: number
}

/** Dependencies of the load shedder. */
export type LoadShedderOptions = {
  readonly services: Services
  readonly version: ErrorVersion
  readonly trusts: ProxyTrust
  /** Handles the requests that are not refused. */
  readonly listener: RequestListener
}

/** Wraps a listener: refuses requests under overload with 503 and passes all others on. */
export function loadShedder({ services, version, trusts, listener }: LoadShedderOptions): RequestListener {
  const { metrics, log } = services
  const answer = answerer(version)
  const pausedConnections = new PausedConnections()
  let turnedAway: TurnedAway[] = []
  let unloggedCount = 0
  const answerAll = () => {
    const turnedAwayBatch = turnedAway
    turnedAway = []
    if (unloggedCount === 0) setTimeout(logAll, LOG_MS).unref()
    unloggedCount += turnedAwayBatch.length
    for (const request of turnedAwayBatch) {
      answer(request)
      const endpoint = `/${request.endpoint}/:chainId`
      tally.add(endpoint, integrator(request.request.headers.referer))
    }
    metrics.backgroundQueue.add(count)
    // Node reads from a connection again when a response has ended, so connections are paused after that.
    setImmediate(pauseAll, turnedAwayBatch)
  }
  const pauseAll = (turnedAwayBatch: readonly TurnedAway[]) => {
    // A connection of a proxy carries requests of other callers.
    for (const { request } of turnedAwayBatch)
      if (!trusts(request.socket.remoteAddress ?? '', 0)) pausedConnections.notifyRefused(request.socket)
  }
  const tally = new Tally()
  const count = () => {
    for (const { endpoint, host, times } of tally.take()) {
      metrics.requests.inc({ endpoint, status: 503, code: 'OVERLOADED' }, times)
      metrics.byIntegrator.inc({ integrator: metrics.integrators.of(host), endpoint }, times)
    }
  }
  const logAll = () => {
    log.warn({ requests: unloggedCount, code: 'OVERLOADED' }, 'turned away')
    unloggedCount = 0
  }
  /** Returns the endpoint and `Retry-After` of a request to refuse; undefined if it can be served. */
  const isRefused = (request: IncomingMessage) => {
    const asks = request.method === 'OPTIONS' ? undefined : asksFor(request.url!, request.method)
    const chain = asks && services.startedChain(asks.chainId)
    if (!chain || (asks.isRemembered && chain.liveChain.recentAnswer(request.url!) !== undefined)) return undefined
    const retryAfter = chain.admission.refusesFor({ caller: callerOf(request, trusts), kind: asks.kind })
    return retryAfter === undefined ? undefined : { endpoint: asks.endpoint, retryAfter }
  }
  return (request, response) => {
    const refusal = isRefused(request)
    if (!refusal) return listener(request, response)
    // `setImmediate` runs after pending I/O, so running requests handle their node responses before refusals are sent.
    if (turnedAway.push({ request, response, ...refusal }) === 1) setImmediate(answerAll)
  }
}

type RefusalCount = { readonly endpoint: string; readonly host: string; times: number }

/** Counts refusals by endpoint and integrator. One increment of a metric takes as long as twenty counts here. */
class Tally {
  private tally = new Map<string, RefusalCount>()

  add(endpoint: string, host: string): void {
    const key = `${endpoint} ${host}`
    const count = this.tally.get(key)
    if (count) count.times++
    else this.tally.set(key, { endpoint, host, times: 1 })
  }

  /** Returns the counts and resets them. */
  take(): Iterable<RefusalCount> {
    const { tally: refusalCounts } = this
    this.tally = new Map()
    return refusalCounts.values()
  }
}

/** Returns a function that sends refusals. Responses are encoded once per `Retry-After`; only the request id is replaced. */
function answerer(version: ErrorVersion): (request: TurnedAway) => void {
  const mark = '<id>'
  const replies = new Map<number, HttpReply>()
  const replyFor = (retryAfter: number) => {
    const cachedReply = replies.get(retryAfter) ?? errorReply(overloadError(retryAfter), mark, version)
    replies.set(retryAfter, cachedReply)
    return cachedReply
  }
  return ({ request, response, retryAfter }) => {
    const { status, type, body, headers = [] } = replyFor(retryAfter)
    const id = requestId(request)
    const text = body.replace(mark, id)
    response.writeHead(status!, [...sparseHeaders(id, type, text), ...headers])
    response.end(text, 'latin1')
  }
}
