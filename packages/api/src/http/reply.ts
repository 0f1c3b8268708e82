/** Writes responses: JSON, text, errors, and the start of event streams. */
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Request, Response } from 'express'
import { Registry } from 'prom-client'
import { type ApiError, docsOf, errorFields, type RatePolicy } from '../errors.ts'
import { compressesFor, gzipForOneResponse, varyHeader, varyOf } from './compress.ts'
import { contextOf, type RequestContext } from './context.ts'
import { type FixedHeaders, fixedHeaders, minimalHeaders } from './headers.ts'
import { hasTag, tagOf, weakTag } from './tags.ts'

/** Format of error bodies: A is plain text, B is JSON. */
export type ErrorVersion = 'A' | 'B'

const contentTypes = {
  json: 'application/json; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  metrics: Registry.PROMETHEUS_CONTENT_TYPE,
} as const

type ReplyHead = {
  /** Default: 200. */
  readonly status?: number
  readonly type: keyof typeof contentTypes
  /** Additional headers: names and values alternate. */
  readonly headers?: readonly string[]
  /** Headers of the kind of response, from `fixedHeaders`; default: `defaultFixedHeaders`. */
  readonly constantHeaders?: FixedHeaders
}
/** A complete response. */
export type HttpReply = ReplyHead & { readonly body: string }

const defaultFixedHeaders = fixedHeaders()
export const noStoreHeaders = ['Cache-Control', 'no-store'] as const

/** Sends a response. Compresses larger bodies if the client accepts gzip. */
export function reply(response: Response, answer: HttpReply): void {
  const { status = 200, type, body, headers = [], constantHeaders = defaultFixedHeaders } = answer
  const bytes = Buffer.byteLength(body)
  if (compressesFor(response.req, bytes)) {
    const compressed = gzipForOneResponse(body)
    if (!(compressed instanceof Promise)) replyCompressed(response, answer, compressed)
    // Compression fails only if memory runs out.
    else
      compressed
        .then((compressedBody) => replyCompressed(response, answer, compressedBody))
        .catch(() => response.destroy())
    return
  }
  response.writeHead(status, [
    ...headersOf(contextOf(response).id, type, bytes, constantHeaders),
    ...varyOf(bytes),
    ...headers,
  ])
  // If the body is ASCII, both encodings have the same bytes. Node writes latin1 faster, because it copies the
  // characters.
  response.end(body, bytes === body.length ? 'latin1' : 'utf8')
}

function replyCompressed(response: Response, answer: HttpReply, bytes: Buffer): void {
  const { headers = [] } = answer
  const encoding = [...varyHeader, 'Content-Encoding', 'gzip']
  replyBytes(response, { ...answer, bytes, headers: [...encoding, ...withWeakTag(headers)] })
}

/** Replaces the value of the `ETag` header by its weak form. @param headers - names and values alternate */
const withWeakTag = (headers: readonly string[]): readonly string[] =>
  headers.map((value, k) => (k % 2 === 1 && headers[k - 1] === 'ETag' ? weakTag(value) : value))

/** Sends bytes that are already in the encoding that their `Content-Encoding` header names. */
export function replyBytes(response: Response, answer: ReplyHead & { readonly bytes: Buffer }): void {
  const { status = 200, type, bytes, headers = [], constantHeaders } = answer
  response.writeHead(status, [...headersOf(contextOf(response).id, type, bytes.length, constantHeaders), ...headers])
  response.end(bytes)
}

/** Sends 204 without a body. */
export function replyEmpty(response: ServerResponse, headers: readonly string[]): void {
  response.writeHead(204, [...defaultFixedHeaders, 'X-Request-Id', contextOf(response).id, ...headers])
  response.end()
}

/**
 * Sends the headers of an event stream, which disable buffering and transformation by proxies.
 *
 * @param extraHeaders - names and values alternate
 */
export function beginStream(response: ServerResponse, extraHeaders: readonly string[]): void {
  const id = contextOf(response).id
  const type = ['Content-Type', 'text/event-stream; charset=utf-8', 'X-Accel-Buffering', 'no']
  response.writeHead(200, [
    ...defaultFixedHeaders,
    'X-Request-Id',
    id,
    ...type,
    'Cache-Control',
    'no-store, no-transform',
    ...extraHeaders,
  ])
  response.flushHeaders()
}

/** Sends a JSON body that must not be cached, with the request's `Server-Timing`. */
export function replyJson(response: Response, context: RequestContext, body: string): void {
  reply(response, { type: 'json', body, headers: [...timingOf(context), ...noStoreHeaders] })
}

/** Returns `Server-Timing` with the stages, and `RateLimit` if the request waited in the admission queue. */
function timingOf({ stages, hasQueued }: RequestContext): readonly string[] {
  const timing = ['Server-Timing', [...stages].map(([stage, ms]) => `${stage};dur=${ms.toFixed(1)}`).join(', ')]
  return hasQueued ? [...timing, 'RateLimit', rateLimit('share', 0, 1)] : timing
}

/** Like `replyJson`, with an entity tag: sends 304 without a body if the client has the current body. */
export function replyTagged(request: Request, response: Response, context: RequestContext, body: string): void {
  const tag = tagOf(body)
  const headers = ['ETag', tag, 'Cache-Control', 'no-cache']
  if (hasTag(request, tag)) {
    const tagHeaders = ['X-Request-Id', context.id, ...headers]
    // Caches need the headers `ETag` and `Vary` of a 304 to find the stored response.
    const bytes = Buffer.byteLength(body)
    const sentHeaders = compressesFor(request, bytes) ? withWeakTag(tagHeaders) : tagHeaders
    response.writeHead(304, [...defaultFixedHeaders, ...varyOf(bytes), ...sentHeaders])
    response.end()
  } else reply(response, { type: 'json', body, headers: [...timingOf(context), ...headers] })
}

const notFoundPage = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>404 Not Found</title></head>
<body><h1>404 Not Found</h1></body>
</html>
`

/** Creates an error response. Version A has plain text, and HTML for 404; version B has JSON. */
export function errorReply(error: ApiError, requestId: string, version: ErrorVersion): HttpReply {
  const { status, code, retryAfter, policy } = error
  const headers = [...noStoreHeaders, ...(retryAfter === undefined ? [] : ['Retry-After', String(retryAfter)])]
  headers.push('Link', `<${docsOf(code)}>; rel="help"`)
  if (policy) headers.push('RateLimit', rateLimit(policy, 0, retryAfter))
  // Version A has no field for the request id, so the message contains it.
  const message = code === 'INTERNAL' ? `${error.message} ${requestId}` : error.message
  if (version === 'B')
    return { status, type: 'json', body: JSON.stringify({ ...errorFields(error), error: message, requestId }), headers }
  if (status === 404) return { status, type: 'html', body: notFoundPage, headers }
  return { status, type: 'text', body: message, headers }
}

/**
 * Formats a `RateLimit` header.
 *
 * @see draft-ietf-httpapi-ratelimit-headers
 * @param remaining - remaining quota
 * @param seconds - seconds until the quota is full again
 */
export function rateLimit(policy: RatePolicy, remaining: number, seconds?: number): string {
  return `"${policy}";r=${remaining}${seconds === undefined ? '' : `;t=${seconds}`}`
}

/** Sends an error and records its code for metrics and log. */
export function replyError(
  response: Response,
  error: ApiError,
  version: ErrorVersion,
  extraHeaders: readonly string[] = [],
): void {
  const context = contextOf(response)
  context.errorCode = error.code
  const { headers = [], ...replyFields } = errorReply(error, context.id, version)
  reply(response, { ...replyFields, headers: [...headers, ...extraHeaders] })
}

/** Formats a response as raw HTTP, for sockets without a parsed request. */
export function rawReply(requestId: string, { status = 200, type, body, headers = [] }: HttpReply): string {
  const allHeaders = [...headersOf(requestId, type, Buffer.byteLength(body)), ...headers, 'Connection', 'close']
  const lines = allHeaders.flatMap((name, k) => (k % 2 === 0 ? [`${name}: ${allHeaders[k + 1]}`] : []))
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}

/** Returns the headers of a refusal under overload: as few as possible. */
export function refusalHeaders(requestId: string, type: HttpReply['type'], body: string): readonly string[] {
  return headersOf(requestId, type, Buffer.byteLength(body), minimalHeaders)
}

function headersOf(
  requestId: string,
  type: HttpReply['type'],
  bytes: number,
  constantHeaders = defaultFixedHeaders,
): readonly string[] {
  return [
    ...constantHeaders,
    'X-Request-Id',
    requestId,
    'Content-Type',
    contentTypes[type],
    'Content-Length',
    String(bytes),
  ]
}
