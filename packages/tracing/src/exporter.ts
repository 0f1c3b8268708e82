/** Sends spans to an OTLP collector in batches, in the background. */
import { type FinishedSpan, tracesBody } from './otlp.ts'
import type { Attributes } from './span.ts'

export type ExporterOptions = {
  /** Base URL of the collector; `/v1/traces` is appended. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  /** Attributes of the process, attached to all spans. */
  readonly resource: Attributes
  /** Called when spans were lost, at most once a minute. */
  readonly onLost: (spans: number, error: Error | undefined) => void
}

const SEND_INTERVAL_MS = 2_000
/** Maximum spans per request. As soon as this many spans are queued, they are sent. */
const MAX_SPANS_PER_POST = 512
/** Maximum queued spans. Further spans are dropped. */
const MAX_QUEUED = 4_096
/** Timeout of a request to the collector. */
const TIMEOUT_MS = 5_000
/** Minimum milliseconds between two calls of `onLost`. */
const REPORT_INTERVAL_MS = 60_000

/** Queue of finished spans that are sent to the collector. */
export class Exporter {
  private readonly options: ExporterOptions
  private readonly url: string
  private queuedSpans: FinishedSpan[] = []
  private pendingPost: Promise<void> | undefined
  private lostCount = 0
  private failureCount = 0
  private reportedAtMs = Number.NEGATIVE_INFINITY
  private readonly timer = setInterval(() => this.send(), SEND_INTERVAL_MS).unref()

  constructor(options: ExporterOptions) {
    this.options = options
    this.url = `${options.endpoint.replace(/\/+$/, '')}/v1/traces`
  }

  add(span: FinishedSpan): void {
    if (this.queuedSpans.length < MAX_QUEUED) this.queuedSpans.push(span)
    else this.recordLoss(1, undefined)
    if (this.queuedSpans.length >= MAX_SPANS_PER_POST) this.send()
  }

  /** Sends all queued spans. Resolves after the last response, or after the first failure. */
  async close(): Promise<void> {
    clearInterval(this.timer)
    const failuresBefore = this.failureCount
    for (;;) {
      await this.pendingPost
      if (this.failureCount > failuresBefore || this.queuedSpans.length === 0) return
      this.send()
    }
  }

  private send(): void {
    if (this.pendingPost || this.queuedSpans.length === 0) return
    const spans = this.queuedSpans.slice(0, MAX_SPANS_PER_POST)
    this.queuedSpans = this.queuedSpans.slice(MAX_SPANS_PER_POST)
    this.pendingPost = this.post(spans).finally(() => {
      this.pendingPost = undefined
    })
  }

  private async post(spans: readonly FinishedSpan[]): Promise<void> {
    const { headers, resource } = this.options
    try {
      const answer = await fetch(this.url, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: tracesBody(spans, resource),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      await answer.arrayBuffer()
      if (!answer.ok) throw new Error(`the collector answered ${answer.status}`)
    } catch (error) {
      this.failureCount++
      this.recordLoss(spans.length, error as Error)
    }
  }

  private recordLoss(spans: number, error: Error | undefined): void {
    this.lostCount += spans
    if (performance.now() - this.reportedAtMs < REPORT_INTERVAL_MS) return
    this.reportedAtMs = performance.now()
    this.options.onLost(this.lostCount, error)
    this.lostCount = 0
  }
}
