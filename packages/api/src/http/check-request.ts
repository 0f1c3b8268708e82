/** Middleware of all endpoints: limits the URL's length, requires a Host header, and answers CORS preflights. */
import type { RequestHandler } from 'express'
import { ApiError } from '../errors.ts'
import { preflightHeaders } from './headers.ts'
import { replyEmpty } from './reply.ts'

/** Maximum length of path and query. */
const MAX_TARGET_BYTES = 16_384

/** Checks a request before routing. @throws ApiError `TARGET_TOO_LONG` or `MALFORMED_REQUEST` */
export const checkRequest: RequestHandler = (request, response, next) => {
  if (request.originalUrl.length > MAX_TARGET_BYTES)
    throw new ApiError(
      'TARGET_TOO_LONG',
      `path and query must be at most ${MAX_TARGET_BYTES} bytes; use POST for large calldata`,
    )
  if (!request.headers.host && request.httpVersion === '1.1')
    throw new ApiError('MALFORMED_REQUEST', 'a Host header must be sent')
  if (request.method === 'OPTIONS') replyEmpty(response, preflightHeaders(request))
  else next()
}
