import { ClientError } from './errors.ts'

export type HttpOptions = {
  readonly baseUrl: string
  /** Names the integration; browsers set it on their own. */
  readonly referer?: string
  /** For one request. */
  readonly timeoutMs?: number
  readonly fetch?: typeof globalThis.fetch
}

export type Parameters = Readonly<Record<string, string | number | bigint | readonly string[] | undefined>>

/** One request and its answer as JSON; failures of both versions of the interface become ClientErrors. */
export async function request<T>(options: HttpOptions, path: string, query: Parameters, body?: Parameters): Promise<T> {
  const { baseUrl, referer, timeoutMs = 15_000, fetch = globalThis.fetch } = options
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}${path}`)
  for (const [name, value] of Object.entries(textual(query))) url.searchParams.set(name, value)
  const headers = { ...(body && { 'content-type': 'application/json' }), ...(referer && { referer }) }
  let response: Response
  let text: string
  try {
    response = await fetch(url, {
      method: body ? 'POST' : 'GET',
      headers,
      signal: AbortSignal.timeout(timeoutMs),
      ...(body && { body: JSON.stringify(textual(body)) }),
    })
    text = await response.text()
  } catch (cause) {
    throw new ClientError('NETWORK', `${baseUrl} was not reached: ${(cause as Error).message}`, {}, { cause })
  }
  const json = parse(text)
  if (!response.ok) throw failure(response, text, json)
  if (typeof json !== 'object' || json === null)
    throw new ClientError('BAD_ANSWER', `${path} answered with no JSON object`)
  return json as T
}

function textual(parameters: Parameters): Record<string, string> {
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

function failure(response: Response, text: string, json: unknown): ClientError {
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
