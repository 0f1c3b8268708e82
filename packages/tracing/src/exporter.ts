/** Sends spans to a collector, a few hundred at a time, beside the work and never in its way. */
import { type Finished, tracesBody } from './otlp.ts'
import type { Attributes } from './span.ts'

export type ExporterOptions = {
  /** Base address of the collector; `/v1/traces` is appended. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  /** Attributes that say of all spans whose they are. */
  readonly resource: Attributes
  /** Told when spans are lost, a minute apart at least. */
  readonly onLost: (spans: number, error: Error | undefined) => void
}

const FLUSH_MS = 2_000
const BATCH = 512
/** Spans that wait for a collector that is slow or away; more are lost. */
const MOST_WAITING = 4_096
const TIMEOUT_MS = 5_000
const TELL_MS = 60_000

export class Exporter {
  private readonly options: ExporterOptions
  private readonly url: string
  private waiting: Finished[] = []
  private sending: Promise<void> | undefined
  private lost = 0
  private failures = 0
  private toldAt = Number.NEGATIVE_INFINITY
  private readonly timer = setInterval(() => this.send(), FLUSH_MS).unref()

  constructor(options: ExporterOptions) {
    this.options = options
    this.url = `${options.endpoint.replace(/\/+$/, '')}/v1/traces`
  }

  add(span: Finished): void {
    if (this.waiting.length < MOST_WAITING) this.waiting.push(span)
    else this.lose(1, undefined)
    if (this.waiting.length >= BATCH) this.send()
  }

  /** Sends what waits, until the collector fails. */
  async close(): Promise<void> {
    clearInterval(this.timer)
    const { failures } = this
    do {
      await this.sending
      this.send()
    } while (this.sending && this.failures === failures)
  }

  private send(): void {
    if (this.sending || this.waiting.length === 0) return
    const spans = this.waiting.slice(0, BATCH)
    this.waiting = this.waiting.slice(BATCH)
    this.sending = this.post(spans).finally(() => {
      this.sending = undefined
    })
  }

  private async post(spans: readonly Finished[]): Promise<void> {
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
      this.failures++
      this.lose(spans.length, error as Error)
    }
  }

  private lose(spans: number, error: Error | undefined): void {
    this.lost += spans
    if (performance.now() - this.toldAt < TELL_MS) return
    this.toldAt = performance.now()
    this.options.onLost(this.lost, error)
    this.lost = 0
  }
}
