/**
 * Records traces of requests for an OpenTelemetry collector. Loads the trace recorder only if a collector is
 * configured.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestSpan, TraceRecorder } from '@sluice/tracing/recorder'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { RequestContext } from './context.ts'
import { pathOf } from './record.ts'

/** Starts the trace recorder. Returns undefined if no collector is configured. */
export async function startRecorder(config: Config, log: Logger): Promise<TraceRecorder | undefined> {
  const { otelExporterOtlpEndpoint: endpoint, otelExporterOtlpHeaders: headers } = config
  if (endpoint === undefined) return undefined
  const { TraceRecorder } = await import('@sluice/tracing/recorder')
  const recorder = new TraceRecorder({
    ...{ endpoint, headers, ratio: config.otelTracesSamplerArg },
    resource: { 'service.name': config.otelServiceName },
    onLost: (spans, err) => log.warn({ err, spans }, 'spans are lost'),
  })
  recorder.start()
  return recorder
}

/**
 * Starts the span of a request. Returns undefined if the request is not recorded. Streams are never recorded, because
 * they last for hours.
 */
export function startTrace({ url = '', headers }: IncomingMessage, recorder?: TraceRecorder): RequestSpan | undefined {
  return recorder && !url.startsWith('/stream/') ? recorder.startRequest(headers.traceparent?.toString()) : undefined
}

/** Ends the span of a request. @param endpoint - path pattern */
export function endTrace(
  trace: RequestSpan,
  endpoint: string,
  request: IncomingMessage,
  { statusCode }: ServerResponse,
  { id, chainId, errorCode }: RequestContext,
): void {
  const attributes = {
    'http.request.method': request.method,
    'http.route': endpoint,
    'http.response.status_code': statusCode,
    'url.path': pathOf(request).slice(0, 200),
    'sluice.request_id': id,
    'sluice.chain_id': chainId,
    'error.type': errorCode,
  }
  trace.end(`${request.method} ${endpoint}`, attributes, statusCode >= 500)
}
