/** Sends HTTP requests with a timeout, retries, and a limit on the response size. All errors are ClientErrors. */
import { formatNumber } from './amounts.ts'
import { ClientError, messageOf, toClientError } from './errors.ts'

/** Options of the HTTP client. */
export type HttpOptions = {
  /** URL of the service. In a browser it may be relative to the page, such as `/api`. */
  readonly baseUrl: string
  /** Referer header that identifies the integration. Browsers set it themselves. */
  readonly referer?: string
  /** Timeout of one attempt in milliseconds. Default: 15,000. */
  readonly timeoutMs?: number
  /** Maximum number of retries after errors that are `retryable`. Default: 2. */
  readonly retries?: number
  readonly fetch?: typeof globalThis.fetch
}

export type Parameters = Readonly<Record<string, string | number | bigint | readonly string[] | undefined>>

/** Milliseconds before the first retry. The delay doubles with each retry. A `Retry-After` header takes precedence. */
const PAUSE_MS = 250
/** Maximum milliseconds before a retry. If `Retry-After` is longer, the request fails instead. */
const MAX_PAUSE_MS = 10_000
/** Maximum delay of a timer in milliseconds. Timers with a longer delay, or with `Infinity`, would fire at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1
/** Maximum size of a response. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/** Parameters of one request. A request with a body is a POST. */
export type RequestContent = {
  readonly query?: Parameters
  readonly body?: object
  readonly signal?: AbortSignal | undefined
}

/** Sends a request and returns the JSON response. @throws ClientError */
export async function request<T>(options: HttpOptions, path: string, content: RequestContent = {}): Promise<T> {
  const { retries = 2 } = options
  for (let attempt = 0; ; attempt++) {
    try {
      return await fetchOnce<T>(options, path, content)
    } catch (error) {
      const waitMs = retryDelayOf(error, attempt)
      // A `fetch` function of the caller may return a malformed response, so any error is possible here.
      if (attempt >= retries || waitMs === undefined) throw toClientError(error, 'BAD_ANSWER')
      await waitOrAbort(waitMs, content.signal)
    }
  }
}

/** Returns the delay before the next attempt; undefined if the error is not retryable or the delay is too long. */
function retryDelayOf(error: unknown, attempt: number): number | undefined {
  if (!(error instanceof ClientError) || !error.retryable) return undefined
  const { retryAfter } = error.details
  const waitMs = retryAfter === undefined ? PAUSE_MS * 2 ** attempt : retryAfter * 1_000
  return waitMs > MAX_PAUSE_MS ? undefined : waitMs
}

/** Waits for the given time. @throws ClientError `ABORTED` if the signal aborts */
function waitOrAbort(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', finish)
      if (signal?.aborted) reject(abortError(signal))
      else resolve()
    }
    const timer = setTimeout(finish, ms)
    signal?.addEventListener('abort', finish)
    if (signal?.aborted) finish()
  })
}

export function abortError({ reason }: AbortSignal): ClientError {
  return new ClientError('ABORTED', 'given up by the caller', {}, { cause: reason })
}

async function fetchOnce<T>(
  options: HttpOptions,
  path: string,
  { query = {}, body, signal }: RequestContent,
): Promise<T> {
  const { referer, timeoutMs = 15_000 } = options
  const headers = { ...(body && { 'content-type': 'application/json' }), ...(referer && { referer }) }
  const timeout = timeoutSignal(timeoutMs)
  const answer = await fetchResponse(options, path, query, signal, {
    ...{ method: body ? 'POST' : 'GET', headers },
    signal: anySignal([signal, timeout]),
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await fetchOrError(options, signal, () => readText(answer, path))
  if (!answer.ok) throw toHttpError(answer, text)
  const json = parseOrUndefined(text)
  if (typeof json !== 'object' || json === null)
    throw new ClientError('BAD_ANSWER', `${path} answered with no JSON object`)
  return json as T
}

/** Sends a request. A redirect is an error, because another host would then see and answer the request. */
export function fetchResponse(
  options: HttpOptions,
  path: string,
  query: Parameters,
  signal: AbortSignal | undefined,
  init: RequestInit,
): Promise<Response> {
  const { fetch = globalThis.fetch } = options
  const url = urlOf(options, path, query)
  return fetchOrError(options, signal, async () => {
    const answer = await fetch(url, { ...init, redirect: 'error' })
    // A `fetch` function of the caller may ignore `redirect: 'error'`.
    if (answer.redirected || (answer.status >= 300 && answer.status < 400))
      throw new ClientError('BAD_ANSWER', `${path} redirects to another address`, { status: answer.status })
    return answer
  })
}

/**
 * Runs `act`.
 *
 * @throws ClientError `ABORTED` if the signal is aborted, `NETWORK` if `act` throws anything but a ClientError
 */
async function fetchOrError<T>(
  { baseUrl }: HttpOptions,
  signal: AbortSignal | undefined,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act()
  } catch (cause) {
    if (signal?.aborted) throw abortError(signal)
    if (cause instanceof ClientError) throw cause
    throw new ClientError('NETWORK', `${baseUrl} was not reached: ${messageOf(cause)}`, {}, { cause })
  }
}

/**
 * Returns a signal that aborts after the time. Works without `AbortSignal.timeout`, which React Native and old browsers
 * lack.
 */
function timeoutSignal(ms: number): AbortSignal {
  const timeoutMs = Math.min(ms, MAX_TIMEOUT_MS)
  if (typeof AbortSignal.timeout === 'function') return AbortSignal.timeout(timeoutMs)
  const controller = new AbortController()
  setTimeout(() => controller.abort(new Error(`timeout of ${timeoutMs} ms`)), timeoutMs)
  return controller.signal
}

/**
 * Returns a signal that aborts as soon as one of the signals does. Needed because Node.js 18 lacks `AbortSignal.any`.
 */
export function anySignal(signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  const signalsToFollow = signals.filter((signal) => signal !== undefined)
  if (typeof AbortSignal.any === 'function') return AbortSignal.any(signalsToFollow)
  const controller = new AbortController()
  for (const signal of signalsToFollow) {
    const abort = () => controller.abort(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true, signal: controller.signal })
  }
  return controller.signal
}

/** Reads the whole response. @throws ClientError `BAD_ANSWER` as soon as it exceeds `MAX_ANSWER_BYTES` */
async function readText(response: Response, path: string): Promise<string> {
  const { body } = response
  const tooLargeError = () => new ClientError('BAD_ANSWER', `${path} answered with more than ${MAX_ANSWER_BYTES} bytes`)
  // The responses of React Native have no body, and those of node-fetch have another kind of stream.
  if (typeof body?.getReader !== 'function') {
    const text = body === null ? '' : await response.text()
    if (text.length > MAX_ANSWER_BYTES) throw tooLargeError()
    return text
  }
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const bodyChunks: string[] = []
  let bytes = 0
  for (let readResult = await reader.read(); !readResult.done; readResult = await reader.read()) {
    bytes += readResult.value.length
    if (bytes > MAX_ANSWER_BYTES) {
      reader.cancel().catch(() => undefined)
      throw tooLargeError()
    }
    bodyChunks.push(decoder.decode(readResult.value, { stream: true }))
  }
  return bodyChunks.join('') + decoder.decode()
}

/** Builds the URL of a request. @throws ClientError `INVALID` if `baseUrl` is not a URL */
function urlOf({ baseUrl }: HttpOptions, path: string, query: Parameters): URL {
  try {
    const page = (globalThis as { readonly location?: { readonly href: string } }).location?.href
    const url = new URL(`${baseUrl.replace(/\/+$/, '')}${path}`, page)
    for (const [name, value] of Object.entries(toTextParameters(query))) url.searchParams.set(name, value)
    return url
  } catch (cause) {
    throw toClientError(cause, 'INVALID', `baseUrl ${String(baseUrl).slice(0, 200)}: `)
  }
}

/**
 * Encodes parameters as text: numbers and amounts as decimals, lists as comma-separated text. Drops undefined values.
 */
export function toTextParameters(parameters: Parameters): Record<string, string> {
  const entries = Object.entries(parameters).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'number' ? formatNumber(value) : String(value)]),
  )
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Converts an HTTP error response to a ClientError. @param text - body of the response */
export function toHttpError(response: Response, text: string): ClientError {
  const json = parseOrUndefined(text)
  const body = typeof json === 'object' ? (json as Record<string, unknown> | null) : null
  const { status } = response
  const plainText = response.headers.get('content-type')?.startsWith('text/plain')
    ? text.slice(0, 500)
    : response.statusText
  const message = typeof body?.error === 'string' ? body.error.slice(0, 2_000) : plainText || `status ${status}`
  const retryAfter = secondsOf(response.headers.get('retry-after') ?? '')
  return new ClientError(status === 422 ? 'NO_ROUTE' : 'HTTP', message, {
    status,
    ...(typeof body?.code === 'string' && { serviceCode: body.code }),
    ...(typeof body?.requestId === 'string' && { requestId: body.requestId }),
    ...(retryAfter > 0 && { retryAfter }),
    ...(body && { body }),
  })
}

/**
 * Parses a `Retry-After` header, which has seconds, or a date if a gateway sent it. Returns seconds, or NaN if it is
 * neither.
 */
function secondsOf(retryAfter: string): number {
  // `Date.parse` reads a number as a year.
  return /[a-z]/i.test(retryAfter) ? Math.ceil((Date.parse(retryAfter) - Date.now()) / 1_000) : Number(retryAfter)
}
