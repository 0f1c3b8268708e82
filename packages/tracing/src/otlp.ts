/** Encodes spans as OTLP JSON. @see opentelemetry-proto, trace/v1/trace.proto */
import type { Attributes, SpanKind } from './span.ts'

export type FinishedSpan = {
  /** Trace id: 16 bytes in hex. */
  readonly traceId: string
  /** Span id: 8 bytes in hex, like `parentId`. */
  readonly spanId: string
  readonly parentId: string | undefined
  readonly name: string
  readonly kind: SpanKind
  readonly attributes: Attributes
  /** Unix time in milliseconds. */
  readonly startedAtMs: number
  readonly endedAtMs: number
  readonly hasFailed: boolean
}

/** Values of the enum SpanKind. */
const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 }
/** Values of the enum StatusCode. */
const [UNSET, ERROR] = [0, 2]

/** Encodes the body of one request to `/v1/traces`. */
export function tracesBody(spans: readonly FinishedSpan[], resource: Attributes): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [{ scope: { name: 'sluice' }, spans: spans.map(spanBody) }],
      },
    ],
  })
}

function spanBody({
  traceId,
  spanId,
  parentId,
  name,
  kind,
  attributes,
  startedAtMs,
  endedAtMs,
  hasFailed,
}: FinishedSpan): object {
  return {
    ...{ traceId, spanId, ...(parentId && { parentSpanId: parentId }), name, kind: KINDS[kind] },
    startTimeUnixNano: toNanoseconds(startedAtMs),
    endTimeUnixNano: toNanoseconds(endedAtMs),
    attributes: keyValues(attributes),
    status: { code: hasFailed ? ERROR : UNSET },
  }
}

/** Returns nanoseconds as text, because they exceed 2^53. The precision is a microsecond, like that of the clock. */
function toNanoseconds(ms: number): string {
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
