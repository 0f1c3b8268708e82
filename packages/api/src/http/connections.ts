/** Limits connections per caller and pipelined requests per connection. */
import { randomUUID } from 'node:crypto'
import type { RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import { overloadError } from '../errors.ts'
import { type ProxyTrust, sharedKey } from './caller.ts'
import { type ErrorVersion, errorReply, rawReply } from './reply.ts'

/** Maximum unanswered requests on one connection. Most clients send the next request only after the response. */
const MAX_PIPELINED = 64

export type ConnectionLimits = {
  /** Maximum connections of one caller. */
  readonly max: number
  readonly version: ErrorVersion
  readonly isTrustedProxy: ProxyTrust
}

/** Limits the open connections of each caller. Trusted proxies have no limit. */
export function limitConnections(server: Server, { max, version, isTrustedProxy }: ConnectionLimits): void {
  const connectionsByCaller = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    if (isTrustedProxy(address, 0)) return
    const caller = sharedKey(address)
    const count = (connectionsByCaller.get(caller) ?? 0) + 1
    if (count > max) {
      const requestId = randomUUID()
      socket.end(rawReply(requestId, errorReply(overloadError(1, 'connections'), requestId, version)), () =>
        socket.destroy(),
      )
      return
    }
    connectionsByCaller.set(caller, count)
    socket.once('close', () => {
      const remaining = connectionsByCaller.get(caller)! - 1
      if (remaining > 0) connectionsByCaller.set(caller, remaining)
      else connectionsByCaller.delete(caller)
    })
  })
}

/** Wraps a request listener so that it closes connections with more than `MAX_PIPELINED` unanswered requests. */
export function limitInFlight(listener: RequestListener): RequestListener {
  const inFlight = new WeakMap<Socket, number>()
  return (request, response) => {
    const { socket } = request
    const count = (inFlight.get(socket) ?? 0) + 1
    // Node.js still calls this listener for requests that it parsed before the socket was destroyed.
    if (socket.destroyed) return
    if (count > MAX_PIPELINED) return void socket.destroy()
    inFlight.set(socket, count)
    response.once('close', () => inFlight.set(socket, inFlight.get(socket)! - 1))
    listener(request, response)
  }
}
