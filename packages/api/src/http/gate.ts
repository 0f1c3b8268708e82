/**
 * Turns away what a chain has no room for before it costs more than its own parsing: under overload most requests end here,
 * and every microsecond they take is missing for those that are served.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Services } from '../services.ts'
import { requestId } from './context.ts'
import { overloaded } from './limiter.ts'
import { integrator } from './referer.ts'
import { type ErrorVersion, errorReply, sparseHeaders } from './reply.ts'

/** Endpoints that have nothing to answer from memory. */
const working = /^\/(aggregator|simulate|tokens)\/([1-9][0-9]{0,15})(?:[?/]|$)/
/** Refusals get a line of log together, this often. */
const LOG_MS = 1_000

type TurnedAway = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly path: string }

/** @param listener - of what there is room for */
export function gate(services: Services, version: ErrorVersion, listener: RequestListener): RequestListener {
  const { metrics, log } = services
  const answer = answerer(version)
  let turnedAway: TurnedAway[] = []
  let unlogged = 0
  const answerAll = () => {
    const all = turnedAway
    turnedAway = []
    if (unlogged === 0) setTimeout(logAll, LOG_MS).unref()
    unlogged += all.length
    for (const { request, response } of all) answer(request, response)
    metrics.afterwards.add(() => count(all))
  }
  const count = (all: readonly TurnedAway[]) => {
    for (const { request, path } of all) {
      const endpoint = `/${path}/:chainId`
      metrics.requests.inc({ endpoint, status: overloaded.status, code: overloaded.code })
      metrics.byIntegrator.inc({ integrator: metrics.integrators.of(integrator(request.headers.referer)), endpoint })
    }
  }
  const logAll = () => {
    log.warn({ requests: unlogged, code: overloaded.code }, 'turned away')
    unlogged = 0
  }
  return (request, response) => {
    const [, path, chainId] = working.exec(request.url!) ?? []
    if (!path || request.method === 'OPTIONS' || !services.turnsAway(Number(chainId)))
      return listener(request, response)
    // After what nodes have answered meanwhile: work that has begun is never behind work that is not.
    if (turnedAway.push({ request, response, path }) === 1) setImmediate(answerAll)
  }
}

/** Made once but for the request's id. */
function answerer(version: ErrorVersion): RequestListener {
  const mark = '<id>'
  const { status, type, body, headers = [] } = errorReply(overloaded, mark, version)
  const parts = body.split(mark)
  return (request, response) => {
    const id = requestId(request)
    const text = parts.join(id)
    response.writeHead(status!, [...sparseHeaders(id, type, text), ...headers])
    response.end(text, 'latin1')
  }
}
