/**
 * POSTs JSON over a pooled connection. Every quote waits for such requests, so undici's dispatcher is used, which costs
 * half as much as `node:http`.
 */
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { type Dispatcher, errors } from 'undici'
import { onAbort, type Signal } from './abort.ts'
import { ConnectionPool } from './connection-pool.ts'
import { HostResolver } from './host-resolver.ts'

export type HttpResponse = { readonly status: number; readonly text: string; readonly retryAfter?: string }
export type PostOptions = {
  readonly signal?: Signal
  /** True to use a new connection, because existing connections may lead to a hanging node. */
  readonly newConnection?: boolean
}

/** Maximum bytes of a response: many times the logs of a large block. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
/** Timeout of an HTTP request; callers have shorter timeouts of their own. */
const FINAL_TIMEOUT_MS = 60_000
/** Maximum origins with a connection pool. */
const MAX_ORIGINS = 4_096

const resolver = new HostResolver()
const pools = new LRUCache<string, ConnectionPool>({ max: MAX_ORIGINS })

/** Returns the connection pool of an origin, shared by all chains with an endpoint there. */
export function poolOf(origin: string): ConnectionPool {
  let pool = pools.get(origin)
  if (!pool) {
    pool = new ConnectionPool(origin, resolver, {
      headersTimeout: FINAL_TIMEOUT_MS,
      bodyTimeout: FINAL_TIMEOUT_MS,
      maxResponseSize: MAX_ANSWER_BYTES,
    })
    pools.set(origin, pool)
  }
  return pool
}

const unzip = promisify(gunzip)

/**
 * Sends a POST request. Does not follow redirects: an operator configured exactly this URL.
 *
 * @param url - http or https
 * @throws Error of the connection, or the reason of the signal
 */
export async function postJson(
  url: URL,
  body: string,
  { signal, newConnection = false }: PostOptions = {},
): Promise<HttpResponse> {
  const { origin, pathname, search, protocol, username, password } = url
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  // Compression pays off for remote nodes, not for local ones.
  if (protocol === 'https:') headers['accept-encoding'] = 'gzip'
  if (username) {
    const credentials = Buffer.from(decodeURIComponent(`${username}:${password}`)).toString('base64')
    headers.authorization = `Basic ${credentials}`
  }
  const options = { path: pathname + search, method: 'POST', headers, body } as const
  const pool = poolOf(origin)
  for (let attempt = 0; ; attempt++) {
    try {
      const { status, isZipped, bytes, retryAfter } = await pool.send(
        (client) => dispatch(client, options, signal),
        signal,
        newConnection,
      )
      const text = (isZipped ? await unzip(bytes, { maxOutputLength: MAX_ANSWER_BYTES }) : bytes).toString()
      return { status, text, ...(retryAfter !== undefined && { retryAfter }) }
    } catch (error) {
      // The server may close an idle connection at the moment it is reused, so retry once.
      if (attempt > 0 || !isClosed(error)) throw error
    }
  }
}

function isClosed(error: unknown): boolean {
  return error instanceof errors.SocketError || (error as NodeJS.ErrnoException).code === 'ECONNRESET'
}

type RawResponse = {
  readonly status: number
  readonly isZipped: boolean
  readonly bytes: Buffer
  readonly retryAfter: string | undefined
}

/**
 * Dispatches a request and collects its response, without the stream of undici's `request`, which costs as much as the
 * rest of the request.
 */
function dispatch(client: Dispatcher, options: Dispatcher.DispatchOptions, signal?: Signal): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let status = 0
    let isZipped = false
    let retryAfter: string | undefined
    let detach = () => {}
    const finish = (settle: () => void) => {
      detach()
      settle()
    }
    client.dispatch(options, {
      onRequestStart(controller) {
        detach = onAbort(signal, () => controller.abort(signal!.reason as Error))
      },
      onResponseStart(_controller, statusCode, headers) {
        status = statusCode
        isZipped = headers['content-encoding'] === 'gzip'
        retryAfter = headers['retry-after']?.toString()
      },
      onResponseData: (_controller, chunk) => void chunks.push(chunk),
      onResponseEnd: () =>
        finish(() =>
          resolve({
            status,
            isZipped: isZipped,
            retryAfter,
            bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks),
          }),
        ),
      onResponseError: (_controller, error) => finish(() => reject(error)),
    })
  })
}
