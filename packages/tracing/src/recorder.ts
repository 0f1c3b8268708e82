/** Records traces of requests and exports them. The API loads this file only if a collector is configured. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { Exporter, type ExporterOptions } from './exporter.ts'
import type { FinishedSpan } from './otlp.ts'
import { type Attributes, type Recorder, type SpanKind, setRecorder } from './span.ts'

export type RecorderOptions = ExporterOptions & {
  /** Fraction of the requests without a valid `traceparent` header that are recorded, from 0 to 1. */
  readonly ratio: number
}

/** Ids of a span and its trace, in hex. */
type SpanIds = { readonly traceId: string; readonly spanId: string }

/** Span of a request in progress. */
export type RequestSpan = {
  /** Runs work as part of the request. */
  readonly run: (work: () => void) => void
  readonly end: (name: string, attributes: Attributes, hasFailed: boolean) => void
}

/** Recorder that samples requests and exports spans. */
export class TraceRecorder implements Recorder {
  private readonly currentSpan = new AsyncLocalStorage<SpanIds | undefined>()
  private readonly exporter: Exporter
  private readonly ratio: number

  constructor({ ratio, ...options }: RecorderOptions) {
    this.exporter = new Exporter(options)
    this.ratio = ratio
  }

  /** Starts recording. */
  start(): void {
    setRecorder(this)
  }

  /** Stops recording and sends the queued spans. */
  close(): Promise<void> {
    setRecorder(undefined)
    return this.exporter.close()
  }

  /**
   * Starts the span of a request.
   *
   * @param traceparent - header of the request (W3C Trace Context). The span continues the header's trace
   * @returns undefined if the request is not sampled
   */
  startRequest(traceparent: string | undefined): RequestSpan | undefined {
    const [, traceId, parentId, flags] =
      /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/.exec(traceparent ?? '') ?? []
    const isSampled = flags === undefined ? Math.random() < this.ratio : (Number.parseInt(flags, 16) & 1) === 1
    if (!isSampled) return undefined
    const ids: SpanIds = { traceId: traceId ?? randomHex(16), spanId: randomHex(8) }
    const startedAtMs = unixMs()
    return {
      run: (work) => this.currentSpan.run(ids, work),
      end: (name, attributes, hasFailed) =>
        this.exporter.add({
          ...ids,
          parentId,
          name,
          kind: 'server',
          attributes,
          startedAtMs,
          endedAtMs: unixMs(),
          hasFailed,
        }),
    }
  }

  inSpan<T>(name: string, kind: SpanKind, attributes: Attributes, work: () => T | Promise<T>): T | Promise<T> {
    const parent = this.currentSpan.getStore()
    return parent ? this.childSpan(parent, name, kind, attributes, work) : work()
  }

  private async childSpan<T>(
    parent: SpanIds,
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    work: () => T | Promise<T>,
  ): Promise<T> {
    const ids: SpanIds = { traceId: parent.traceId, spanId: randomHex(8) }
    const startedAtMs = unixMs()
    let error: { readonly code?: unknown; readonly name: string } | undefined
    try {
      return await this.currentSpan.run(ids, work)
    } catch (thrown) {
      error = thrown as Error
      throw thrown
    } finally {
      // Omits the error message, because messages of nodes may contain URLs with API keys.
      const endAttributes = error ? { ...attributes, 'error.type': String(error.code ?? error.name) } : attributes
      const endedSpan: FinishedSpan = {
        ...ids,
        parentId: parent.spanId,
        name,
        kind,
        attributes: endAttributes,
        startedAtMs,
        endedAtMs: unixMs(),
        hasFailed: !!error,
      }
      this.exporter.add(endedSpan)
    }
  }

  runOutside<T>(work: () => T): T {
    return this.currentSpan.run(undefined, work)
  }
}

function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex')
}

/** Returns the Unix time in milliseconds, with fractions. */
function unixMs(): number {
  return performance.timeOrigin + performance.now()
}
