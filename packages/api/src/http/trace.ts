/** Traces of requests, for whoever runs a collector of OpenTelemetry. Loaded only then. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestSpan, TraceRecorder } from '@sluice/tracing/recorder'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { RequestContext } from './context.ts'
import { pathOf } from './record.ts'

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

/** Undefined where the request is not recorded. Streams never are: they go on for hours. */
export function traceOf({ url = '', headers }: IncomingMessage, recorder?: TraceRecorder): RequestSpan | undefined {
  return recorder && !url.startsWith('/stream/') ? recorder.request(headers.traceparent?.toString()) : undefined
}

/** @param endpoint - pattern of the path */
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
