/** Stretches of work that a trace of a request shows. While nobody records, they cost a look at a variable. */

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>
/** Kind of span: answers somebody, asks somebody, or neither. */
export type Kind = 'server' | 'client' | 'internal'

export type Recorder = {
  /** Runs the work as a part of what is running now, if that is recorded. */
  readonly within: <T>(name: string, kind: Kind, attributes: Attributes, work: () => T | Promise<T>) => T | Promise<T>
  /** Runs work that goes on when the request that began it is long answered. */
  readonly outside: <T>(work: () => T) => T
}

let recorder: Recorder | undefined

/** Switches recording on, or off again: once for the process. */
export function record(by: Recorder | undefined): void {
  recorder = by
}

/** A part of the request that is being worked on, if that is recorded. */
export function span<T>(name: string, work: () => Promise<T>, attributes?: Attributes, kind?: Kind): Promise<T>
export function span<T>(name: string, work: () => T | Promise<T>): T | Promise<T>
export function span<T>(
  name: string,
  work: () => T | Promise<T>,
  attributes: Attributes = {},
  kind: Kind = 'internal',
): T | Promise<T> {
  return recorder ? recorder.within(name, kind, attributes, work) : work()
}

/** Work that belongs to nobody's request, though one began it. */
export function untraced<T>(work: () => T): T {
  return recorder ? recorder.outside(work) : work()
}
