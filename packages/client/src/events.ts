/** Server-Sent Events as they come, by `fetch` alone: browsers and Node read them the same way, and may give up at any time. */
import { ClientError } from './errors.ts'
import { failure, type HttpOptions, type Parameters, urlOf } from './http.ts'

export type ServerEvent = { readonly event: string; readonly data: unknown }

/** @throws ClientError when the service refuses, is not reached, or what comes is no stream */
export async function* events(
  options: HttpOptions,
  path: string,
  query: Parameters,
  signal?: AbortSignal,
): AsyncGenerator<ServerEvent, void, void> {
  const { baseUrl, referer, fetch = globalThis.fetch } = options
  const stopped = new AbortController()
  const signals = signal ? [signal, stopped.signal] : [stopped.signal]
  try {
    const response = await fetch(urlOf(options, path, query), {
      headers: { accept: 'text/event-stream', ...(referer && { referer }) },
      signal: AbortSignal.any(signals),
    })
    if (!response.ok) throw failure(response, await response.text())
    if (!response.body) throw new ClientError('BAD_ANSWER', `${path} answered with no stream`)
    let text = ''
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const blocks = (text + read.value).split('\n\n')
      text = blocks.pop()!
      for (const block of blocks) {
        const event = parsed(block, path)
        if (event) yield event
      }
    }
  } catch (cause) {
    if (signal?.aborted) return
    if (cause instanceof ClientError) throw cause
    throw new ClientError('NETWORK', `${baseUrl} was not reached: ${(cause as Error).message}`, {}, { cause })
  } finally {
    stopped.abort()
  }
}

/** Undefined for a comment. */
function parsed(block: string, path: string): ServerEvent | undefined {
  const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1]
  const [event, data] = [field('event'), field('data')]
  if (event === undefined || data === undefined) return undefined
  try {
    return { event, data: JSON.parse(data) }
  } catch {
    throw new ClientError('BAD_ANSWER', `${path} sent an event that is not JSON`)
  }
}
