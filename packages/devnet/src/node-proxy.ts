/** HTTP proxy of a JSON-RPC node for tests. It can delay, change, answer, or reject calls. It also counts them. */
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A JSON-RPC call that the proxy received. */
export type RpcCall = { readonly id: number; method: string; params: unknown[] }
/** The proxy's own response to a call. */
export type RpcAnswer = {
  readonly result?: unknown
  readonly error?: { code: number; message: string; data?: unknown }
}

/**
 * Returns the proxy's own response to a call, or undefined to forward the call to the node. May modify the call first.
 *
 * @param path - path of the requested URL, such as `/10`. By the path, one proxy can act as several endpoints.
 */
export type Interceptor = (call: RpcCall, path: string) => RpcAnswer | undefined | Promise<RpcAnswer | undefined>

/**
 * Fault of a whole HTTP request: another response, a delay, no response (`hang`), or a dropped connection (`drop`,
 * `cut`). `cut` drops the connection in the middle of the response.
 */
export type HttpFault =
  | { readonly status: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> }
  | { readonly delayMs: number }
  | 'hang'
  | 'drop'
  | 'cut'

/** Returns the fault of an HTTP request with these calls; undefined for none. */
export type FaultInjector = (calls: readonly RpcCall[], isBatch: boolean, path: string) => HttpFault | undefined

/** An HTTP proxy of a node with configurable faults. */
export class NodeProxy {
  readonly url: string
  intercept: Interceptor
  injectFault: FaultInjector = () => undefined
  /** Changes the list of responses before it is sent, for example to duplicate some. */
  rewriteAnswers: (answers: readonly object[]) => readonly object[] = (answers) => answers
  /** Delay of every response in milliseconds. */
  delayMs = 0
  /** Methods of all calls so far, in order of arrival. */
  readonly calledMethods: string[] = []
  /** Number of HTTP requests so far. */
  requestCount = 0
  /** Total length of request bodies (in bytes) and response bodies (in characters) so far. */
  byteCount = 0
  private readonly server: Server

  static async start(target: string, intercept: Interceptor = () => undefined): Promise<NodeProxy> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new NodeProxy(server, target, intercept)
  }

  private constructor(server: Server, target: string, intercept: Interceptor) {
    this.server = server
    this.intercept = intercept
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', async (request, response) => {
      const chunks = await request.toArray().catch(() => null)
      if (!chunks) return
      const body = JSON.parse(Buffer.concat(chunks).toString()) as RpcCall | RpcCall[]
      this.requestCount++
      this.byteCount += chunks.reduce((sum: number, chunk: Buffer) => sum + chunk.length, 0)
      const fault = this.injectFault([body].flat(), Array.isArray(body), request.url ?? '/')
      if (fault === 'hang') return
      if (fault === 'drop') return void response.destroy()
      if (typeof fault === 'object' && 'status' in fault) return respondWithStatus(response, fault)
      const delayMs = this.delayMs + (typeof fault === 'object' ? fault.delayMs : 0)
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
      // Forwarding fails if the node stops during a long call.
      const answers = await this.answerAll([body].flat(), request.url ?? '/', target).catch(() => null)
      if (!answers) return void response.destroy()
      const rewrittenAnswers = this.rewriteAnswers(answers)
      const text = JSON.stringify(Array.isArray(body) ? rewrittenAnswers : rewrittenAnswers[0])
      this.byteCount += text.length
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
    this.calledMethods.push(...calls.map(({ method }) => method))
    const ownAnswers = await Promise.all(
      calls.map(async (call) => ({ call, answer: await this.intercept(call, path) })),
    )
    const forwardedCalls = ownAnswers.filter(({ answer }) => !answer).map(({ call }) => call)
    const forwardedAnswers = new Map(
      forwardedCalls.length > 0
        ? (await forward(target, forwardedCalls)).map((response) => [response.id, response])
        : [],
    )
    return ownAnswers.map(({ call, answer }) =>
      answer ? { jsonrpc: '2.0', id: call.id, ...answer } : forwardedAnswers.get(call.id)!,
    )
  }
}

function respondWithStatus(
  response: ServerResponse,
  { status, body, headers }: Extract<HttpFault, { status: number }>,
): void {
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
