/** A wire to a real node that can be slow, lie or lack a feature. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }
type Answer = { readonly id: number; readonly result?: unknown; readonly error?: { code: number; message: string } }

export class NodeProxy {
  readonly url: string
  /** Answers in the node's place, or undefined to let the node answer. */
  answer: (call: Call) => Partial<Answer> | undefined = () => undefined
  /** Milliseconds before each answer. */
  delayMs = 0
  private readonly server: Server

  private constructor(server: Server, target: string) {
    this.server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', async (request, response) => {
      const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as Call | Call[]
      await new Promise((resolve) => setTimeout(resolve, this.delayMs))
      const own = [body].flat().map((call) => ({ call, answer: this.answer(call) }))
      const passed = own.filter(({ answer }) => !answer).map(({ call }) => call)
      const forwarded = passed.length > 0 ? await forward(target, passed) : []
      const answers = own.map(({ call, answer }) =>
        answer ? { jsonrpc: '2.0', id: call.id, ...answer } : forwarded.find(({ id }) => id === call.id),
      )
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]))
    })
  }

  static async start(target: string): Promise<NodeProxy> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new NodeProxy(server, target)
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }
}

async function forward(target: string, calls: readonly Call[]): Promise<readonly Answer[]> {
  const response = await fetch(target, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls.map((call) => ({ jsonrpc: '2.0', ...call }))),
  })
  return (await response.json()) as Answer[]
}
