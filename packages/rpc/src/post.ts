/** One POST of JSON over a kept connection. undici costs half of what `node:http` does, and every quote waits for it. */
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Agent, errors } from 'undici'

export type Posted = { readonly status: number; readonly text: string }

/** Bytes that a node may answer with: well above the logs of a large block. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024
/** A request is given up at last, when all who wait for it have long done so. */
const LAST_MS = 60_000
/** A connection that is not used for that long is closed: most nodes keep it about as long. */
const KEEP_ALIVE_MS = 60_000

const agent = new Agent({
  headersTimeout: LAST_MS,
  bodyTimeout: LAST_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  maxResponseSize: MAX_ANSWER_BYTES,
})
const unzip = promisify(gunzip)

/**
 * Redirects are not followed: an endpoint is an address that somebody chose.
 *
 * @param url - http or https
 * @throws Error of the connection, or the abort
 */
export async function postJson(url: URL, body: string, signal?: AbortSignal): Promise<Posted> {
  const { origin, pathname, search, protocol, username, password } = url
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  // Far nodes are worth the work of compression; the one next door is not.
  if (protocol === 'https:') headers['accept-encoding'] = 'gzip'
  if (username) {
    const credentials = Buffer.from(decodeURIComponent(`${username}:${password}`)).toString('base64')
    headers.authorization = `Basic ${credentials}`
  }
  for (let attempt = 0; ; attempt++) {
    try {
      const answer = await agent.request({
        origin,
        path: pathname + search,
        method: 'POST',
        headers,
        body,
        ...(signal && { signal }),
      })
      const zipped = answer.headers['content-encoding'] === 'gzip'
      return { status: answer.statusCode, text: zipped ? await unzipped(answer.body) : await answer.body.text() }
    } catch (error) {
      // The other side may close a kept connection at the very moment it is used again.
      if (!(error instanceof errors.SocketError) || attempt > 0) throw error
    }
  }
}

async function unzipped(body: { readonly bytes: () => Promise<Uint8Array> }): Promise<string> {
  return (await unzip(await body.bytes(), { maxOutputLength: MAX_ANSWER_BYTES })).toString()
}
