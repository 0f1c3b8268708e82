/** How answers look on the wire: whole, in one write. */
import { type ServerResponse, STATUS_CODES } from 'node:http'
import { Registry } from 'prom-client'
import type { ApiError } from '../errors.ts'
import { contextOf, type RequestContext } from './context.ts'
import { type FixedHeaders, fixedHeaders, leastHeaders } from './headers.ts'

export type ErrorVersion = 'A' | 'B'

const types = {
  json: 'application/json; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  metrics: Registry.PROMETHEUS_CONTENT_TYPE,
} as const

export type Reply = {
  /** 200 when absent. */
  readonly status?: number
  readonly type: keyof typeof types
  readonly body: string
  /** Name, value, name, value. */
  readonly headers?: readonly string[]
  /** In the place of those that every answer has. */
  readonly fixed?: FixedHeaders
}

const everywhere = fixedHeaders()
const noStore = ['Cache-Control', 'no-store']

export function reply(
  response: ServerResponse,
  { status = 200, type, body, headers = [], fixed = everywhere }: Reply,
): void {
  response.writeHead(status, [...headersOf(contextOf(response).id, type, body, fixed), ...headers])
  response.end(body)
}

export function replyEmpty(response: ServerResponse, headers: readonly string[]): void {
  response.writeHead(204, [...everywhere, 'X-Request-Id', contextOf(response).id, ...headers])
  response.end()
}

/** What was worked out for a caller, and how long that took. */
export function replyJson(response: ServerResponse, context: RequestContext, body: string): void {
  const timing = [...context.stages].map(([stage, ms]) => `${stage};dur=${ms.toFixed(1)}`).join(', ')
  reply(response, { type: 'json', body, headers: ['Server-Timing', timing, ...noStore] })
}

const notFoundPage = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>404 Not Found</title></head>
<body><h1>404 Not Found</h1></body>
</html>
`

/** Version A answers text, and a page for 404; version B answers JSON. */
export function errorReply(error: ApiError, requestId: string, version: ErrorVersion): Reply {
  const { status, code, details, retryAfter } = error
  const headers = [...noStore, ...(retryAfter === undefined ? [] : ['Retry-After', String(retryAfter)])]
  // As draft-ietf-httpapi-ratelimit-headers has it: nothing remains of the caller's share for so many seconds.
  if (code === 'OVERLOADED') headers.push('RateLimit', `"share";r=0;t=${retryAfter}`)
  // Version A has no other place for it.
  const message = code === 'INTERNAL' ? `${error.message} ${requestId}` : error.message
  if (version === 'B')
    return { status, type: 'json', body: JSON.stringify({ error: message, code, requestId, ...details }), headers }
  if (status === 404) return { status, type: 'html', body: notFoundPage, headers }
  return { status, type: 'text', body: message, headers }
}

export function replyError(
  response: ServerResponse,
  error: ApiError,
  version: ErrorVersion,
  more: readonly string[] = [],
): void {
  const context = contextOf(response)
  context.errorCode = error.code
  const { headers = [], ...rest } = errorReply(error, context.id, version)
  reply(response, { ...rest, headers: [...headers, ...more] })
}

/** The same as `reply`, in bytes, for what came before there was a request to answer. */
export function rawReply(requestId: string, { status = 200, type, body, headers = [] }: Reply): string {
  const all = [...headersOf(requestId, type, body), ...headers, 'Connection', 'close']
  const lines = all.flatMap((name, k) => (k % 2 === 0 ? [`${name}: ${all[k + 1]}`] : []))
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}

/** Of an answer that is sent when every header counts. */
export function sparseHeaders(requestId: string, type: Reply['type'], body: string): readonly string[] {
  return headersOf(requestId, type, body, leastHeaders)
}

function headersOf(requestId: string, type: Reply['type'], body: string, fixed = everywhere): readonly string[] {
  const length = String(Buffer.byteLength(body))
  return [...fixed, 'X-Request-Id', requestId, 'Content-Type', types[type], 'Content-Length', length]
}
