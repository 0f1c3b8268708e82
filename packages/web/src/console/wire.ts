/** Sends a request of the console and returns the status and the raw body, which the SDK would parse. */
import type { ConsoleCall } from './openapi.ts'

export type ConsoleAnswer = {
  readonly status: number
  readonly ms: number
  readonly body: string
  readonly isWhole: boolean
  readonly retryAfter: string | null
}

const TIMEOUT_MS = 15_000
/** Maximum duration and size that are read from an event stream. */
const STREAM_MS = 6_000
const STREAM_CHARS = 200_000

export async function send({ method, path, body }: ConsoleCall): Promise<ConsoleAnswer> {
  const start = performance.now()
  const response = await fetch(path, {
    method: method.toUpperCase(),
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
  })
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const text = isStream ? await listen(response) : await response.text()
  return {
    status: response.status,
    ms: Math.round(performance.now() - start),
    body: text,
    isWhole: !isStream,
    retryAfter: response.headers.get('retry-after'),
  }
}

async function listen(response: Response): Promise<string> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  const deadline = Date.now() + STREAM_MS
  let text = ''
  while (text.length < STREAM_CHARS) {
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
