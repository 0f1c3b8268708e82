/**
 * Headers that are the same on every answer, worked out once by helmet, as `writeHead` takes them: name, value, name, value.
 * As middleware of Express they would be made for every refusal anew, which the overload benchmark shows.
 */
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import helmet, { type HelmetOptions } from 'helmet'

export type FixedHeaders = readonly string[]

/** Any page may call, without credentials. */
const openCors: FixedHeaders = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Link, Server-Timing',
]

/** Headers of an answer that is nothing but an error, and is sent when every header counts. */
export const leastHeaders: FixedHeaders = ['X-Content-Type-Options', 'nosniff', ...openCors]

export const preflightHeaders: FixedHeaders = [
  'Access-Control-Allow-Methods',
  'GET, HEAD, POST, OPTIONS',
  'Access-Control-Allow-Headers',
  'Content-Type, X-Request-Id, X-Fee-Exempt-Key',
  'Access-Control-Max-Age',
  '86400',
]

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
