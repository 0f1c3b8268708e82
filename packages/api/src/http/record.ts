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
  const ms = performance.now() - context.startedAt
  const status = context.errorCode === 'CLIENT_CLOSED' ? 499 : response.statusCode
  metrics.afterwards.add(() => {
    metrics.requests.inc({ endpoint, status, code: context.errorCode ?? '' })
    metrics.byIntegrator.inc({ integrator: metrics.integrators.of(context.integrator), endpoint })
    if (!context.isStream) metrics.latency.observe({ endpoint }, ms / 1000)
    for (const [stage, stageMs] of context.stages) metrics.stages.observe({ stage }, stageMs / 1000)
    log.info(
      {
        requestId: context.id,
        method: request.method,
        path: pathOf(request).slice(0, 200),
        status,
        ms: Math.round(ms * 10) / 10,
        code: context.errorCode,
        integrator: context.integrator,
      },
      'request',
    )
  })
}

/** Without the query, which may hold a key. */
export function pathOf({ url = '' }: IncomingMessage): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}
