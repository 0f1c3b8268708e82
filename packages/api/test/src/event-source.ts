/** Client of Server-Sent Events that collects all events. */
// biome-ignore lint/suspicious/noExplicitAny: the data as any reader gets it
export type Event = { readonly event: string; readonly id: number | undefined; readonly data: any }

/** Connection to an event stream. */
export class EventReader {
  readonly events: Event[] = []
  comments = 0
  status = 0
  headers = new Headers()
  /** Resolves when the response has ended. */
  readonly ended: Promise<void>
  private readonly controller = new AbortController()
  private waiting: { readonly until: () => boolean; readonly resolve: () => void }[] = []

  constructor(url: string) {
    this.ended = this.read(url).catch((error: unknown) => {
      if (!this.controller.signal.aborted) throw error
    })
  }

  /** Resolves when the events satisfy a condition. */
  async until(done: (events: readonly Event[]) => boolean): Promise<readonly Event[]> {
    const until = () => done(this.events)
    if (!until()) await new Promise<void>((resolve) => this.waiting.push({ until, resolve }))
    return this.events
  }

  close(): void {
    this.controller.abort()
  }

  private async read(url: string): Promise<void> {
    const answer = await fetch(url, { signal: this.controller.signal })
    this.status = answer.status
    this.headers = answer.headers
    let text = ''
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      const blocks = text.split('\n\n')
      text = blocks.pop()!
      for (const block of blocks) this.take(block)
    }
  }

  private take(block: string): void {
    if (block.startsWith(':')) {
      this.comments++
      return
    }
    const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)))
    this.events.push({
      event: fields.event,
      id: fields.id === undefined ? undefined : Number(fields.id),
      data: JSON.parse(fields.data),
    })
    this.waiting = this.waiting.filter(({ until, resolve }) => !until() || resolve())
  }
}
