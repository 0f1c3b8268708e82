import type { Request } from 'express'
import { ApiError } from '../errors.ts'

/** The JSON object that was sent. @throws ApiError `INVALID_BODY` for anything else */
export function bodyOf(request: Request): object {
  const body: unknown = request.body
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ApiError('INVALID_BODY', 'the body must be a JSON object with content-type application/json')
  return body
}
