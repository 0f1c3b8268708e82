/**
 * Sends requests of the API console. The console shows bodies unchanged, so it does not use the SDK, which parses them.
 */
import type { ConsoleCall } from './openapi.ts'

export type ConsoleResponse = {
  readonly status: number
  readonly durationMs: number
  readonly body: string
  /** False for an event stream, because only its beginning is read. */
  readonly isComplete: boolean
  /** Value of the `Retry-After` header, in seconds. */
  readonly retryAfter: string | null
}

const TIMEOUT_MS = 15_000
/** Maximum duration for which an event stream is read. */
const MAX_STREAM_MS = 6_000
/** Number of characters after which reading an event stream ends. */
const MAX_STREAM_CHARS = 200_000

export async function sendConsoleCall({ method, path, body }: ConsoleCall): Promise<ConsoleResponse> {
  const start = performance.now()
  const response = await fetch(path, {
    method: method.toUpperCase(),
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
  })
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const text = isStream ? await readEvents(response) : await response.text()
  return {
    status: response.status,
    durationMs: Math.round(performance.now() - start),
    body: text,
    isComplete: !isStream,
    retryAfter: response.headers.get('retry-after'),
  }
}

async function readEvents(response: Response): Promise<string> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  const deadline = Date.now() + MAX_STREAM_MS
  let text = ''
  while (text.length < MAX_STREAM_CHARS) {
    const remainingMs = deadline - Date.now()
    if (remainingMs <= 0) break
    const timeout = new Promise<undefined>((resolve) => setTimeout(resolve, remainingMs))
    const next = await Promise.race([reader.read(), timeout])
    if (next === undefined || next.done) break
    text += next.value
  }
  void reader.cancel()
  return text
}
