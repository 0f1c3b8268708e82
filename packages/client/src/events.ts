/**
 * Reads Server-Sent Events with `fetch`, which unlike `EventSource` allows headers and gives access to error bodies.
 */
import { ClientError, messageOf } from './errors.ts'
import { anySignal, fetchResponse, type HttpOptions, type Parameters, toHttpError } from './http.ts'
import { withinTime } from './poll.ts'

/** One event with its parsed JSON data. */
export type ServerEvent = { readonly event: string; readonly data: unknown }

/** Maximum characters of an event, and of an error body. */
const MAX_EVENT_CHARS = 4 * 1024 * 1024
/** Maximum milliseconds without a byte, after which a connection counts as dead. Heartbeats come every 10 seconds. */
const MAX_SILENCE_MS = 30_000

/**
 * Yields events until the stream ends or the signal aborts.
 *
 * @throws ClientError for an error response or a malformed stream; `NETWORK` also after `MAX_SILENCE_MS` without a byte
 */
export async function* readEvents(
  options: HttpOptions,
  path: string,
  query: Parameters,
  signal?: AbortSignal,
): AsyncGenerator<ServerEvent, void, void> {
  const { baseUrl, referer } = options
  const stopController = new AbortController()
  try {
    const response = await unlessSilent(
      fetchResponse(options, path, query, signal, {
        headers: { accept: 'text/event-stream', ...(referer && { referer }) },
        signal: anySignal([signal, stopController.signal]),
      }),
    )
    // The responses of React Native and node-fetch have no `ReadableStream`.
    if (typeof response.body?.getReader !== 'function')
      throw new ClientError('BAD_ANSWER', `${path} answered with no stream`)
    const reader = response.body.getReader()
    const decoder = new TextDecoder()
    const parser = new EventParser(path)
    let body = ''
    const read = () => unlessSilent(reader.read())
    for (let chunk = await read(); !chunk.done; chunk = await read()) {
      const text = decoder.decode(chunk.value, { stream: true })
      if (response.ok) yield* parser.push(text)
      else body += text
      if (body.length > MAX_EVENT_CHARS) break
    }
    if (!response.ok) throw toHttpError(response, body)
  } catch (cause) {
    if (signal?.aborted) return
    if (cause instanceof ClientError) throw cause
    throw new ClientError('NETWORK', `${baseUrl} was not reached: ${messageOf(cause)}`, {}, { cause })
  } finally {
    stopController.abort()
  }
}

/**
 * Resolves like `bytes`, a promise that waits for bytes of the response. @throws Error if that takes longer than
 * `MAX_SILENCE_MS`
 */
function unlessSilent<T>(bytes: Promise<T>): Promise<T> {
  return withinTime(bytes, MAX_SILENCE_MS, `nothing came for ${MAX_SILENCE_MS / 1_000} s`)
}

/** Incremental parser of an event stream. Its total time is linear in the length of the stream, for any chunk size. */
export class EventParser {
  private readonly path: string
  /** Parts of the line that is not complete yet. */
  private lineParts: string[] = []
  private event: string | undefined
  private dataLines: string[] = []
  /** Number of characters of the event that is not complete yet. */
  private size = 0

  constructor(path: string) {
    this.path = path
  }

  /**
   * Parses a chunk.
   *
   * @throws ClientError `BAD_ANSWER` for an event above the size limit or with data that is not JSON
   */
  *push(text: string): Generator<ServerEvent, void, void> {
    let from = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.appendPart(text.slice(from, end))
      from = end + 1
      const line = this.lineParts.join('').replace(/\r$/, '')
      this.lineParts = []
      const event = this.parseLine(line)
      if (event) yield event
    }
    this.appendPart(text.slice(from))
  }

  private appendPart(part: string): void {
    this.size += part.length
    if (this.size > MAX_EVENT_CHARS)
      throw new ClientError('BAD_ANSWER', `${this.path} sent an event of more than ${MAX_EVENT_CHARS} characters`)
    this.lineParts.push(part)
  }

  /** Returns the event that a line completes, if any. Skips comments and unknown fields. */
  private parseLine(line: string): ServerEvent | undefined {
    if (line === '') return this.finishEvent()
    const [, field, value = ''] = /^(event|data)(?:: ?(.*))?$/s.exec(line) ?? []
    if (field === 'event') this.event = value
    if (field === 'data') this.dataLines.push(value)
    return undefined
  }

  private finishEvent(): ServerEvent | undefined {
    const { event, dataLines: data } = this
    this.event = undefined
    this.dataLines = []
    this.size = 0
    if (event === undefined || data.length === 0) return undefined
    try {
      return { event, data: JSON.parse(data.join('\n')) }
    } catch {
      throw new ClientError('BAD_ANSWER', `${this.path} sent an event that is not JSON`)
    }
  }
}
