/** How errors look on the wire, in both versions of the interface. */
import type { Response } from 'express'
import type { ApiError } from '../errors.ts'
import { contextOf } from './context.ts'

export type ErrorVersion = 'A' | 'B'

const notFoundPage = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>404 Not Found</title></head>
<body><h1>404 Not Found</h1></body>
</html>
`

/** Version A answers text, and a page for 404; version B answers JSON. */
export function sendError(response: Response, error: ApiError, version: ErrorVersion): void {
  const context = contextOf(response)
  context.errorCode = error.code
  // Version A has no other place for it.
  const message = error.code === 'INTERNAL' ? `${error.message} ${context.id}` : error.message
  response.status(error.status)
  response.setHeader('Cache-Control', 'no-store')
  if (error.retryAfter !== undefined) response.setHeader('Retry-After', String(error.retryAfter))
  if (version === 'B') {
    const { code, details } = error
    response.json({ error: message, code, requestId: context.id, ...details })
  } else if (error.status === 404) {
    response.type('text/html').send(notFoundPage)
  } else {
    response.type('text/plain').send(message)
  }
}
