/**
 * Headers that are the same on every answer, worked out once by helmet, as `writeHead` takes them: name, value, name, value.
 * As middleware of Express they would be made for every refusal anew, which the overload benchmark shows.
 */
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import helmet, { type HelmetOptions } from 'helmet'

export type FixedHeaders = readonly string[]

/** Any page may call without credentials, and read every header that the documentation names. */
const openCors: FixedHeaders = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Link, Server-Timing, ETag, Allow',
]

/** Headers of an answer that is nothing but an error, and is sent when every header counts. */
export const leastHeaders: FixedHeaders = ['X-Content-Type-Options', 'nosniff', ...openCors]

/** Comma-separated header names. */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~, -]+$/

/**
 * Returns the CORS headers of a preflight response, which allow every requested header: tracing and error reporting add their own
 * to each call of a page. A wildcard would not cover `Authorization`.
 */
export function preflightHeaders({ headers }: IncomingMessage): FixedHeaders {
  const requested = headers['access-control-request-headers']
  const allowed =
    requested !== undefined && HEADER_NAMES.test(requested) ? requested : 'Content-Type, X-Request-Id, X-Fee-Exempt-Key'
  return [
    ...['Access-Control-Allow-Methods', 'GET, HEAD, POST, OPTIONS', 'Access-Control-Allow-Headers', allowed],
    ...['Access-Control-Max-Age', '86400', 'Vary', 'Access-Control-Request-Headers'],
  ]
}

/** Headers that helmet puts on an answer, and open CORS. */
export function fixedHeaders(contentSecurityPolicy?: HelmetOptions['contentSecurityPolicy']): FixedHeaders {
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  const crossOriginResourcePolicy = { policy: 'cross-origin' } as const
  helmet({ crossOriginResourcePolicy, ...(contentSecurityPolicy && { contentSecurityPolicy }) })(
    request,
    response,
    () => {},
  )
  const names = response.getHeaderNames()
  return [...names.flatMap((name) => [name, String(response.getHeader(name))]), ...openCors]
}
