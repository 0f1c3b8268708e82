/**
 * Headers of responses. `fixedHeaders` computes headers with helmet, once for all responses of a kind. As Express
 * middleware, helmet would compute them again for every response, which costs measurable time under overload. Headers
 * of preflight responses depend on the request.
 */
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import helmet, { type HelmetOptions } from 'helmet'

/** Headers in the form that `writeHead` takes: names and values alternate. */
type HeaderList = readonly string[]
/** Headers that are the same in all responses of a kind. */
export type FixedHeaders = HeaderList

/** CORS headers: any web page may send requests without credentials, and read every documented header. */
const openCors: FixedHeaders = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Link, Server-Timing, ETag, Allow',
]

/** Headers of refusals under overload. They are few, because each header costs time. */
export const minimalHeaders: FixedHeaders = ['X-Content-Type-Options', 'nosniff', ...openCors]

/** Matches comma-separated header names. */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~, -]+$/

/**
 * Returns the CORS headers of a preflight response. They allow every requested header, because tools for tracing and
 * error reporting add headers to a page's requests. A wildcard would not cover `Authorization`.
 */
export function preflightHeaders({ headers }: IncomingMessage): HeaderList {
  const requestedHeaders = headers['access-control-request-headers']
  const allowedHeaders =
    requestedHeaders !== undefined && HEADER_NAMES.test(requestedHeaders)
      ? requestedHeaders
      : 'Content-Type, X-Request-Id, X-Fee-Exempt-Key'
  return [
    ...['Access-Control-Allow-Methods', 'GET, HEAD, POST, OPTIONS', 'Access-Control-Allow-Headers', allowedHeaders],
    ...['Access-Control-Max-Age', '86400', 'Vary', 'Access-Control-Request-Headers'],
  ]
}

/** Returns the headers of helmet, and the CORS headers. */
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
