/** Records traces and hands their spans on; loaded only where somebody wants them. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { Exporter, type ExporterOptions } from './exporter.ts'
import type { Finished } from './otlp.ts'
import { type Attributes, type Kind, type Recorder, record } from './span.ts'

export type RecorderOptions = ExporterOptions & {
  /** Share of requests that are recorded, 0 to 1, of those whose caller has not decided. */
  readonly ratio: number
}

type Open = { readonly traceId: string; readonly spanId: string }

/** A request under way, as whoever answers it sees it. */
export type RequestSpan = {
  /** Runs what belongs to it. */
  readonly run: (work: () => void) => void
  readonly end: (name: string, attributes: Attributes, failed: boolean) => void
}

export class TraceRecorder implements Recorder {
  private readonly current = new AsyncLocalStorage<Open | undefined>()
  private readonly exporter: Exporter
  private readonly ratio: number

  constructor({ ratio, ...options }: RecorderOptions) {
    this.exporter = new Exporter(options)
    this.ratio = ratio
  }

  /** Spans are recorded from now on. */
  start(): void {
    record(this)
  }

  /** Sends what is recorded, and records nothing more. */
  close(): Promise<void> {
    record(undefined)
    return this.exporter.close()
  }

  /** @param traceparent - of the caller (W3C Trace Context), whose trace goes on here. @returns undefined where it is not recorded */
  request(traceparent: string | undefined): RequestSpan | undefined {
    const [, traceId, parentId, flags] =
      /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/.exec(traceparent ?? '') ?? []
    const isWanted = flags === undefined ? Math.random() < this.ratio : (Number.parseInt(flags, 16) & 1) === 1
    if (!isWanted) return undefined
    const open: Open = { traceId: traceId ?? hex(16), spanId: hex(8) }
    const startedAt = now()
    return {
      run: (work) => this.current.run(open, work),
      end: (name, attributes, failed) =>
        this.exporter.add({ ...open, parentId, name, kind: 'server', attributes, startedAt, endedAt: now(), failed }),
    }
  }

  within<T>(name: string, kind: Kind, attributes: Attributes, work: () => T | Promise<T>): T | Promise<T> {
    const parent = this.current.getStore()
    return parent ? this.part(parent, name, kind, attributes, work) : work()
  }

  private async part<T>(
    parent: Open,
    name: string,
    kind: Kind,
    attributes: Attributes,
    work: () => T | Promise<T>,
  ): Promise<T> {
    const open: Open = { traceId: parent.traceId, spanId: hex(8) }
    const startedAt = now()
    let error: { readonly code?: unknown; readonly name: string } | undefined
    try {
      return await this.current.run(open, work)
    } catch (thrown) {
      error = thrown as Error
      throw thrown
    } finally {
      // A code, never a message: those of nodes may hold addresses with keys.
      const told = error ? { ...attributes, 'error.type': String(error.code ?? error.name) } : attributes
      const ended: Finished = {
        ...open,
        parentId: parent.spanId,
        name,
        kind,
        attributes: told,
        startedAt,
        endedAt: now(),
        failed: !!error,
      }
      this.exporter.add(ended)
    }
  }

  outside<T>(work: () => T): T {
    return this.current.run(undefined, work)
  }
}

function hex(bytes: number): string {
  return randomBytes(bytes).toString('hex')
}

/** Milliseconds of Unix time, with the part behind the point. */
function now(): number {
  return performance.timeOrigin + performance.now()
}
