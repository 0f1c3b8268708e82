/** Bounds what a connection costs before there is a request to admit: how many one caller opens, and how much it pipelines. */
import { randomUUID } from 'node:crypto'
import type { RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import { overloaded } from '../errors.ts'
import { sharedKey, type Trust } from './caller.ts'
import { type ErrorVersion, errorReply, rawReply } from './reply.ts'

/** Requests of one connection that are under way at once. Clients send the next after the answer; few send some ahead. */
const MOST_AHEAD = 64

export type ConnectionLimits = {
  /** Connections of one caller. */
  readonly most: number
  readonly version: ErrorVersion
  readonly trusts: Trust
}

export function boundConnections(server: Server, { most, version, trusts }: ConnectionLimits): void {
  /** By caller, of those who have any. */
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    if (trusts(address, 0)) return
    const caller = sharedKey(address)
    const count = (open.get(caller) ?? 0) + 1
    if (count > most) {
      const requestId = randomUUID()
      socket.end(rawReply(requestId, errorReply(overloaded(1, 'connections'), requestId, version)), () =>
        socket.destroy(),
      )
      return
    }
    open.set(caller, count)
    socket.once('close', () => {
      const left = open.get(caller)! - 1
      if (left > 0) open.set(caller, left)
      else open.delete(caller)
    })
  })
}

/** Ends a connection that sends on and on without waiting for answers. */
export function bounded(listener: RequestListener): RequestListener {
  const underWay = new WeakMap<Socket, number>()
  return (request, response) => {
    const { socket } = request
    const count = (underWay.get(socket) ?? 0) + 1
    // What has been read of it already still comes here, one by one.
    if (socket.destroyed) return
    if (count > MOST_AHEAD) return void socket.destroy()
    underWay.set(socket, count)
    response.once('close', () => underWay.set(socket, underWay.get(socket)! - 1))
    listener(request, response)
  }
}
