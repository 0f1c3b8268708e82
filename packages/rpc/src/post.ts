/** One POST of JSON over a kept connection. `node:http` costs half of what `fetch` does, and every quote waits for it. */
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { text } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'

export type Posted = { readonly status: number; readonly text: string }

const transports = {
  'http:': { request: requestHttp, agent: new HttpAgent({ keepAlive: true }), headers: {} },
  // Far nodes are worth the work of compression; the one next door is not.
  'https:': {
    request: requestHttps,
    agent: new HttpsAgent({ keepAlive: true }),
    headers: { 'accept-encoding': 'gzip' },
  },
} as const

/**
 * Redirects are not followed: an endpoint is an address that somebody chose.
 *
 * @param url - http or https
 * @throws Error of the connection, or the abort
 */
export async function postJson(url: URL, body: string, signal: AbortSignal): Promise<Posted> {
  const bytes = Buffer.from(body)
  for (let attempt = 0; ; attempt++) {
    const sent = send(url, bytes, signal)
    try {
      const response = await sent.response
      const unpacked = response.headers['content-encoding'] === 'gzip' ? response.pipe(createGunzip()) : response
      return { status: response.statusCode ?? 0, text: await text(unpacked) }
    } catch (error) {
      // The other side may close a kept connection at the very moment it is used again.
      const closed = sent.reused() && (error as NodeJS.ErrnoException).code === 'ECONNRESET'
      if (!closed || attempt > 0 || signal.aborted) throw error
    }
  }
}

function send(url: URL, body: Buffer, signal: AbortSignal) {
  const { request, agent, headers } = transports[url.protocol as keyof typeof transports]
  const authorization = url.username ? { auth: decodeURIComponent(`${url.username}:${url.password}`) } : {}
  const outgoing = request(url, {
    method: 'POST',
    agent,
    signal,
    headers: { 'content-type': 'application/json', 'content-length': body.length, ...headers },
    ...authorization,
  })
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve)
    outgoing.once('error', reject)
  })
  outgoing.end(body)
  return { response, reused: () => outgoing.reusedSocket }
}
