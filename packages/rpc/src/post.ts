/** One POST of JSON over a kept connection. undici costs half of what `node:http` does, and every quote waits for it. */
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Agent, type Dispatcher, errors } from 'undici'
import { onAbort, type Signal } from './abort.ts'

export type Posted = { readonly status: number; readonly text: string; readonly retryAfter?: string }
export type PostOptions = {
  readonly signal?: Signal
  /** On a connection of its own, in case the kept ones lead to a node that hangs. */
  readonly fresh?: boolean
}

/** Bytes that a node may answer with: well above the logs of a large block. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
/** A request is given up at last, when all who wait for it have long done so. */
const LAST_MS = 60_000
/** A connection that is not used for that long is closed: most nodes keep it about as long. */
const KEEP_ALIVE_MS = 60_000

const limits = { headersTimeout: LAST_MS, bodyTimeout: LAST_MS, maxResponseSize: MAX_ANSWER_BYTES }
const agent = new Agent({ ...limits, keepAliveTimeout: KEEP_ALIVE_MS })
/** Its requests ask for their connections to be closed. */
const freshAgent = new Agent(limits)
const unzip = promisify(gunzip)

/**
 * Redirects are not followed: an endpoint is an address that somebody chose.
 *
 * @param url - http or https
 * @throws Error of the connection, or the abort
 */
export async function postJson(url: URL, body: string, { signal, fresh = false }: PostOptions = {}): Promise<Posted> {
  const { origin, pathname, search, protocol, username, password } = url
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  // Far nodes are worth the work of compression; the one next door is not.
  if (protocol === 'https:') headers['accept-encoding'] = 'gzip'
  if (username) {
    const credentials = Buffer.from(decodeURIComponent(`${username}:${password}`)).toString('base64')
    headers.authorization = `Basic ${credentials}`
  }
  const options = { origin, path: pathname + search, method: 'POST', headers, body, reset: fresh } as const
  for (let attempt = 0; ; attempt++) {
    try {
      const { status, zipped, bytes, retryAfter } = await dispatch(fresh ? freshAgent : agent, options, signal)
      const text = (zipped ? await unzip(bytes, { maxOutputLength: MAX_ANSWER_BYTES }) : bytes).toString()
      return { status, text, ...(retryAfter !== undefined && { retryAfter }) }
    } catch (error) {
      // The other side may close a kept connection at the very moment it is used again.
      if (!(error instanceof errors.SocketError) || attempt > 0) throw error
    }
  }
}

type Answer = {
  readonly status: number
  readonly zipped: boolean
  readonly bytes: Buffer
  readonly retryAfter: string | undefined
}

/** Without the stream that undici's `request` puts around an answer, which costs as much as the rest of the request. */
function dispatch(agent: Agent, options: Dispatcher.DispatchOptions, signal?: Signal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let status = 0
    let zipped = false
    let retryAfter: string | undefined
    let detach = () => {}
    const finish = (done: () => void) => {
      detach()
      done()
    }
    agent.dispatch(options, {
      onRequestStart(controller) {
        detach = onAbort(signal, () => controller.abort(signal!.reason as Error))
      },
      onResponseStart(_controller, statusCode, headers) {
        status = statusCode
        zipped = headers['content-encoding'] === 'gzip'
        retryAfter = headers['retry-after']?.toString()
      },
      onResponseData: (_controller, chunk) => void chunks.push(chunk),
      onResponseEnd: () =>
        finish(() =>
          resolve({ status, zipped, retryAfter, bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) }),
        ),
      onResponseError: (_controller, error) => finish(() => reject(error)),
    })
  })
}
