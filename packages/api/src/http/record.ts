/** Records every finished request: in counters, in the latency histogram, and as one log line. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Metrics } from '../metrics.ts'
import type { RequestContext } from './context.ts'

/**
 * Records a finished request in the background.
 *
 * @param endpoint - path pattern, so that the number of label values is bounded
 */
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
  // This callback must not reference the request, which would then live until the batch runs, and move to V8's old
  // generation.
  metrics.backgroundQueue.add(() => {
    metrics.requests.inc({ endpoint, status, code: code ?? '' })
    metrics.byIntegrator.inc({ integrator: metrics.integrators.labelFor(integrator), endpoint })
    if (!isStream) metrics.latency.observe({ endpoint }, ms / 1000)
    for (const [stage, stageMs] of stages) metrics.stages.observe({ stage }, stageMs / 1000)
    log.info({ requestId: id, method, path, status, ms: Math.round(ms * 10) / 10, code, integrator }, 'request')
  })
}

/** Returns the path without the query, which may contain a key. */
export function pathOf({ url = '' }: IncomingMessage): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}
