/**
 * POSTs JSON over a pooled connection. Every quote waits for such requests. So this uses undici's dispatcher, which
 * takes half the CPU time of `node:http`.
 */
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib'
import { basicAuthorization } from '@sluice/chains'
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
/** Timeout of an HTTP request. Callers have shorter timeouts of their own. */
const FINAL_TIMEOUT_MS = 60_000
/** Maximum bytes of the headers of a response; some gateways send long cookies and policies. */
const MAX_HEADER_BYTES = 65_536
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
      maxHeaderSize: MAX_HEADER_BYTES,
    })
    pools.set(origin, pool)
  }
  return pool
}

type DecodeOptions = { readonly maxOutputLength: number }
type Decode = (bytes: Buffer, options: DecodeOptions) => Promise<Buffer>

/**
 * Decoders by content coding. A request without `Accept-Encoding` permits any coding, and some gateways compress in
 * any case.
 *
 * @see RFC 9110, 8.4.1 and 12.5.3
 */
const decoders: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
  ['zstd', promisify(zstdDecompress)],
])

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
  const { origin, pathname, search, protocol } = url
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  // For a local node, compression would take more time than it saves.
  if (protocol === 'https:') headers['accept-encoding'] = 'gzip'
  const authorization = basicAuthorization(url)
  if (authorization) headers.authorization = authorization
  const options = { path: pathname + search, method: 'POST', headers, body } as const
  const pool = poolOf(origin)
  for (let attempt = 0; ; attempt++) {
    try {
      const { status, coding, bytes, retryAfter } = await pool.send(
        (client) => dispatch(client, options, signal),
        signal,
        // A retry uses a new connection, because other idle connections were probably closed too.
        newConnection || attempt > 0,
      )
      const text = await decode(bytes, coding).catch((error: unknown) => {
        // An error needs only its status. Its body is often empty although the headers name an encoding.
        if (status >= 400) return ''
        throw error
      })
      return { status, text, ...(retryAfter !== undefined && { retryAfter }) }
    } catch (error) {
      // The server may close an idle connection at the moment it is reused, so retry once.
      if (attempt > 0 || !isConnectionClosed(error)) throw error
    }
  }
}

/** Decodes a body to text, without a byte order mark. */
async function decode(bytes: Buffer, coding: string): Promise<string> {
  const decoder = decoders.get(coding)
  const text = (decoder ? await decoder(bytes, { maxOutputLength: MAX_ANSWER_BYTES }) : bytes).toString()
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

function isConnectionClosed(error: unknown): boolean {
  return error instanceof errors.SocketError || (error as NodeJS.ErrnoException).code === 'ECONNRESET'
}

type RawResponse = {
  readonly status: number
  /** Content coding in lower case; empty if there is none. */
  readonly coding: string
  readonly bytes: Buffer
  readonly retryAfter: string | undefined
}

/**
 * Dispatches a request and collects its response. Does not use undici's `request`, whose stream takes as much CPU time
 * as the rest of the request.
 */
function dispatch(client: Dispatcher, options: Dispatcher.DispatchOptions, signal?: Signal): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let status = 0
    let coding = ''
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
        coding = headers['content-encoding']?.toString().toLowerCase() ?? ''
        retryAfter = headers['retry-after']?.toString()
      },
      onResponseData: (_controller, chunk) => void chunks.push(chunk),
      onResponseEnd: () =>
        finish(() =>
          resolve({
            status,
            coding,
            retryAfter,
            bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks),
          }),
        ),
      onResponseError: (_controller, error) => finish(() => reject(error)),
    })
  })
}
