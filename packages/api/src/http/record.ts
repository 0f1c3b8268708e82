/** Record of every request: counters, latency and one line of log. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Metrics } from '../metrics.ts'
import type { RequestContext } from './context.ts'

/** @param endpoint - pattern of the path, for labels of bounded number */
export function record(
  endpoint: string,
  request: IncomingMessage,
  response: ServerResponse,
  context: RequestContext,
  { metrics, log }: { readonly metrics: Metrics; readonly log: Logger },
): void {
  const { integrator, stages, isStream, id, errorCode: code } = context
  const { method } = request
  const path = pathOf(request).slice(0, 200)
  const ms = performance.now() - context.startedAt
  const status = code === 'CLIENT_CLOSED' ? 499 : response.statusCode
  // Nothing here holds on to the request and what hangs on it, which would otherwise grow old.
  metrics.afterwards.add(() => {
    metrics.requests.inc({ endpoint, status, code: code ?? '' })
    metrics.byIntegrator.inc({ integrator: metrics.integrators.of(integrator), endpoint })
    if (!isStream) metrics.latency.observe({ endpoint }, ms / 1000)
    for (const [stage, stageMs] of stages) metrics.stages.observe({ stage }, stageMs / 1000)
    log.info({ requestId: id, method, path, status, ms: Math.round(ms * 10) / 10, code, integrator }, 'request')
  })
}

/** Without the query, which may hold a key. */
export function pathOf({ url = '' }: IncomingMessage): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}
