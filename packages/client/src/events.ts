/** Server-Sent Events by `fetch` alone, parsed line by line as they arrive. */
import { ClientError, messageOf } from './errors.ts'
import { anyOf, failure, type HttpOptions, open, type Parameters } from './http.ts'

export type ServerEvent = { readonly event: string; readonly data: unknown }

/** Largest event, and largest error body. */
const MAX_EVENT_CHARS = 4 * 1024 * 1024

/** @throws ClientError when the service refuses or is not reached, or the answer is not a stream of events */
export async function* events(
  options: HttpOptions,
  path: string,
  query: Parameters,
  signal?: AbortSignal,
): AsyncGenerator<ServerEvent, void, void> {
  const { baseUrl, referer } = options
  const stopped = new AbortController()
  try {
    const response = await open(options, path, query, signal, {
      headers: { accept: 'text/event-stream', ...(referer && { referer }) },
      signal: anyOf([signal, stopped.signal]),
    })
    if (!response.body) throw new ClientError('BAD_ANSWER', `${path} answered with no stream`)
    const reader = response.body.getReader()
    const decoder = new TextDecoder()
    const parser = new EventParser(path)
    let body = ''
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const text = decoder.decode(read.value, { stream: true })
      if (response.ok) yield* parser.push(text)
      else body += text
      if (body.length > MAX_EVENT_CHARS) break
    }
    if (!response.ok) throw failure(response, body)
  } catch (cause) {
    if (signal?.aborted) return
    if (cause instanceof ClientError) throw cause
    throw new ClientError('NETWORK', `${baseUrl} was not reached: ${messageOf(cause)}`, {}, { cause })
  } finally {
    stopped.abort()
  }
}

/** Lines of a stream as events. Each character is looked at once, however the stream is cut. */
export class EventParser {
  private readonly path: string
  /** Parts of the line that has not ended yet. */
  private parts: string[] = []
  private event: string | undefined
  private data: string[] = []
  /** Characters of the event that has not ended yet. */
  private size = 0

  constructor(path: string) {
    this.path = path
  }

  /** @throws ClientError `BAD_ANSWER` for an event above the limit, or whose data is not JSON */
  *push(text: string): Generator<ServerEvent, void, void> {
    let from = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.keep(text.slice(from, end))
      from = end + 1
      const line = this.parts.join('').replace(/\r$/, '')
      this.parts = []
      const event = this.read(line)
      if (event) yield event
    }
    this.keep(text.slice(from))
  }

  private keep(part: string): void {
    this.size += part.length
    if (this.size > MAX_EVENT_CHARS)
      throw new ClientError('BAD_ANSWER', `${this.path} sent an event of more than ${MAX_EVENT_CHARS} characters`)
    if (part !== '') this.parts.push(part)
  }

  /** An event where the line ends one; comments and other fields are skipped. */
  private read(line: string): ServerEvent | undefined {
    if (line === '') return this.end()
    const [, field, value = ''] = /^(event|data)(?:: ?(.*))?$/s.exec(line) ?? []
    if (field === 'event') this.event = value
    if (field === 'data') this.data.push(value)
    return undefined
  }

  private end(): ServerEvent | undefined {
    const { event, data } = this
    this.event = undefined
    this.data = []
    this.size = 0
    if (event === undefined || data.length === 0) return undefined
    try {
      return { event, data: JSON.parse(data.join('\n')) }
    } catch {
      throw new ClientError('BAD_ANSWER', `${this.path} sent an event that is not JSON`)
    }
  }
}
