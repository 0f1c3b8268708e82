/** Spans: named parts of a traced request. Without a recorder, a span costs one variable check. */

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>
/** Kind of span: handles a request, sends a request, or neither. */
export type SpanKind = 'server' | 'client' | 'internal'

/** Records spans. */
export type Recorder = {
  /** Runs work as a child of the current span. Records nothing if no span is current. */
  readonly inSpan: <T>(
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    work: () => T | Promise<T>,
  ) => T | Promise<T>
  /** Runs work that outlives the request that started it. */
  readonly runOutside: <T>(work: () => T) => T
}

let recorder: Recorder | undefined

/** Sets or removes the recorder of the process. */
export function setRecorder(newRecorder: Recorder | undefined): void {
  recorder = newRecorder
}

/** Runs work as a span of the current request. Records nothing if the request is not traced. */
export function span<T>(name: string, work: () => Promise<T>, attributes?: Attributes, kind?: SpanKind): Promise<T>
/** Runs work that may be synchronous as a span. */
export function span<T>(name: string, work: () => T | Promise<T>): T | Promise<T>
/** Implements both overloads. */
export function span<T>(
  name: string,
  work: () => T | Promise<T>,
  attributes: Attributes = {},
  kind: SpanKind = 'internal',
): T | Promise<T> {
  return recorder ? recorder.inSpan(name, kind, attributes, work) : work()
}

/** Runs work outside the trace of the request that started it. */
export function withoutTrace<T>(work: () => T): T {
  return recorder ? recorder.runOutside(work) : work()
}
