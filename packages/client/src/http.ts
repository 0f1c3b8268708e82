import { numberText } from './amounts.ts'
import { ClientError, messageOf, toClientError } from './errors.ts'

export type HttpOptions = {
  /** Address of the service; in a browser also relative to the page, such as `/api`. */
  readonly baseUrl: string
  /** Names the integration; browsers set it on their own. */
  readonly referer?: string
  /** For one request. */
  readonly timeoutMs?: number
  /** Further attempts of what may succeed later (`retryable`); 2 when absent, 0 for none. */
  readonly retries?: number
  readonly fetch?: typeof globalThis.fetch
}

export type Parameters = Readonly<Record<string, string | number | bigint | readonly string[] | undefined>>

/** Milliseconds before the first try again; each later one waits twice as long, or as long as the service says. */
const PAUSE_MS = 250
/** Longest pause before another attempt: the caller decides about longer ones. */
const MAX_PAUSE_MS = 10_000
/** Largest answer that is read. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/** One request, whose body is posted, and what may end it. */
export type Asked = { readonly query?: Parameters; readonly body?: object; readonly signal?: AbortSignal | undefined }

/** One request and its answer as JSON; failures of both versions of the interface become ClientErrors. */
export async function request<T>(options: HttpOptions, path: string, asked: Asked = {}): Promise<T> {
  const { retries = 2 } = options
  for (let tries = 0; ; tries++) {
    try {
      return await once<T>(options, path, asked)
    } catch (error) {
      const waitMs = pauseOf(error, tries)
      // A fetch of the caller's own may answer with anything.
      if (tries >= retries || waitMs === undefined) throw toClientError(error, 'BAD_ANSWER')
      await pause(waitMs, asked.signal)
    }
  }
}

/** Delay before the next attempt; undefined when the error is not retryable or the wait is too long. */
function pauseOf(error: unknown, tries: number): number | undefined {
  if (!(error instanceof ClientError) || !error.retryable) return undefined
  const { retryAfter } = error.details
  const waitMs = retryAfter === undefined ? PAUSE_MS * 2 ** tries : retryAfter * 1_000
  return waitMs > MAX_PAUSE_MS ? undefined : waitMs
}

/** @throws ClientError `ABORTED` */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      if (signal?.aborted) reject(aborted(signal))
      else resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done)
    if (signal?.aborted) done()
  })
}

export function aborted({ reason }: AbortSignal): ClientError {
  return new ClientError('ABORTED', 'given up by the caller', {}, { cause: reason })
}

async function once<T>(options: HttpOptions, path: string, { query = {}, body, signal }: Asked): Promise<T> {
  const { referer, timeoutMs = 15_000 } = options
  const headers = { ...(body && { 'content-type': 'application/json' }), ...(referer && { referer }) }
  const timeout = AbortSignal.timeout(timeoutMs)
  const answer = await open(options, path, query, signal, {
    ...{ method: body ? 'POST' : 'GET', headers },
    signal: anyOf([signal, timeout]),
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await reached(options, signal, () => readText(answer, path))
  if (!answer.ok) throw failure(answer, text)
  const json = parse(text)
  if (typeof json !== 'object' || json === null)
    throw new ClientError('BAD_ANSWER', `${path} answered with no JSON object`)
  return json as T
}

/** Sends a request. A redirect is an error: another host would see the request, and answer it. */
export function open(
  options: HttpOptions,
  path: string,
  query: Parameters,
  signal: AbortSignal | undefined,
  init: RequestInit,
): Promise<Response> {
  const { fetch = globalThis.fetch } = options
  const url = urlOf(options, path, query)
  return reached(options, signal, async () => {
    const answer = await fetch(url, { ...init, redirect: 'error' })
    // A fetch of the caller's own may follow all the same.
    if (answer.redirected || (answer.status >= 300 && answer.status < 400))
      throw new ClientError('BAD_ANSWER', `${path} redirects to another address`, { status: answer.status })
    return answer
  })
}

/** @throws ClientError `ABORTED` by the caller's signal, `NETWORK` for every other failure of `act` */
async function reached<T>(
  { baseUrl }: HttpOptions,
  signal: AbortSignal | undefined,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act()
  } catch (cause) {
    if (signal?.aborted) throw aborted(signal)
    if (cause instanceof ClientError) throw cause
    throw new ClientError('NETWORK', `${baseUrl} was not reached: ${messageOf(cause)}`, {}, { cause })
  }
}

/** A signal that aborts with the first of several. Node 18 has no `AbortSignal.any`. */
export function anyOf(signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  const given = signals.filter((signal) => signal !== undefined)
  if (typeof AbortSignal.any === 'function') return AbortSignal.any(given)
  const controller = new AbortController()
  for (const signal of given) {
    const abort = () => controller.abort(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true, signal: controller.signal })
  }
  return controller.signal
}

/** The whole answer. @throws ClientError `BAD_ANSWER` for one above the limit, of which no more is read */
async function readText({ body }: Response, path: string): Promise<string> {
  if (!body) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const parts: string[] = []
  let bytes = 0
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    bytes += read.value.length
    if (bytes > MAX_ANSWER_BYTES) {
      reader.cancel().catch(() => undefined)
      throw new ClientError('BAD_ANSWER', `${path} answered with more than ${MAX_ANSWER_BYTES} bytes`)
    }
    parts.push(decoder.decode(read.value, { stream: true }))
  }
  return parts.join('') + decoder.decode()
}

/** @throws ClientError `INVALID` for an address that is none */
function urlOf({ baseUrl }: HttpOptions, path: string, query: Parameters): URL {
  try {
    const page = (globalThis as { readonly location?: { readonly href: string } }).location?.href
    const url = new URL(`${baseUrl.replace(/\/+$/, '')}${path}`, page)
    for (const [name, value] of Object.entries(textual(query))) url.searchParams.set(name, value)
    return url
  } catch (cause) {
    throw toClientError(cause, 'INVALID', `baseUrl ${String(baseUrl).slice(0, 200)}: `)
  }
}

/** As the interface takes values: amounts in decimals, lists between commas. */
export function textual(parameters: Parameters): Record<string, string> {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    given.map(([name, value]) => [name, typeof value === 'number' ? numberText(value) : String(value)]),
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function failure(response: Response, text: string): ClientError {
  const json = parse(text)
  const body = typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : undefined
  const { status } = response
  const plain = response.headers.get('content-type')?.startsWith('text/plain')
    ? text.slice(0, 500)
    : response.statusText
  const message = typeof body?.error === 'string' ? body.error.slice(0, 2_000) : plain || `status ${status}`
  const retryAfter = Number(response.headers.get('retry-after'))
  return new ClientError(status === 422 ? 'NO_ROUTE' : 'HTTP', message, {
    status,
    ...(typeof body?.code === 'string' && { serviceCode: body.code }),
    ...(typeof body?.requestId === 'string' && { requestId: body.requestId }),
    ...(retryAfter > 0 && { retryAfter }),
    ...(body && { body }),
  })
}
