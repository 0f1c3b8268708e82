/** Answers malformed HTTP requests with an error body. By default, Node.js would send only a status line. */
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ApiErrorCode } from '../error-table.ts'
import { ApiError } from '../errors.ts'
import type { Metrics } from '../metrics.ts'
import { type ErrorVersion, errorReply, rawReply } from './reply.ts'

const errorByNodeCode: Readonly<Record<string, readonly [code: ApiErrorCode, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['HEADERS_TOO_LARGE', 'the headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['REQUEST_TIMEOUT', 'the request did not arrive in time'],
}
const defaultError = ['MALFORMED_REQUEST', 'this is not a valid HTTP/1.1 request'] as const

/** Returns a handler for the `clientError` event of a server. */
export function answerMalformed(version: ErrorVersion, metrics: Metrics) {
  return (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (!socket.writable || error.code === 'ECONNRESET' || hasResponseBegun(socket)) return void socket.destroy()
    const [code, message] = errorByNodeCode[error.code ?? ''] ?? defaultError
    const refusal = new ApiError(code, message)
    metrics.requests.inc({ endpoint: 'other', status: refusal.status, code })
    const requestId = randomUUID()
    socket.end(rawReply(requestId, errorReply(refusal, requestId, version)))
  }
}

/** Returns true if a part of a response was sent: another reply would become a part of its body. */
function hasResponseBegun(socket: Duplex): boolean {
  // Node.js's own handler of the event reads this property, too. The public API does not have it.
  const { _httpMessage: response } = socket as { readonly _httpMessage?: ServerResponse | null }
  return response?.headersSent ?? false
}
