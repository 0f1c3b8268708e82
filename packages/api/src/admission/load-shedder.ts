/**
 * Refuses requests for which a chain has no capacity, before Express handles them. Under overload most requests are
 * refused here, so a refusal must take little CPU time: accepted requests need that time.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { overloadError } from '../errors.ts'
import { callerOf, type ProxyTrust } from '../http/caller.ts'
import { requestId } from '../http/context.ts'
import { integratorOf } from '../http/referer.ts'
import { type ErrorVersion, errorReply, type HttpReply, refusalHeaders } from '../http/reply.ts'
import type { Services } from '../services.ts'
import { classifyRequest } from './kind.ts'
import { PausedConnections } from './paused-connections.ts'

/** Milliseconds between two log lines. Each line has the number of refusals since the previous line. */
const LOG_MS = 1_000

type RefusedRequest = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly endpoint: string
  /** Value of `Retry-After` in seconds. */
  readonly retryAfter: number
}

export type LoadShedderOptions = {
  readonly services: Services
  readonly version: ErrorVersion
  readonly isTrustedProxy: ProxyTrust
  /** Handles the requests that are not refused. */
  readonly listener: RequestListener
}

/** Wraps a listener: refuses requests under overload with 503 and passes all others on. */
export function withLoadShedding({ services, version, isTrustedProxy, listener }: LoadShedderOptions): RequestListener {
  const { metrics, log } = services
  const sendRefusal = createRefusalSender(version)
  const pausedConnections = new PausedConnections()
  let refusedRequests: RefusedRequest[] = []
  let unloggedCount = 0
  const sendRefusals = () => {
    const refusedBatch = refusedRequests
    refusedRequests = []
    if (unloggedCount === 0) setTimeout(logRefusals, LOG_MS).unref()
    unloggedCount += refusedBatch.length
    for (const request of refusedBatch) {
      sendRefusal(request)
      const endpoint = `/${request.endpoint}/:chainId`
      refusalTally.add(endpoint, integratorOf(request.request.headers.referer))
    }
    metrics.backgroundQueue.add(exportCounts)
    // Pause the connections later, because Node reads from a connection again when a response has ended.
    setImmediate(pauseConnections, refusedBatch)
  }
  const pauseConnections = (refusedBatch: readonly RefusedRequest[]) => {
    // Connections of proxies are not paused, because they carry requests of other callers too.
    for (const { request } of refusedBatch)
      if (!isTrustedProxy(request.socket.remoteAddress ?? '', 0)) pausedConnections.notifyRefused(request.socket)
  }
  const refusalTally = new Tally()
  const exportCounts = () => {
    for (const { endpoint, host, times } of refusalTally.take()) {
      metrics.requests.inc({ endpoint, status: 503, code: 'OVERLOADED' }, times)
      metrics.byIntegrator.inc({ integrator: metrics.integrators.labelFor(host), endpoint }, times)
    }
  }
  const logRefusals = () => {
    log.warn({ requests: unloggedCount, code: 'OVERLOADED' }, 'turned away')
    unloggedCount = 0
  }
  /** Returns the endpoint and `Retry-After` of a request to refuse; undefined if it can be served. */
  const refusalOf = (request: IncomingMessage) => {
    const admissionClass = request.method === 'OPTIONS' ? undefined : classifyRequest(request.url!, request.method)
    const chain = admissionClass && services.startedChain(admissionClass.chainId)
    if (!chain || (admissionClass.isCacheable && chain.liveChain.recentResponse(request.url!) !== undefined))
      return undefined
    const retryAfter = chain.admission.retryAfterIfRefused({
      caller: callerOf(request, isTrustedProxy),
      kind: admissionClass.kind,
    })
    return retryAfter === undefined ? undefined : { endpoint: admissionClass.endpoint, retryAfter }
  }
  return (request, response) => {
    const refusal = refusalOf(request)
    if (!refusal) return listener(request, response)
    // `setImmediate` runs after pending I/O, so running requests handle their node responses before refusals are sent.
    if (refusedRequests.push({ request, response, ...refusal }) === 1) setImmediate(sendRefusals)
  }
}

type RefusalCount = { readonly endpoint: string; readonly host: string; times: number }

/**
 * Counts refusals by endpoint and integrator (host of the Referer). Incrementing a metric takes twenty times as long.
 */
class Tally {
  private countByKey = new Map<string, RefusalCount>()

  add(endpoint: string, host: string): void {
    const key = `${endpoint} ${host}`
    const count = this.countByKey.get(key)
    if (count) count.times++
    else this.countByKey.set(key, { endpoint, host, times: 1 })
  }

  /** Returns the counts and resets them. */
  take(): Iterable<RefusalCount> {
    const { countByKey: refusalCounts } = this
    this.countByKey = new Map()
    return refusalCounts.values()
  }
}

/**
 * Returns a function that sends refusals. Responses are encoded once per `Retry-After`; only the request id is
 * replaced.
 */
function createRefusalSender(version: ErrorVersion): (request: RefusedRequest) => void {
  const idPlaceholder = '<id>'
  const replies = new Map<number, HttpReply>()
  const replyFor = (retryAfter: number) => {
    const cachedReply = replies.get(retryAfter) ?? errorReply(overloadError(retryAfter), idPlaceholder, version)
    replies.set(retryAfter, cachedReply)
    return cachedReply
  }
  return ({ request, response, retryAfter }) => {
    const { status, type, body, headers = [] } = replyFor(retryAfter)
    const id = requestId(request)
    const text = body.replace(idPlaceholder, id)
    response.writeHead(status!, [...refusalHeaders(id, type, text), ...headers])
    response.end(text, 'latin1')
  }
}
