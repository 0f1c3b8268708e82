/** Answers on the wire: whole, in one write. */
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Request, Response } from 'express'
import { Registry } from 'prom-client'
import { type ApiError, docsOf, errorFields, type RatePolicy } from '../errors.ts'
import { compressOnce, MIN_COMPRESSED_BYTES, varyingHeaders } from './compress.ts'
import { contextOf, type RequestContext } from './context.ts'
import { type FixedHeaders, fixedHeaders, leastHeaders } from './headers.ts'
import { hasTag, tagOf, weakTag } from './tags.ts'

export type ErrorVersion = 'A' | 'B'

const types = {
  json: 'application/json; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  metrics: Registry.PROMETHEUS_CONTENT_TYPE,
} as const

type ReplyHead = {
  /** 200 when absent. */
  readonly status?: number
  readonly type: keyof typeof types
  /** Name, value, name, value. */
  readonly headers?: readonly string[]
  /** In the place of those that every answer has. */
  readonly fixed?: FixedHeaders
}
export type Reply = ReplyHead & { readonly body: string }

const everywhere = fixedHeaders()
const noStore = ['Cache-Control', 'no-store']

export function reply(response: Response, answer: Reply): void {
  const { status = 200, type, body, headers = [], fixed = everywhere } = answer
  const bytes = Buffer.byteLength(body)
  const compressed = bytes < MIN_COMPRESSED_BYTES ? undefined : compressOnce(response.req, body)
  if (compressed) {
    if (!(compressed instanceof Promise)) replyCompressed(response, answer, compressed)
    // Compression fails only when memory runs out.
    else compressed.then((done) => replyCompressed(response, answer, done)).catch(() => response.destroy())
    return
  }
  const vary = bytes < MIN_COMPRESSED_BYTES ? [] : varyingHeaders
  response.writeHead(status, [...headersOf(contextOf(response).id, type, bytes, fixed), ...vary, ...headers])
  // ASCII is the same in both; this way Node copies it without looking at each character.
  response.end(body, bytes === body.length ? 'latin1' : 'utf8')
}

function replyCompressed(response: Response, answer: Reply, bytes: Buffer): void {
  const { headers = [] } = answer
  const weak = headers.map((value, k) => (k % 2 === 1 && headers[k - 1] === 'ETag' ? weakTag(value) : value))
  replyBytes(response, { ...answer, bytes, headers: [...varyingHeaders, 'Content-Encoding', 'gzip', ...weak] })
}

/** Sends bytes in the encoding that their headers name. */
export function replyBytes(response: Response, answer: ReplyHead & { readonly bytes: Buffer }): void {
  const { status = 200, type, bytes, headers = [], fixed } = answer
  response.writeHead(status, [...headersOf(contextOf(response).id, type, bytes.length, fixed), ...headers])
  response.end(bytes)
}

export function replyEmpty(response: ServerResponse, headers: readonly string[]): void {
  response.writeHead(204, [...everywhere, 'X-Request-Id', contextOf(response).id, ...headers])
  response.end()
}

/**
 * Events follow, each to be sent at once: no proxy is to keep or change them.
 *
 * @param more - headers
 */
export function beginStream(response: ServerResponse, more: readonly string[]): void {
  const id = contextOf(response).id
  const type = ['Content-Type', 'text/event-stream; charset=utf-8', 'X-Accel-Buffering', 'no']
  response.writeHead(200, [
    ...everywhere,
    'X-Request-Id',
    id,
    ...type,
    'Cache-Control',
    'no-store, no-transform',
    ...more,
  ])
  response.flushHeaders()
}

/** Sends what was worked out for a caller, and how long that took. */
export function replyJson(response: Response, context: RequestContext, body: string): void {
  reply(response, { type: 'json', body, headers: [...timingOf(context), ...noStore] })
}

/** Time by stage; and that the request had to wait for its turn, since its caller or all together had more under way than goes at once. */
function timingOf({ stages, isSlowed }: RequestContext): readonly string[] {
  const timing = ['Server-Timing', [...stages].map(([stage, ms]) => `${stage};dur=${ms.toFixed(1)}`).join(', ')]
  return isSlowed ? [...timing, 'RateLimit', rateLimit('share', 0, 1)] : timing
}

/** The same, for callers who ask again and again: one whose copy still holds gets no body. */
export function replyTagged(request: Request, response: Response, context: RequestContext, body: string): void {
  const tag = tagOf(body)
  const headers = ['ETag', tag, 'Cache-Control', 'no-cache']
  if (hasTag(request, tag)) {
    response.writeHead(304, [...everywhere, 'X-Request-Id', context.id, ...headers])
    response.end()
  } else reply(response, { type: 'json', body, headers: [...timingOf(context), ...headers] })
}

const notFoundPage = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>404 Not Found</title></head>
<body><h1>404 Not Found</h1></body>
</html>
`

/** Version A answers text, and a page for 404; version B answers JSON. */
export function errorReply(error: ApiError, requestId: string, version: ErrorVersion): Reply {
  const { status, code, retryAfter, policy } = error
  const headers = [...noStore, ...(retryAfter === undefined ? [] : ['Retry-After', String(retryAfter)])]
  headers.push('Link', `<${docsOf(code)}>; rel="help"`)
  if (policy) headers.push('RateLimit', rateLimit(policy, 0, retryAfter))
  // Version A has no other place for it.
  const message = code === 'INTERNAL' ? `${error.message} ${requestId}` : error.message
  if (version === 'B')
    return { status, type: 'json', body: JSON.stringify({ ...errorFields(error), error: message, requestId }), headers }
  if (status === 404) return { status, type: 'html', body: notFoundPage, headers }
  return { status, type: 'text', body: message, headers }
}

/**
 * As draft-ietf-httpapi-ratelimit-headers has it.
 *
 * @param left - of the caller's share
 * @param seconds - until there is more of it
 */
export function rateLimit(policy: RatePolicy, left: number, seconds?: number): string {
  return `"${policy}";r=${left}${seconds === undefined ? '' : `;t=${seconds}`}`
}

export function replyError(
  response: Response,
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
  const all = [...headersOf(requestId, type, Buffer.byteLength(body)), ...headers, 'Connection', 'close']
  const lines = all.flatMap((name, k) => (k % 2 === 0 ? [`${name}: ${all[k + 1]}`] : []))
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}

/** Headers of an answer that is sent when every header counts. */
export function sparseHeaders(requestId: string, type: Reply['type'], body: string): readonly string[] {
  return headersOf(requestId, type, Buffer.byteLength(body), leastHeaders)
}

function headersOf(requestId: string, type: Reply['type'], bytes: number, fixed = everywhere): readonly string[] {
  return [...fixed, 'X-Request-Id', requestId, 'Content-Type', types[type], 'Content-Length', String(bytes)]
}
