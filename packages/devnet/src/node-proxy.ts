/** A wire to a real node that can be slow, lie, lack a feature, or stand for other chains. */
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type RpcCall = { readonly id: number; method: string; params: unknown[] }
export type RpcAnswer = {
  readonly result?: unknown
  readonly error?: { code: number; message: string; data?: unknown }
}

/**
 * Answer that the proxy gives by itself; undefined to pass the call on, which it may have changed.
 *
 * @param path - of the URL that was asked, such as `/10`: one proxy can be many endpoints
 */
export type Interceptor = (call: RpcCall, path: string) => RpcAnswer | undefined | Promise<RpcAnswer | undefined>

/**
 * Fault of a whole HTTP request, before its calls are looked at: answered with something else, answered late, left
 * without an answer, or its connection dropped; `cut` sends the true answer and drops the connection within it.
 */
export type HttpFault =
  | { readonly status: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> }
  | { readonly delayMs: number }
  | 'hang'
  | 'drop'
  | 'cut'

/** @returns undefined for a request that nothing happens to */
export type Fault = (calls: readonly RpcCall[], isBatch: boolean, path: string) => HttpFault | undefined

export class NodeProxy {
  readonly url: string
  answer: Interceptor
  fault: Fault = () => undefined
  /** Last change to the list of answers, such as to send some of them twice. */
  rewrite: (answers: readonly object[]) => readonly object[] = (answers) => answers
  /** Milliseconds before each answer. */
  delayMs = 0
  /** Methods asked for so far. */
  readonly seen: string[] = []
  /** HTTP requests so far. */
  requests = 0
  /** Bytes of bodies, received and sent. */
  bytes = 0
  private readonly server: Server

  static async start(target: string, answer: Interceptor = () => undefined): Promise<NodeProxy> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new NodeProxy(server, target, answer)
  }

  private constructor(server: Server, target: string, answer: Interceptor) {
    this.server = server
    this.answer = answer
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', async (request, response) => {
      const bytes = await request.toArray().catch(() => null)
      if (!bytes) return
      const body = JSON.parse(Buffer.concat(bytes).toString()) as RpcCall | RpcCall[]
      this.requests++
      this.bytes += bytes.reduce((sum: number, chunk: Buffer) => sum + chunk.length, 0)
      const fault = this.fault([body].flat(), Array.isArray(body), request.url ?? '/')
      if (fault === 'hang') return
      if (fault === 'drop') return void response.destroy()
      if (typeof fault === 'object' && 'status' in fault) return refuse(response, fault)
      const delayMs = this.delayMs + (typeof fault === 'object' ? fault.delayMs : 0)
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
      // The node itself may be gone by the time a long call would have ended.
      const answers = await this.answerAll([body].flat(), request.url ?? '/', target).catch(() => null)
      if (!answers) return void response.destroy()
      const rewritten = this.rewrite(answers)
      const text = JSON.stringify(Array.isArray(body) ? rewritten : rewritten[0])
      this.bytes += text.length
      response.setHeader('content-type', 'application/json')
      if (fault !== 'cut') return void response.end(text)
      response.setHeader('content-length', Buffer.byteLength(text))
      response.write(text.slice(0, text.length >> 1), () => response.destroy())
    })
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }

  private async answerAll(calls: readonly RpcCall[], path: string, target: string): Promise<readonly object[]> {
    this.seen.push(...calls.map(({ method }) => method))
    const own = await Promise.all(calls.map(async (call) => ({ call, answer: await this.answer(call, path) })))
    const passed = own.filter(({ answer }) => !answer).map(({ call }) => call)
    const forwarded = new Map(passed.length > 0 ? (await forward(target, passed)).map((one) => [one.id, one]) : [])
    return own.map(({ call, answer }) =>
      answer ? { jsonrpc: '2.0', id: call.id, ...answer } : forwarded.get(call.id)!,
    )
  }
}

function refuse(response: ServerResponse, { status, body, headers }: Extract<HttpFault, { status: number }>): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(body)
}

async function forward(target: string, calls: readonly RpcCall[]): Promise<readonly ({ id: number } & RpcAnswer)[]> {
  const response = await fetch(target, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls.map((call) => ({ jsonrpc: '2.0', ...call }))),
  })
  return (await response.json()) as ({ id: number } & RpcAnswer)[]
}
