/** What stands before every endpoint: open CORS and the limit on the request target. */
import type { RequestHandler } from 'express'
import { ApiError } from '../errors.ts'

/** Bytes of path and query together. */
export const MAX_TARGET_BYTES = 16_384

export const targetLimit: RequestHandler = (request, _response, next) => {
  if (request.originalUrl.length > MAX_TARGET_BYTES)
    throw new ApiError(
      'TARGET_TOO_LONG',
      `path and query must be at most ${MAX_TARGET_BYTES} bytes; use POST for large calldata`,
    )
  next()
}

/** Any page may call, without credentials. */
export const openCors: RequestHandler = (request, response, next) => {
  response.setHeader('Access-Control-Allow-Origin', '*')
  response.setHeader('Access-Control-Expose-Headers', 'X-Request-Id, Retry-After, Server-Timing')
  if (request.method !== 'OPTIONS') return next()
  response.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, POST, OPTIONS')
  response.setHeader('Access-Control-Allow-Headers', 'Content-Type, X-Request-Id, X-Fee-Exempt-Key')
  response.setHeader('Access-Control-Max-Age', '86400')
  response.status(204).end()
}
