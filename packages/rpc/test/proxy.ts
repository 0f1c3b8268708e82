/** A node that is worse than the one behind it: requests and answers pass through functions of the test. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type JsonRequest = { id: number; method: string; params: unknown[] }
type Answer = { readonly result?: unknown; readonly error?: { code: number; message: string } }

/** What it answers by itself; undefined to pass the request on, which it may have changed. */
export type Interceptor = (request: JsonRequest) => Answer | undefined

export type WorseNode = { readonly url: string; readonly seen: string[]; readonly stop: () => void }

export async function startProxy(target: string, intercept: Interceptor): Promise<WorseNode> {
  const seen: string[] = []
  const server = createServer(async (incoming, outgoing) => {
    let body = ''
    for await (const chunk of incoming) body += chunk
    const json = JSON.parse(body) as JsonRequest | JsonRequest[]
    // The node itself may be gone by the time a long call would have ended.
    const answers = await Promise.all([json].flat().map(answer)).catch(() => null)
    if (!answers) return void outgoing.destroy()
    outgoing.end(JSON.stringify(Array.isArray(json) ? answers : answers[0]))
  })
  const answer = async (request: JsonRequest) => {
    seen.push(request.method)
    const own = intercept(request)
    if (own) return { jsonrpc: '2.0', id: request.id, ...own }
    const response = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', ...request }),
    })
    return response.json()
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
