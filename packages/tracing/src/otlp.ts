/** Spans in the JSON of the OpenTelemetry protocol. @see opentelemetry-proto, trace/v1/trace.proto */
import type { Attributes, Kind } from './span.ts'

export type Finished = {
  /** 16 bytes in hex. */
  readonly traceId: string
  /** 8 bytes in hex, like the parent's. */
  readonly spanId: string
  readonly parentId: string | undefined
  readonly name: string
  readonly kind: Kind
  readonly attributes: Attributes
  /** Milliseconds of Unix time. */
  readonly startedAt: number
  readonly endedAt: number
  readonly failed: boolean
}

/** Numbers of the enumeration SpanKind. */
const KINDS: Readonly<Record<Kind, number>> = { internal: 1, server: 2, client: 3 }
/** Values of StatusCode: unset, and error. */
const [UNSET, ERROR] = [0, 2]

/** The body of one request to `/v1/traces`. */
export function tracesBody(spans: readonly Finished[], resource: Attributes): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [{ scope: { name: 'sluice' }, spans: spans.map(spanBody) }],
      },
    ],
  })
}

function spanBody({ traceId, spanId, parentId, name, kind, attributes, startedAt, endedAt, failed }: Finished): object {
  return {
    ...{ traceId, spanId, ...(parentId && { parentSpanId: parentId }), name, kind: KINDS[kind] },
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(endedAt),
    attributes: keyValues(attributes),
    status: { code: failed ? ERROR : UNSET },
  }
}

/** Beyond 2^53, so as text; microseconds are all that clocks tell. */
function nanoseconds(ms: number): string {
  return `${Math.round(ms * 1_000)}000`
}

function keyValues(attributes: Attributes): readonly object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  )
}

function anyValue(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
