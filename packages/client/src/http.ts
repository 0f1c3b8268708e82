import { ClientError } from './errors.ts'

export type HttpOptions = {
  readonly baseUrl: string
  /** Names the integration; browsers set it on their own. */
  readonly referer?: string
  /** For one request. */
  readonly timeoutMs?: number
  /** More tries of what may succeed later (`retryable`); 2 when absent, 0 for none. */
  readonly retries?: number
  readonly fetch?: typeof globalThis.fetch
}

export type Parameters = Readonly<Record<string, string | number | bigint | readonly string[] | undefined>>

/** Milliseconds before the first try again; each later one waits twice as long, or as long as the service says. */
const PAUSE_MS = 250
/** A service that wants more patience than this is better asked by somebody who knows why. */
const MOST_PAUSE_MS = 10_000

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
      if (tries >= retries || waitMs === undefined) throw error
      await pause(waitMs, asked.signal)
    }
  }
}

/** Undefined where another try is worth nothing, or not soon. */
function pauseOf(error: unknown, tries: number): number | undefined {
  if (!(error instanceof ClientError) || !error.retryable) return undefined
  const { retryAfter } = error.details
  const waitMs = retryAfter === undefined ? PAUSE_MS * 2 ** tries : retryAfter * 1_000
  return waitMs > MOST_PAUSE_MS ? undefined : waitMs
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
  const { baseUrl, referer, timeoutMs = 15_000, fetch = globalThis.fetch } = options
  const url = urlOf(options, path, query)
  const headers = { ...(body && { 'content-type': 'application/json' }), ...(referer && { referer }) }
  const timeout = AbortSignal.timeout(timeoutMs)
  let response: Response
  let text: string
  try {
    response = await fetch(url, {
      method: body ? 'POST' : 'GET',
      headers,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      ...(body && { body: JSON.stringify(body) }),
    })
    text = await response.text()
  } catch (cause) {
    if (signal?.aborted) throw aborted(signal)
    throw new ClientError('NETWORK', `${baseUrl} was not reached: ${(cause as Error).message}`, {}, { cause })
  }
  if (!response.ok) throw failure(response, text)
  const json = parse(text)
  if (typeof json !== 'object' || json === null)
    throw new ClientError('BAD_ANSWER', `${path} answered with no JSON object`)
  return json as T
}

export function urlOf({ baseUrl }: HttpOptions, path: string, query: Parameters): URL {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}${path}`)
  for (const [name, value] of Object.entries(textual(query))) url.searchParams.set(name, value)
  return url
}

/** As the interface takes values: amounts in decimals, lists between commas. */
export function textual(parameters: Parameters): Record<string, string> {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]))
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
  const message = typeof body?.error === 'string' ? body.error : plain || `status ${status}`
  const retryAfter = Number(response.headers.get('retry-after'))
  return new ClientError(status === 422 ? 'NO_ROUTE' : 'HTTP', message, {
    status,
    ...(typeof body?.code === 'string' && { serviceCode: body.code }),
    ...(typeof body?.requestId === 'string' && { requestId: body.requestId }),
    ...(retryAfter > 0 && { retryAfter }),
    ...(body && { body }),
  })
}
